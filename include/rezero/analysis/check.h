#pragma once
/// The checks of `verify`: claims about a stack at initialization, with a bound and the blocks at fault.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/named_spec.h"
#include "rezero/core/registry.h"
#include "rezero/core/scaled_real.h"

namespace rezero {

struct Check;

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

/// A block that violates a claim, and why: `branch scale 0.01`, `bias after the scale`, `no skip`, `dead: …`.
struct Culprit {
  Index block = 0;            ///< 0-based
  std::string parameter;      ///< branch_scale, skip_scale, output_bias, down.weight, …
  std::optional<Real> value;  ///< of the parameter, if it is one number
  std::string reason;
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

  bool fails() const { return !pass && !warning; }
};

/// The reason why a branch contributes nothing.
enum class SwitchedOff { no, by_constant_scale, by_gate, by_last_weight };

/// Facts about one block at the point of linearization.
struct BlockFacts {
  Index block = 0;
  Real state_change = 0;         ///< max |x_{l+1} − x_l|, in units of 2^state exponent
  Real jacobian_change = 0;      ///< max |J_{l+1} − J_l| / max |J_l|
  std::vector<Culprit> reasons;  ///< why the block is not the identity, most significant first
  SwitchedOff off = SwitchedOff::no;
  Culprit if_dead;              ///< reported if the parameter that switches the branch off gets no gradient
  std::optional<Culprit> dead;  ///< set once the gradients are known
  /// Set if the branch or its derivative is zero and no zero parameter explains it.
  std::optional<Culprit> lifeless;
};

struct CheckObservation;  // analysis/observe.h

/// `summary` is the claim.
struct Check : Entry {
  bool needs_spectrum = false;
  CheckResult (*run)(const CheckObservation&, const CheckSpec&) = nullptr;
};

const Registry<Check>& checks();

}  // namespace rezero
