#include "parts.h"

namespace rezero {
namespace {

CheckResult run(const CheckObservation& seen, const CheckSpec& spec) {
  CheckResult result = check_parts::begin(spec, "dead branches", 0);
  for (const BlockFacts& block : *seen.blocks)
    if (block.dead) check_parts::add(result, *block.dead);
  return check_parts::finish_count(std::move(result));
}

}  // namespace

Check check_alive() {
  Check check;
  check.name = "alive";
  check.summary =
      "every parameter that switches a branch off (a zero scale or a zero last weight) receives a non-zero "
      "gradient";
  check.source = "derived here";
  check.run = run;
  return check;
}

}  // namespace rezero
