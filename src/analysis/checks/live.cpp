#include "parts.h"

namespace rezero {
namespace {

CheckResult run(const CheckObservation& seen, const CheckSpec& spec) {
  CheckResult result = check_parts::begin(spec, "lifeless branches", 0);
  result.warning = spec.params().text("as") == "warning";
  for (const BlockFacts& block : *seen.blocks)
    if (block.lifeless) check_parts::add(result, *block.lifeless);
  return check_parts::finish_count(std::move(result));
}

}  // namespace

Check check_live() {
  Check check;
  check.name = "live";
  check.summary = "no branch or branch derivative is zero at this input unless a zero parameter makes it so";
  check.source = "derived here";
  check.params = {{"as",
                   ParamKind::choice,
                   "error",
                   "warning: reported, but the verdict does not depend on it",
                   {"error", "warning"}}};
  check.run = run;
  return check;
}

}  // namespace rezero
