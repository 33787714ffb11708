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
  std::string look;       ///< those among them that say what is looked at, not what is built
  bool decorate = false;  ///< what is run is this stack decorated, as a stack file would have it
};

/// Every scheme, family, activation, norm and base law, sizes up to 6 features and 16 numbers, depths to 60,
/// inputs and weights of ordinary and of extreme size. Some combinations are refused when they are resolved.
RandomCell random_cell(std::uint64_t seed, std::uint64_t index);

SweepPlan resolved(const RandomCell& cell);

}  // namespace rezero::reference
