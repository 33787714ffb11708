#pragma once
/// What a user should know about a plan that is valid but easily misread.

#include <string>
#include <vector>

#include "rezero/analysis/plan.h"

namespace rezero::cli {

std::vector<std::string> plan_notices(const SweepPlan& plan);

}  // namespace rezero::cli
