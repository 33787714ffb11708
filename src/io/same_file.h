#pragma once
/// Whether two paths lead to the same file.

#include <string>

namespace rezero::detail {

/// Compares device and inode if both exist, so that hard and symbolic links count; otherwise the paths, with
/// the links of their folders followed. Devices (a terminal that is read and written) never count.
bool same_file(const std::string& a, const std::string& b);

}  // namespace rezero::detail
