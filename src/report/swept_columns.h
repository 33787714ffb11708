#pragma once
/// The parameters that a plan varies, as columns of tables.

#include <string>
#include <string_view>
#include <vector>

#include "rezero/analysis/result.h"

namespace rezero::detail {

/// A parameter of which some entry of an axis has several values.
struct SweptColumn {
  enum class Source { scheme, activation, init };
  Source source;
  std::string param;
  /// `sigma_w`; `init.sigma_w` if another axis has a swept parameter of that name, or if it is the name of
  /// another column of CSV.
  std::string title;

  /// The row's parameter, whether its own entry varies it or not. Null if the row has none of that name, or a
  /// series instead (`alphas` for `alpha`).
  const ParamValue* value(const CellLabels& of) const;
};

/// Those of the scheme first, then of the activation and the initializer, each in the order of first
/// appearance. None for a stack file.
std::vector<SweptColumn> swept_columns(const SweepPlan& plan);

/// The scheme or initializer (`source`) of a row without the parameters that have columns.
std::string text_beside_columns(const std::vector<SweptColumn>& columns, SweptColumn::Source source,
                                std::string_view name, const Params& params);

}  // namespace rezero::detail
