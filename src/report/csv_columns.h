#pragma once
/// The columns that every CSV report has.

#include <string>
#include <vector>

#include "rezero/analysis/labels.h"

namespace rezero::detail {

/// The labels that fit into a field.
std::vector<Label> csv_labels();

/// `scheme` to `message`.
std::vector<std::string> csv_columns();

}  // namespace rezero::detail
