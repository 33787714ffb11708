#include "cli/critical_report.h"

#include <algorithm>
#include <cmath>

#include "rezero/core/error.h"
#include "rezero/theory/mean_field.h"
#include "rezero/theory/moments.h"

namespace rezero::cli {
namespace {

using theory::CriticalPoint;
using theory::Ensemble;
using theory::GaussianIntegrals;

/// A plain net as deep as the search for trainable depths, with the input variance of stacks.
theory::NetworkLaw plain_law(const CriticalQuery& query, Real weight, Real bias) {
  theory::NetworkLaw law;
  law.activation = query.activation;
  theory::BlockLaw block;
  block.form =
      query.family == "preactivation" ? theory::BranchForm::preactivation : theory::BranchForm::dense;
  block.skip = 0;
  block.weight = weight, block.bias = bias;
  law.blocks.assign(static_cast<std::size_t>(query.trainability.limit), block);
  return law;
}

theory::TrainableDepth plain_trainable(const CriticalQuery& query, Real weight, Real bias) {
  try {
    return trainable_depth(plain_law(query, weight, bias), query.trainability);
  } catch (const NumericalError& error) {  // the variance leaves the range of doubles
    theory::TrainableDepth none;
    none.limit = query.trainability.limit;
    none.reason = error.what();
    return none;
  }
}

SpreadReport spread(const CriticalQuery& query, const GaussianIntegrals& activation,
                    const CriticalPoint& point, Ensemble ensemble) {
  SpreadReport report;
  report.ensemble = ensemble;
  const Real per_layer = ensemble == Ensemble::haar ? point.kurtosis - 1 : point.kurtosis;
  report.relative_variance = per_layer * static_cast<Real>(query.depth);
  report.log_sigma_max = theory::critical_log_sigma_max(activation, point, ensemble, query.depth);
  report.within = theory::spread_depths(activation, point, ensemble, query.bound);
  return report;
}

PlainReport::Line line_of(const CriticalQuery& query, const GaussianIntegrals& activation,
                          const theory::CriticalSet& set) {
  PlainReport::Line line;
  line.every_q = set.every_q, line.reason = set.reason;
  for (const CriticalPoint& point : set.points)
    line.nets.push_back({point,
                         {spread(query, activation, point, Ensemble::independent),
                          spread(query, activation, point, Ensemble::haar)},
                         plain_trainable(query, point.weight, point.bias)});
  return line;
}

}  // namespace

PlainReport report_by_bias(const CriticalQuery& query, const std::vector<Real>& sigma_b) {
  const GaussianIntegrals activation(query.activation);
  PlainReport report;
  for (const Real sigma : sigma_b) {
    report.lines.push_back(line_of(query, activation, critical_for_bias(activation, sigma * sigma)));
    report.lines.back().sigma_b = sigma;
  }
  report.stability_changes = stability_changes(activation);
  return report;
}

PlainReport report_by_fixed_point(const CriticalQuery& query, const std::vector<Real>& q) {
  const GaussianIntegrals activation(query.activation);
  PlainReport report;
  for (const Real at : q) {
    report.lines.push_back(line_of(query, activation, critical_at(activation, at)));
    report.lines.back().q = at;
  }
  report.stability_changes = stability_changes(activation);
  return report;
}

PlainReport report_of_nets(const CriticalQuery& query, const std::vector<Real>& sigma_w,
                           const std::vector<Real>& sigma_b) {
  const GaussianIntegrals activation(query.activation);
  PlainReport report;
  for (const Real w : sigma_w)
    for (const Real b : sigma_b)
      report.nets.push_back(
          {w, b, plain_phase(activation, w * w, b * b, w * w + b * b), plain_trainable(query, w * w, b * b)});
  return report;
}

namespace {

bool has_scale_parameter(const SchemeSpec& spec) {
  const auto& rows = theory::scale_parameters();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const theory::ScaleParameter& row) { return row.scheme == spec.scheme().name; });
}

}  // namespace

SchemeReport report_of_scheme(const CriticalQuery& query, const StackSpec& spec,
                              const std::string& parameter) {
  SchemeReport report;
  report.scheme = spec.scheme.canonical();
  const bool solve = !parameter.empty() || has_scale_parameter(spec.scheme);
  const theory::ScaleParameter* row =
      solve ? &theory::scale_parameter(spec.scheme.scheme().name, parameter) : nullptr;
  try {
    report.trainable = trainable_depth(spec, query.trainability);
    if (!report.trainable.reason.empty()) return report;
    const theory::Described described = theory::describe(spec, query.depth);
    if (described.law) report.log_first_moment = log_mean_square(*described.law, mean_field(*described.law));
    if (row) report.parameter = row->name, report.scale = solve_scale(spec, *row, query.depth, query.bound);
  } catch (const NumericalError& error) {
    report.trainable = {};
    report.trainable.reason = error.what();
  }
  return report;
}

}  // namespace rezero::cli
