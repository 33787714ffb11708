#pragma once
/// Results as plain structs, read by reports and tables, about which nothing below knows.

#include <optional>
#include <string>
#include <vector>

#include "rezero/analysis/metric.h"
#include "rezero/analysis/plan.h"
#include "rezero/analysis/theory.h"

namespace rezero {

/// The signal profile of one stack at one depth; L blocks.
struct Profile {
  std::vector<ScaledReal> forward_rms;      ///< root mean square of x_0 … x_L: L + 1 numbers
  std::vector<ScaledReal> branch_norm;      ///< ‖F_l(x_l)‖₂, the factor of α: L numbers
  std::vector<ScaledReal> gradient_square;  ///< ‖∂x_L/∂x_l‖_F² / n for l = 0 … L: L + 1 numbers
  std::vector<Real> skip_scale, branch_scale;  ///< λ and α (1 − α and α if gated), averaged over features: L
  std::vector<ScaledReal>
      gate_gradient;  ///< uᵀ ∂x_L/∂s_l, s_l added to block l's branch scale (signed): L numbers
};

/// J at one depth of one stack.
struct DepthResult {
  Index depth = 0, blocks = 0;
  Index rows = 0, cols = 0;
  Spectrum spectrum;
  std::optional<ScaledReal> frobenius_square;  ///< ‖J‖_F²; absent if J was not formed to six digits
  Real forming_error = 0;  ///< estimated bound on the rounding error of forming J, over ‖J‖_F
  std::optional<ScaledReal> identity_error, output_error;
  /// max(|J − diag(1[x_0 > 0])|, |x_L − max(x_0, 0)|): 0 if the stack is the identity on the positive orthant
  /// and cuts off the rest. verify only.
  std::optional<ScaledReal> orthant_error;
  std::vector<std::optional<Real>> metrics;  ///< in the order of metrics()
  std::optional<Profile> profile;
  std::optional<TheoryOfRow> theory;  ///< if the plan asks for it
  std::vector<CheckResult> checks;    ///< verify only, in the order of AnalysisOptions::checks
};

/// The labels of a row. Empty strings and 0 if not applicable (a stack file).
struct CellLabels : GeometryLabels {
  std::string stack;                ///< file name, for --stack and --onnx
  std::optional<Index> checkpoint;  ///< which of several files, counted from 0
  std::optional<Index> sample;      ///< which of several inputs, counted from 0
  std::optional<SchemeSpec> scheme;
  std::string family, activation, init;
  Params activation_params, init_params;
  Index dimension = 0;  ///< n
  std::uint64_t seed = 0;
  bool seeded = true;  ///< false for --stack and --onnx
};

/// A depth that could not be computed.
struct CellFailure {
  Index depth = 0;
  std::string kind;  ///< numerical, spectrum, memory, internal
  std::string message;
};

/// One stack at some depths.
struct CellResult {
  std::size_t cell = 0;
  CellLabels labels;
  std::vector<DepthResult> depths;
  std::vector<CellFailure> failures;
};

/// Mean, standard error of the mean (ddof 1; absent for one number) and extremes, over the seeds or samples
/// for which the metric exists.
struct MetricSummary {
  std::optional<Real> mean, standard_error, min, max;
  Index count = 0;
};

/// One (scheme, width, activation, init, depth) over seeds, or (checkpoint, depth) over samples.
struct SummaryRow {
  CellLabels labels;  ///< seed and sample unused
  Index depth = 0, blocks = 0;
  std::vector<MetricSummary> metrics;   ///< in the order of metrics()
  std::optional<TheorySummary> theory;  ///< if the plan asks for it
};

}  // namespace rezero
