#pragma once
/// Random runs of the command, addressed by number: the same ones on every machine.

#include <cstdint>
#include <string>

#include "rezero/config/resolve.h"

namespace rezero::reference {

struct RandomCell {
  PlanOptions options;
  std::string input;      ///< bytes of the .npy file that the options name; empty: they name none
  std::string typed;      ///< the options as a user would type them, with that file as input.npy
  std::string look;       ///< the options that select what is analyzed, not what is built
  bool decorate = false;  ///< run this stack decorated, as a stack file would have it
};

/// Every scheme, family, activation, norm and base initializer, sizes up to 6 features and 16 numbers, depths
/// up to 60, inputs and weights of ordinary and of extreme size. Some combinations are refused when they are
/// resolved.
RandomCell random_cell(std::uint64_t seed, std::uint64_t index);

SweepPlan resolved(const RandomCell& cell);

}  // namespace rezero::reference
