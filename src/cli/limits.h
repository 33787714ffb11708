#pragma once
/// The machine's resources available to this process.

#include <optional>
#include <string>

#include "rezero/core/types.h"

namespace rezero::cli {

/// The smallest limit of the process's control groups and their ancestors, of either version; infinity if
/// there is none. `root` is prepended to /proc and /sys.
Real control_group_limit(const std::string& root = "");

/// Bytes available to the process: the minimum of physical memory, control_group_limit() and the address
/// space limit.
Real usable_memory();

/// Memory available to a run: the limit of the plan, or 80 % of usable_memory().
Real memory_limit(const std::optional<Real>& of_plan);

std::string bytes_text(Real bytes);  ///< `1.5 GB`
std::string seconds_text(Real seconds);

/// Flops per second of one thread's matrix product, measured now (takes a few milliseconds).
Real measure_flop_rate();

}  // namespace rezero::cli
