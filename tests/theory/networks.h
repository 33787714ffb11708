#pragma once
/// Laws of networks for tests.

#include <cmath>

#include "rezero/theory/density.h"

namespace rezero::testing {

/// Equal blocks.
struct NetText {
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

inline theory::NetworkLaw network(const NetText& text) {
  theory::NetworkLaw law;
  law.activation = Activation(std::string_view(text.activation));
  theory::BlockLaw block;
  block.form = text.form, block.skip = text.skip, block.scale = text.scale;
  block.weight = text.weight, block.weight2 = text.weight2, block.bias = text.bias, block.gamma = text.gamma;
  block.ensemble = text.ensemble, block.norm = text.norm;
  block.centered = text.norm != theory::NormPlacement::none;
  law.blocks.assign(static_cast<std::size_t>(text.depth), block);
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
