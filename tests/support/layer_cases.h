#pragma once
/// One list of layers for all layer laws. A new layer adds its cases here, and every law is tested on them.

#include <ostream>
#include <string>
#include <vector>

#include "rezero/model/block.h"

namespace rezero::testing {

struct LayerCase {
  std::string name;
  LayerPtr layer;
  Vector point;  ///< where it is linearized: generic, so off the kinks
};

inline std::ostream& operator<<(std::ostream& out, const LayerCase& c) {
  return out << c.name;
}

const std::vector<LayerCase>& layer_cases();

enum class Biases { absent, present };

/// A block with random weights of variance 1/fan_in and skip and branch scale 1, to be modified by tests.
struct PartsSpec {
  const char* branch = "mlp";
  const char* activation = "relu";
  Shape shape{5, 1};
  Index hidden = 7;
  Biases biases = Biases::absent;
  std::uint32_t id = 1;
  AttentionSpec attention = {};
  ConvBranchSpec conv = {};  ///< outputs 0: one row of pixels, 3 × 3 kernels, as many channels as features
};
BlockParts random_parts(const PartsSpec& spec);
/// The sizes that determine the weights of these parts.
BranchSizes sizes_of(const BlockParts& parts);

}  // namespace rezero::testing
