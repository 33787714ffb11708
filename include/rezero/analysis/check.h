#pragma once
/// The checks of `verify`: claims about a stack at initialization, with a bound and the blocks at fault.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/named_spec.h"
#include "rezero/core/registry.h"
#include "rezero/core/scaled_real.h"
#include "rezero/model/block_facts.h"

namespace rezero {

struct Check;
struct RecipeFindings;  // analysis/recipe.h

/// A resolved check: `isometry:tol=0.1`.
class CheckSpec {
 public:
  explicit CheckSpec(const NamedSpec& spec);
  const Check& check() const { return *check_; }
  const Params& params() const { return params_; }
  std::string canonical() const;

 private:
  const Check* check_;
  Params params_;
};

struct CheckResult {
  std::string check;  ///< canonical text
  bool pass = false;
  bool warning = false;             ///< reported without affecting the verdict
  bool counts = false;              ///< `value` is the number of culprits
  std::optional<ScaledReal> value;  ///< the measured number
  Real bound = 0;                   ///< the largest value allowed
  std::string quantity;             ///< what `value` is: "max|J - I|, max|f(x) - x|"
  std::string message;              ///< why there is no value, if there is none
  std::vector<Culprit> culprits;    ///< the first ten, by block
  Index culprit_count = 0;
  std::shared_ptr<const RecipeFindings> recipe;  ///< of the check `recipe`: what was compared

  bool fails() const { return !pass && !warning; }
};

struct CheckObservation;  // analysis/observe.h

/// `summary` is the claim.
struct Check : Entry {
  bool needs_spectrum = false;
  CheckResult (*run)(const CheckObservation&, const CheckSpec&) = nullptr;
};

const Registry<Check>& checks();

}  // namespace rezero
