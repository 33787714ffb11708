#pragma once
/// What this process may use of the machine.

#include <optional>
#include <string>

#include "rezero/core/types.h"

namespace rezero::cli {

/// The least limit of the control groups that the process is in and of those above them, of either version;
/// infinite where there is none. `root` stands before /proc and /sys.
Real control_group_limit(const std::string& root = "");

/// Bytes that the process may use: the least of physical memory, control_group_limit() and its address space
/// limit.
Real usable_memory();

/// What a run may take: what the plan says, else 80 % of usable_memory().
Real memory_limit(const std::optional<Real>& of_plan);

std::string bytes_text(Real bytes);  ///< `1.5 GB`
std::string seconds_text(Real seconds);

/// Floating-point operations a second of one thread's matrix product, measured now (a few milliseconds).
Real measure_flop_rate();

}  // namespace rezero::cli
