#pragma once
/// Everything that defines a random stack but its seed and depth: plain data.

#include "rezero/init/initializer.h"
#include "rezero/model/family.h"
#include "rezero/model/scheme.h"

namespace rezero {

enum class InputLaw {
  normal,  ///< i.i.d. standard normal
  sphere,  ///< uniform on the sphere of radius √features at each position
  ones,    ///< all ones
  values,  ///< given
};
std::string_view to_string(InputLaw law);

struct InputSpec {
  InputLaw law = InputLaw::normal;
  Vector values = {};  ///< for InputLaw::values: shape.size() numbers
};

/// What families over tokens take beside the width.
struct TokenSpec {
  Index tokens = 1;
  AttentionSpec attention = {};  ///< heads, kv_heads, causal, scale, rope; qk_norm
};

struct StackSpec {
  SchemeSpec scheme;
  const Family* family = nullptr;
  Index width = 128;
  Real hidden_ratio = 1;
  Activation activation;
  Initializer initializer;
  bool tied = false;  ///< one set of weights for all layers
  InputSpec input;
  TokenSpec tokens = {};

  /// max(1, round(hidden_ratio · width)).
  Index hidden() const;
  Shape shape() const { return {width, tokens.tokens}; }
  BranchSizes sizes() const { return {width, hidden(), tokens.attention.heads, tokens.attention.kv_heads}; }
};

}  // namespace rezero
