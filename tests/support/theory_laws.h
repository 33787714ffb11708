#pragma once
/// Laws of networks for tests of theory.

#include "rezero/theory/network_law.h"

namespace rezero::testing {

/// Equal blocks, as tables of predictions list them.
struct NetText {
  theory::BranchForm form = theory::BranchForm::mlp;
  const char* activation = "relu";
  Real scale = 1, weight = 1, weight2 = 1, bias = 0, gamma = 1;
  theory::Ensemble ensemble = theory::Ensemble::independent;
};

inline theory::NetworkLaw net(const NetText& text, Index depth, Index width) {
  theory::NetworkLaw law;
  law.width = width;
  law.activation = Activation(std::string_view(text.activation));
  theory::BlockLaw block;
  block.form = text.form, block.scale = text.scale;
  block.weight = text.weight, block.weight2 = text.weight2, block.bias = text.bias;
  block.gamma = text.gamma, block.ensemble = text.ensemble;
  law.blocks.assign(static_cast<std::size_t>(depth), block);
  return law;
}

}  // namespace rezero::testing
