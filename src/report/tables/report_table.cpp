/// Spectra against depth: a block of rows per scheme, with numbers on the left and the spectrum drawn on the
/// right.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/number_text.h"
#include "report/published_values.h"
#include "report/spectrum_strip.h"
#include "report/tables/columns.h"
#include "report/tables/headline.h"
#include "report/tables/tables.h"
#include "report/tables/theory_table.h"
#include "rezero/analysis/labels.h"

namespace rezero::detail {
namespace {

constexpr std::size_t line_width = 100;
constexpr std::size_t heading_indent = 4;
constexpr std::size_t strip_columns = 32, fewest_strip_columns = 12;

enum class Style { number, percent };

struct Column {
  std::string_view title;
  std::string_view metric;
  std::string_view log10_metric = "";  ///< shown instead if the metric does not fit into a double
  Style style = Style::number;
  /// about the smallest value; if there are proved zeros, the smallest of the others
  bool of_smallest = false;
};

const std::vector<Column>& columns() {
  static const std::vector<Column> table = {{"σ max", "sigma_max", "log10_sigma_max"},
                                            {"median σ", "median_sigma"},
                                            {"σ min", "sigma_min", "log10_sigma_min", Style::number, true},
                                            {"log₁₀ κ", "log10_condition", "", Style::number, true},
                                            {"mean σ²", "mean_square"},
                                            {"σ≈1", "isometry_fraction", "", Style::percent},
                                            {"max|J−I|", "identity_error"}};
  return table;
}

/// The row's summary of a metric; empty if it has none.
MetricSummary summary_of(const SummaryRow& row, std::string_view name) {
  std::size_t i = 0;
  for (const Metric& metric : metrics()) {
    if (metric.name == name && i < row.metrics.size()) return row.metrics[i];
    ++i;
  }
  return {};
}

/// The summary if every seed of the row has the metric: a mean over some of them would mislead.
MetricSummary complete_summary(const SummaryRow& row, std::string_view name) {
  const MetricSummary summary = summary_of(row, name);
  for (const MetricSummary& other : row.metrics)
    if (other.count > summary.count) return {};
  return summary;
}

/// Whether σ_min is an exact zero for every seed, and the next value is known.
bool has_null_directions(const SummaryRow& row) {
  const MetricSummary low = complete_summary(row, "sigma_min");
  return low.max && *low.max == 0 && complete_summary(row, "log10_sigma_min_nonzero").mean;
}

/// σ_min or κ without the directions proved to be mapped to zero, marked as such.
std::string text_beside_zeros(const SummaryRow& row, const Column& column) {
  const MetricSummary low = complete_summary(row, "sigma_min_nonzero");
  const Real log10_low = *complete_summary(row, "log10_sigma_min_nonzero").mean;
  if (column.metric == "sigma_min")
    return (low.mean ? uncertain_number(*low.mean, low.standard_error) : short_power(log10_low)) + "*";
  const MetricSummary high = complete_summary(row, "log10_sigma_max");
  return high.mean ? short_number(*high.mean - log10_low) + "*" : "–";
}

std::string cell_text(const SummaryRow& row, const Column& column) {
  if (column.of_smallest && has_null_directions(row)) return text_beside_zeros(row, column);
  const MetricSummary summary = complete_summary(row, column.metric);
  if (summary.mean && column.style == Style::percent) {
    const Real tenths = std::round(1000 * *summary.mean);
    const std::string digits = std::to_string(static_cast<Index>(tenths));
    if (tenths == 0 || tenths == 1000) return digits.substr(0, digits.size() == 1 ? 1 : 3) + "%";
    return (digits.size() == 1 ? "0" : digits.substr(0, digits.size() - 1)) + "." + digits.back() + "%";
  }
  if (summary.mean) return uncertain_number(*summary.mean, summary.standard_error);
  const MetricSummary log10 = complete_summary(row, column.log10_metric);
  return log10.mean ? short_power(*log10.mean) : "–";
}

SpectrumExtent extent_of(const SummaryRow& row) {
  const char* low = has_null_directions(row) ? "log10_sigma_min_nonzero" : "log10_sigma_min";
  SpectrumExtent extent{complete_summary(row, low).mean, {}, complete_summary(row, "log10_sigma_max").mean};
  const std::optional<Real> median = complete_summary(row, "median_sigma").mean;
  if (median && *median > 0) extent.middle = std::log10(*median);
  return extent;
}

/// log₁₀ σ below which a share q of the values lies.
Real quantile(const SpectralDensity& density, Real q) {
  std::size_t i = 0;
  while (i + 1 < density.cdf.size() && density.cdf[i] < q) ++i;
  return density.log10_sigma[i];
}

/// `rezero depth 12 seed 0: density of n = 100000: σ 10 % 0.9, median 1, 90 % 1.1 (2 probes of 50 steps, ±
/// 0.006)`.
std::string density_text(const std::string& place, const DepthResult& depth) {
  const SpectralDensity& density = *depth.spectrum.density;
  const auto at = [&](Real q) { return short_power(quantile(density, q)); };
  std::string text = place + ": density of n = " + std::to_string(depth.spectrum.dimension) +
                     ": 10 % of σ below " + at(0.1) + ", half below " + at(0.5) + ", 90 % below " + at(0.9) +
                     " (";
  if (density.probes == 0) return text + "all values computed)";
  return text + std::to_string(density.probes) + " probes of " + std::to_string(density.steps) +
         " steps; curve within " + short_number(density.sampling_distance) + " + " +
         short_number(density.steps_distance) + (density.converged ? ")" : ": not converged)");
}

class ReportTable final : public Renderer {
 public:
  explicit ReportTable(Output output) : output_(std::move(output)) {}

  void begin(const ReportContext& context) override {
    plan_ = context.plan;
    swept_ = swept_columns(*plan_);
    output_(wrapped(headline(context), line_width, heading_indent) + "\n");
  }

  void cell(const CellResult& result) override {
    for (const DepthResult& depth : result.depths) {
      ++rows_;
      if (depth.spectrum.null_directions > 0)
        ++null_rows_, most_null_ = std::max(most_null_, depth.spectrum.null_directions);
      ++statuses_[std::string(to_string(row_status(depth.spectrum, ValuesMode::log10)))];
      if (depth.spectrum.density)
        densities_.push_back(density_text(place_text(*plan_, result.labels, depth.depth), depth));
    }
    for (const CellFailure& failure : result.failures) {
      failures_.push_back("failed: " + place_text(*plan_, result.labels, failure.depth) + ": " +
                          printable(failure.message));
    }
  }

  void end(const SweepSummary& summary, const RunInfo& run) override {
    if (!summary.rows.empty()) table(summary.rows);
    output_("\n");
    if (!summary.rows.empty()) legend();
    output_(theory_table(*plan_, summary.rows));
    notes(run);
  }

 private:
  void table(const std::vector<SummaryRow>& rows) {
    std::vector<std::vector<std::string>> texts;
    std::vector<std::string> titles;
    for (const SweptColumn& column : swept_) titles.push_back(column.title);
    titles.emplace_back("depth");
    for (const Column& column : columns()) titles.emplace_back(column.title);
    AlignedColumns layout(titles);
    const std::vector<int> digits = digits_of_swept(rows);
    SpectrumStrip strip;
    for (const SummaryRow& row : rows) {
      std::vector<std::string> line;
      for (std::size_t i = 0; i < swept_.size(); ++i)
        line.push_back(swept_text(swept_[i].value(row.labels), digits[i]));
      line.push_back(std::to_string(row.depth));
      for (const Column& column : columns()) line.push_back(cell_text(row, column));
      layout.widen(line);
      texts.push_back(std::move(line));
      strip.include(extent_of(row));
    }
    const std::size_t used = 2 + layout.width();
    const bool drawn = used + fewest_strip_columns <= line_width;
    if (drawn) strip.set_width(std::min(strip_columns, line_width - used));
    output_("\n" + layout.line(titles) + (drawn ? "  " + strip.axis() : "") + "\n");
    std::string group;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string heading = group_heading(*plan_, swept_, rows[i].labels);
      if (heading != group) output_(wrapped(heading, line_width, heading_indent) + "\n");
      group = heading;
      output_(layout.line(texts[i]) + (drawn ? "  " + strip.draw(extent_of(rows[i])) : "") + "\n");
    }
  }

  /// For each swept parameter, the fewest significant digits, at least four, that tell its values apart.
  std::vector<int> digits_of_swept(const std::vector<SummaryRow>& rows) const {
    std::vector<int> digits;
    for (const SweptColumn& column : swept_) {
      std::set<Real> values;
      for (const SummaryRow& row : rows)
        if (const ParamValue* value = column.value(row.labels)) values.insert(value->number);
      int needed = 4;
      const auto all_differ = [&] {
        std::string before;
        for (const Real value : values) {
          const std::string text = general_number(value, needed);
          if (text == before) return false;
          before = text;
        }
        return true;
      };
      while (needed < 17 && !all_differ()) ++needed;
      digits.push_back(needed);
    }
    return digits;
  }

  /// A word (`gain=auto`) is itself; – for a row without the parameter.
  static std::string swept_text(const ParamValue* value, int digits) {
    if (!value) return "–";
    return value->text == shortest(value->number) ? general_number(value->number, digits) : value->text;
  }

  void legend() {
    output_(
        "σ≈1: share of σ in [0.9, 1.1]. κ = σ max / σ min. "
        "Drawn: ├ σ min, ● median, ┤ σ max, ┊ 1.\n");
    const bool samples = plan_->stack && plan_->stack->samples() > 1;
    if (samples || (plan_->seeds.size() > 1 && !plan_->stack))
      output_(std::string("7.17(12) is 7.17 ± 0.12: mean and standard error over ") +
              (samples ? "samples.\n" : "seeds.\n"));
  }

  void notes(const RunInfo& run) {
    const std::map<std::string, std::string> meanings = {
        {"unresolved", "have singular values below the method's resolution (σ min –)"},
        {"partial", "have fewer values than requested, or a density that did not converge"},
        {"breakdown", "have no spectrum that could be certified"}};
    for (const auto& [status, count] : statuses_)
      if (const auto meaning = meanings.find(status); meaning != meanings.end())
        output_(std::to_string(count) + " of " + std::to_string(rows_) + " rows " + meaning->second + ".\n");
    if (null_rows_ > 0)
      output_(std::to_string(null_rows_) + " of " + std::to_string(rows_) + " rows have up to " +
              std::to_string(most_null_) +
              " directions proved to be mapped to zero (*: σ min and κ without them).\n");
    for (const std::string& density : densities_)
      output_(wrapped(density, line_width, heading_indent) + "\n");
    for (const std::string& failure : failures_) output_(failure + "\n");
    output_(std::to_string(rows_) + (rows_ == 1 ? " row" : " rows") + " in " +
            short_number(run.wall_seconds) + " s on " + std::to_string(run.threads) +
            (run.threads == 1 ? " thread" : " threads") + ".\n");
  }

  Output output_;
  const SweepPlan* plan_ = nullptr;
  std::vector<SweptColumn> swept_;
  Index rows_ = 0, null_rows_ = 0, most_null_ = 0;
  std::map<std::string, Index> statuses_;
  std::vector<std::string> densities_, failures_;
};

}  // namespace

std::unique_ptr<Renderer> make_report_table(Output output) {
  return std::make_unique<ReportTable>(std::move(output));
}

}  // namespace rezero::detail
