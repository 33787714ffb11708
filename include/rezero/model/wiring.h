#pragma once
/// The wiring of a block around its branch: the places of norms and activations, and how skip and branch are
/// scaled and summed. Plain data that schemes fill in and stack files contain.

#include <iterator>
#include <optional>
#include <string_view>

#include "rezero/core/words.h"
#include "rezero/layers/activation.h"
#include "rezero/layers/norm.h"

namespace rezero {

/// A trained number, or one that the scheme fixes permanently.
enum class ScaleRole { parameter, constant };

/// A multiplier of the skip or the branch: one number, or one per feature.
struct Scale {
  Vector values = Vector::Ones(1);  ///< size 1 or features
  ScaleRole role = ScaleRole::constant;

  static Scale number(Real value, ScaleRole role = ScaleRole::constant) {
    return {Vector::Constant(1, value), role};
  }
  bool all_equal(Real value) const { return (values.array() == value).all(); }
};

/// additive: y = λ⊙x + α⊙z + b. gated: y = (1 − α)⊙x + α⊙z + b, with the skip scale unused at 1.
enum class MixRule { additive, gated };
template <>
inline constexpr auto words<MixRule> = closed_set<MixRule>("mix", {{MixRule::additive, "additive"},
                                                                   {MixRule::gated, "gated"}});

/// The stage of a block at which a norm or an activation acts.
enum class Stage {
  before_branch,       ///< on x, only for the branch
  before_last_matrix,  ///< inside the branch
  after_branch,        ///< on F(x), before the scale
  after_sum,           ///< on the sum, including the skip
};

/// The norms of a block by place; none by default. Each member has a row in norm_places.
struct PlacedNorms {
  NormSpec pre_norm, inner_norm, branch_norm, post_norm;
};

/// The activations of a block outside its branch; none by default. Each member has a row in
/// activation_places.
struct PlacedActivations {
  std::optional<Activation> branch_activation, post_activation;
};

///   z  = branch_activation( branch_norm( F( pre_norm(x) ) ) )
///   y  = mix(λ, S(x), α, z) + output_bias     x′ = post_activation( post_norm(y) )     S: the shortcut
struct Wiring : PlacedNorms, PlacedActivations {
  Scale skip_scale, branch_scale;
  MixRule mix = MixRule::additive;

  /// True if every norm and activation maps c x to c times its value for c > 0.
  bool positively_homogeneous() const;
};

/// A place with its name in stack files and reasons. At each stage norms act before activations, in the order
/// of their table.
template <class Thing, class Owner>
struct Place {
  std::string_view name;
  Stage stage;
  Thing Owner::*at;
};
using NormPlace = Place<NormSpec, PlacedNorms>;
using ActivationPlace = Place<std::optional<Activation>, PlacedActivations>;

inline constexpr NormPlace norm_places[] = {
    {"pre_norm", Stage::before_branch, &PlacedNorms::pre_norm},
    {"inner_norm", Stage::before_last_matrix, &PlacedNorms::inner_norm},
    {"branch_norm", Stage::after_branch, &PlacedNorms::branch_norm},
    {"post_norm", Stage::after_sum, &PlacedNorms::post_norm},
};
inline constexpr ActivationPlace activation_places[] = {
    {"branch_activation", Stage::after_branch, &PlacedActivations::branch_activation},
    {"post_activation", Stage::after_sum, &PlacedActivations::post_activation},
};
static_assert(sizeof(PlacedNorms) == std::size(norm_places) * sizeof(NormSpec), "a place without a row");
static_assert(sizeof(PlacedActivations) == std::size(activation_places) * sizeof(std::optional<Activation>),
              "a place without a row");

}  // namespace rezero
