#pragma once
/// The labels of a row, each written once: JSON members, CSV columns, the schema and the groups of a summary
/// iterate this table.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rezero/analysis/result.h"

namespace rezero {

/// A text, a size, or parameters; nothing where the label does not apply.
using LabelValue = std::variant<std::monostate, std::string, Index, const Params*>;

enum class LabelType { text, size, params };

/// What JSON says where a label does not apply.
enum class WhereAbsent { null, left_out };

struct Label {
  std::string_view key;  ///< of JSON and CSV
  LabelType type;
  LabelValue (*value)(const CellLabels&);
  WhereAbsent where_absent = WhereAbsent::null;
  std::vector<std::string_view> words = {};  ///< all texts it may be; empty: any
};

/// From `scheme` to `norm`: all that tells rows apart but depth and seed.
const std::vector<Label>& labels();

/// The value as text. Empty where the label does not apply, and for parameters: the scheme's name holds
/// those.
std::string label_text(const Label& label, const CellLabels& of);

}  // namespace rezero
