#pragma once
/// Options of the family over images, besides the width.

#include "rezero/config/resolve.h"

namespace rezero::detail {

/// `8x8`. UsageError naming `option` otherwise.
ImageSpec image_of(const std::string& text, std::string_view option);
/// `none`, or the name of a norm with `groups` and `eps`. UsageError for parameters that the kind does not
/// have.
NormSpec conv_norm_of(const std::string& text);
std::string conv_norm_text(const NormSpec& norm);
/// `batch` or `initial`; true for the latter.
bool initial_statistics_of(std::string_view word);

/// Fills in plan.conv, and plan.widths of a net with stages. UsageError for sizes that do not fit together.
void resolve_images(SweepPlan& plan, const PlanOptions& options);
/// The inverse.
void describe_images(const SweepPlan& plan, PlanOptions& options);
/// The reported depths of a net with stages: by default the end of each stage, or for verify the end of the
/// last.
std::vector<Index> stage_depths(const ConvNetSpec& net, const PlanOptions& options, PlanUse use);

}  // namespace rezero::detail
