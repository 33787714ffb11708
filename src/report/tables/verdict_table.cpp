/// One line per check: verdict, claim, stack, the measured value, and the first block at fault.

#include "report/file_verdicts.h"
#include "report/number_text.h"
#include "report/tables/tables.h"
#include "rezero/analysis/labels.h"

namespace rezero::detail {
namespace {

std::string measured(const CheckResult& check) {
  if (!check.value) return printable(check.message);
  const std::optional<Real> value = check.value->to_real();
  const std::string number = value ? short_number(*value) : short_power(check.value->log10());
  std::string text =
      check.quantity + " = " + number + (check.pass ? " ≤ " : " > ") + short_number(check.bound);
  return check.message.empty() ? text : text + " (" + printable(check.message) + ")";
}

std::string blame(const CheckResult& check) {
  if (check.pass || check.culprits.empty()) return {};
  const Culprit& first = check.culprits.front();
  std::string text = " — block " + std::to_string(first.block) + ": " + printable(first.reason);
  if (check.culprit_count > 1) text += " (and " + std::to_string(check.culprit_count - 1) + " more)";
  return text;
}

/// The tensors that miss a recipe, a line each.
std::string list_of_tensors(const CheckResult& check) {
  std::string text;
  for (const Culprit& culprit : check.culprits)
    text += "       block " + std::to_string(culprit.block) + "  " + printable(culprit.reason) + "\n";
  const Index more = check.culprit_count - static_cast<Index>(check.culprits.size());
  return more > 0 ? text + "       and " + std::to_string(more) + " more\n" : text;
}

class VerdictTable final : public Renderer {
 public:
  explicit VerdictTable(Output output) : output_(std::move(output)) {}

  void begin(const ReportContext& context) override {
    plan_ = context.plan;
    files_.begin(*context.plan);
    for (const CheckSpec& check : context.plan->analysis.checks)
      name_width_ = std::max(name_width_, display_width(check.canonical()));
    if (context.plan->analysis.recipe) name_width_ = std::max(name_width_, display_width("recipe"));
  }

  void cell(const CellResult& result) override {
    files_.add(result);
    for (const DepthResult& depth : result.depths)
      for (const CheckResult& check : depth.checks) {
        const bool warns = check.warning && !check.pass;
        ++(warns ? warnings_ : checks_);
        failed_ += check.fails();
        output_((check.pass ? "PASS "
                 : warns    ? "WARN "
                            : "FAIL ") +
                pad_right(check.check, name_width_) + "  " + place_text(*plan_, result.labels, depth.depth) +
                ": " + measured(check) +
                (check.recipe ? "\n" + list_of_tensors(check) : blame(check) + "\n"));
      }
    for (const CellFailure& failure : result.failures) {
      ++errors_;
      output_("ERROR " + place_text(*plan_, result.labels, failure.depth) + ": " +
              printable(failure.message) + "\n");
    }
  }

  void end(const SweepSummary&, const RunInfo&) override {
    std::string text = checks_ + warnings_ == 0 ? "nothing was checked"
                       : checks_ == 0           ? "no check fails"
                       : checks_ == 1           ? (failed_ == 0 ? "the check passes" : "the check fails")
                       : failed_ == 0
                           ? "all " + std::to_string(checks_) + " checks pass"
                           : std::to_string(failed_) + " of " + std::to_string(checks_) + " checks fail";
    if (warnings_ > 0) text += ", " + std::to_string(warnings_) + (warnings_ == 1 ? " warning" : " warnings");
    if (errors_ > 0) text += ", " + std::to_string(errors_) + " stacks could not be computed";
    if (files_.failing() > 0)
      text +=
          "; " + std::to_string(files_.failing()) + " of " + std::to_string(files_.size()) + " files fail";
    output_(text + "\n");
  }

 private:
  Output output_;
  const SweepPlan* plan_ = nullptr;
  std::size_t name_width_ = 0;
  FileVerdicts files_;
  Index checks_ = 0, failed_ = 0, warnings_ = 0, errors_ = 0;  ///< checks_: without warnings
};

}  // namespace

std::unique_ptr<Renderer> make_verdict_table(Output output) {
  return std::make_unique<VerdictTable>(std::move(output));
}

}  // namespace rezero::detail
