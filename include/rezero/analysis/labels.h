#pragma once
/// The labels of a row. JSON members, CSV columns, the schema and the groups of a summary iterate over this
/// table.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rezero/analysis/result.h"

namespace rezero {

/// A text, a whole number, or parameters; nothing if the label does not apply.
using LabelValue = std::variant<std::monostate, std::string, Index, const Params*>;

/// `size`: from 1; `place`: counted from 0.
enum class LabelType { text, size, place, params };

/// How JSON shows a label that does not apply.
enum class WhereAbsent { null, left_out };

struct Label {
  std::string_view key;  ///< in JSON and CSV
  LabelType type;
  LabelValue (*value)(const CellLabels&);
  WhereAbsent where_absent = WhereAbsent::null;
  std::vector<std::string_view> words = {};  ///< all possible texts; empty: any text
  bool averaged = false;                     ///< summaries average over it, as over seeds
};

/// From `scheme` to `norm`: everything that distinguishes rows except depth and seed.
const std::vector<Label>& labels();

/// The value as text. Empty if the label does not apply, and for parameters, which are part of the label
/// before them.
std::string label_text(const Label& label, const CellLabels& of);

/// `rezero:alpha=0.1`, or the path of the stack file.
std::string source_text(const CellLabels& labels);
/// Where a message applies: `rezero:alpha=0.1 width 8 depth 12 seed 0`, `step_20.onnx depth 6 sample 3`.
/// Widths, activations and initializers are named if the plan has several.
std::string place_text(const SweepPlan& plan, const CellLabels& labels, Index depth);

/// All labels but averaged ones: equal for rows that differ in depth, seed and sample alone.
std::string label_key(const CellLabels& of);

}  // namespace rezero
