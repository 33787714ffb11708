#pragma once
/// What this process may use of the machine.

#include <string>
#include <string_view>

#include "rezero/core/types.h"

namespace rezero::cli {

/// Of usable_memory(), where --max-memory does not say.
constexpr Real memory_share = 0.8;

/// The least limit of the control groups that the process is in and of those above them, of either version;
/// infinite where there is none. `root` stands before /proc and /sys.
Real control_group_limit(const std::string& root = "");

/// Bytes that the process may use: the least of physical memory, control_group_limit() and its address space
/// limit.
Real usable_memory();

/// `4G`, `512MiB`, `1e9`: a number with an optional suffix k, M, G, T (powers of 1000) or Ki, Mi, Gi, Ti (of
/// 1024), a trailing B allowed. UsageError naming `option` otherwise.
Real parse_bytes(std::string_view text, std::string_view option);

std::string bytes_text(Real bytes);  ///< `1.5 GB`
std::string seconds_text(Real seconds);

/// Floating-point operations a second of one thread's matrix product, measured now (a few milliseconds).
Real measure_flop_rate();

}  // namespace rezero::cli
