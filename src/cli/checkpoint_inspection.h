#pragma once
/// What a checkpoint consists of, for `inspect`.

#include <string>

#include "rezero/config/plan_options.h"
#include "rezero/io/checkpoint.h"

namespace rezero::cli {

struct CheckpointInspection {
  std::string path;
  LayoutSpec layout;
  std::size_t tensors = 0;
  CheckpointFacts facts;
  /// Numbers that multiply branches, by tensor.
  std::vector<std::pair<std::string, Real>> gates;
};

/// Of the file, under the layout of the options or the one that its names fit. Errors as survey_checkpoint,
/// and UsageError if no layout is given and none fits.
CheckpointInspection inspect_checkpoint(const std::string& path, const PlanOptions& options);

std::string checkpoint_text(const CheckpointInspection& seen);
std::string checkpoint_json(const CheckpointInspection& seen);

}  // namespace rezero::cli
