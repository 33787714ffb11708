#pragma once
/// Notices about plans that are valid but easily misunderstood.

#include <string>
#include <vector>

#include "rezero/analysis/plan.h"

namespace rezero::cli {

std::vector<std::string> plan_notices(const SweepPlan& plan);

/// What of a checkpoint the stack does not contain.
std::vector<std::string> checkpoint_notices(const CheckpointInput& model, bool final_norm_is_applied);

}  // namespace rezero::cli
