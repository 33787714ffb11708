#pragma once
/// Derivatives of operators that the maps of linalg and layers do not have.

#include "rezero/graph/tensor.h"
#include "rezero/linalg/maps.h"

namespace rezero::graph {

/// v ↦ (Σ_k weight_k · v_{index_k}) for the entries k of each output row.
struct SparseRows {
  Index cols = 0;
  std::vector<std::size_t> first{0};  ///< by row: its first entry; then one past the last
  Indices indices;
  std::vector<Real> weights;

  void end_row() { first.push_back(indices.size()); }
  void add(Index index, Real weight) { indices.push_back(index), weights.push_back(weight); }
};
LinearMapPtr sparse_map(SparseRows rows);

/// Products of matrices in row-major order: C_b = A_a(b) B_b(b), A: m × k, B: k × n, for a list of pairs.
/// Equal offsets are repeated operands.
struct BatchedProduct {
  Index m = 1, k = 1, n = 1;
  Indices a, b;  ///< offsets of the operands of each product; C's follow each other
  Index a_size = 0, b_size = 0;

  Index count() const { return static_cast<Index>(a.size()); }
  Index c_size() const { return count() * m * n; }
};
/// C itself. Cost 2·count·m·k·n.
Vector multiply(const BatchedProduct& product, const Vector& A, const Vector& B);
/// ∂C/∂A for fixed B, and ∂C/∂B for fixed A. Cost per column: 2·count·m·k·n.
LinearMapPtr left_product_map(const BatchedProduct& product, std::shared_ptr<const Vector> B);
LinearMapPtr right_product_map(const BatchedProduct& product, std::shared_ptr<const Vector> A);

/// The derivative of softmax along an axis of `count` numbers, `inner` apart: v ↦ p ⊙ (v − Σ p v); of
/// log-softmax: v ↦ v − Σ p v.
enum class SoftmaxForm { plain, logarithm };
LinearMapPtr softmax_map(Vector p, Index count, Index inner, SoftmaxForm form);

/// A window that moves over the axes of an image behind batch and channels.
struct Window {
  Dims image, kernel, strides, dilations, pads_begin, pads_end;  ///< by axis
  Dims output;

  Index pixels() const { return count_of(image); }
  Index positions() const { return count_of(output); }
  Index taps() const { return count_of(kernel); }
  /// For every output position and tap (tap fastest), the pixel below it, or −1 beyond the border.
  Indices below() const;
};

/// Convolution over groups of channels: y[b, g·M + m, p] = Σ_{c, t} W[g·M + m, c, t] x[b, g·C + c, below(p,
/// t)], all in row-major order (N C D₁ … D_r). Any number of spatial axes. Cost
/// 2·batch·groups·M·C·taps·positions.
struct ConvPlan {
  Window window;
  Index batch = 1, groups = 1, in = 1, out = 1;  ///< channels per group

  Index x_size() const { return batch * groups * in * window.pixels(); }
  Index y_size() const { return batch * groups * out * window.positions(); }
  Index w_size() const { return groups * out * in * window.taps(); }
};
/// x ↦ y for given weights, in file order.
LinearMapPtr conv_map(const ConvPlan& plan, std::shared_ptr<const Vector> weights);
/// W ↦ y for a given image.
LinearMapPtr conv_weight_map(const ConvPlan& plan, std::shared_ptr<const Vector> x);
/// W ↦ x for a given y: the weights of the transposed convolution.
LinearMapPtr transposed_conv_weight_map(const ConvPlan& plan, std::shared_ptr<const Vector> y);

}  // namespace rezero::graph
