#pragma once
/// Whether two paths lead to one file.

#include <string>

namespace rezero::detail {

/// By device and inode where both exist, so that links of either sort count; else by the path with its
/// folder's links followed. Devices (a terminal that is read and written) never count.
bool same_file(const std::string& a, const std::string& b);

}  // namespace rezero::detail
