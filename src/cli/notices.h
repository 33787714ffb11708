#pragma once
/// Notices about plans that are valid but easily misunderstood.

#include <string>
#include <vector>

#include "rezero/analysis/plan.h"

namespace rezero::cli {

std::vector<std::string> plan_notices(const SweepPlan& plan);

}  // namespace rezero::cli
