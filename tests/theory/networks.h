#pragma once
/// Laws of networks for tests.

#include <cmath>

#include "rezero/theory/density.h"
#include "support/theory_laws.h"

namespace rezero::testing {

/// Equal blocks with skips and norms.
struct DeepNet {
  theory::BranchForm form = theory::BranchForm::linear;
  const char* activation = "identity";
  Index depth = 1;
  Real scale = 1;
  Real weight = 1, weight2 = 1;
  Real bias = 0;
  Real gamma = 1;
  theory::Ensemble ensemble = theory::Ensemble::independent;
  theory::NormPlacement norm = theory::NormPlacement::none;
  Real skip = 1;
};

inline theory::NetworkLaw network(const DeepNet& of) {
  theory::NetworkLaw law = net(
      {of.form, of.activation, of.scale, of.weight, of.weight2, of.bias, of.gamma, of.ensemble}, of.depth, 0);
  for (theory::BlockLaw& block : law.blocks) {
    block.skip = of.skip, block.norm = of.norm;
    block.centered = of.norm != theory::NormPlacement::none;
  }
  return law;
}

inline theory::SpectralLaw free_law(const theory::NetworkLaw& law) {
  return theory::march(theory::free_blocks(law, theory::mean_field(law)));
}

/// Var(σ²)/(E σ²)²
inline Real relative_variance(const theory::SpectralLaw& law) {
  return std::expm1(law.log_moment(2) - 2 * law.log_moment(1));
}

}  // namespace rezero::testing
