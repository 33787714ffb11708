#pragma once
/// Stacks from checkpoints: their options, and what those mean.

#include "config/plan_files.h"
#include "rezero/config/resolve.h"
#include "rezero/io/checkpoint.h"

namespace rezero::detail {

/// Reads the checkpoints, all in one layout, and their inputs, and makes the stacks. UsageError and IoError
/// as parse_checkpoint, and UsageError naming both files for one that differs from the first in more than its
/// numbers.
void resolve_checkpoints(SweepPlan& plan, const PlanOptions& options, const ResolveContext& context,
                         PlanFiles& files);

void describe_checkpoints(const SweepPlan& plan, PlanOptions& options);

/// What the options say about a checkpoint beside its layout, except the positions of an input from a file.
/// UsageError for several activations.
CheckpointSettings checkpoint_settings(const PlanOptions& options);

}  // namespace rezero::detail
