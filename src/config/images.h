#pragma once
/// What the family over images takes besides the width.

#include "rezero/config/resolve.h"

namespace rezero::detail {

/// `8x8`. UsageError naming `option` otherwise.
ImageSpec image_of(const std::string& text, std::string_view option);
/// `none`, or a norm's name with `groups` and `eps`. UsageError for what the kind does not take.
NormSpec conv_norm_of(const std::string& text);
std::string conv_norm_text(const NormSpec& norm);
Padding padding_of(std::string_view word);
ConvOrder conv_order_of(std::string_view word);
ShortcutKind shortcut_of(std::string_view word);
/// `batch` or `initial`; true for the latter.
bool initial_statistics_of(std::string_view word);

/// Fills in plan.conv, and plan.widths of a net with stages. UsageError: sizes that do not fit together.
void resolve_images(SweepPlan& plan, const PlanOptions& options);
/// The inverse.
void describe_images(const SweepPlan& plan, PlanOptions& options);
/// Depths that a net with stages is looked at, by default the end of each stage, or of the last to verify.
std::vector<Index> stage_depths(const ConvNetSpec& net, const PlanOptions& options, PlanUse use);

}  // namespace rezero::detail
