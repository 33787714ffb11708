#pragma once
/// Singular values of the library's own stacks, for comparison with laws.

#include "rezero/jacobian/block_maps.h"
#include "rezero/spectrum/product.h"
#include "rezero/theory/density.h"

namespace rezero::testing {

/// log σ² of the whole stack, descending; −∞ for zeros.
inline Vector log_squares(const StackSpec& spec, std::uint64_t seed, Index depth) {
  const StackPtr stack = build_stack(spec, seed, depth);
  BlockMapsOptions options;
  options.kept_blocks = stack->blocks();
  const BlockMaps maps(stack, stack->input(), stack->blocks(), options);
  const ProductValues values = product_singular_values({stack->blocks(), [&](Index l) {
                                                          return ScaledMap{maps.at(l), 0};
                                                        }});
  Vector y(static_cast<Index>(values.sigma.size()));
  for (Index k = 0; k < y.size(); ++k) y[k] = 2 * values.sigma[static_cast<std::size_t>(k)].log();
  return y;
}

/// The law that belongs to it: `cavity` for preactivation branches, with the stack's own input; otherwise
/// free.
inline theory::SpectralLaw predicted_law(const StackSpec& spec, std::uint64_t seed, Index depth) {
  const theory::NetworkLaw law = theory::describe(spec, depth).law.value();
  const theory::MeanField field = theory::mean_field(law);
  const Vector input = draw_input(spec.input, {spec.width, 1}, seed);
  if (const auto blocks = theory::cavity_blocks(law, field, input))
    return theory::cavity(*blocks, theory::GaussianIntegrals(law.activation), input);
  return theory::march(theory::free_blocks(law, field));
}

/// Square stacks whose branches have the given fixed scale.
inline StackSpec scaled_stack(const char* family, const char* activation, const char* initializer,
                              Index width, Real alpha) {
  StackSpec spec("fixed:alpha=" + std::to_string(alpha), family);
  spec.width = width, spec.hidden_ratio = 1;
  spec.activation = Activation(std::string_view(activation));
  spec.initializer = Initializer(std::string_view(initializer));
  spec.input.law = InputLaw::sphere;  // q_0 = 1: that of a normal input fluctuates by √(2/n)
  return spec;
}

}  // namespace rezero::testing
