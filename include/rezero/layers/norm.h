#pragma once
/// Normalizations and the like: what can stand before a branch, inside it, after it, or after the sum.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/registry.h"
#include "rezero/layers/layer.h"

namespace rezero {

struct NormSpec;

/// One row of the table of norms. Each acts on every position by itself, over its features.
struct NormKind {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view formula;
  std::string_view source;
  bool has_eps, has_weight, has_bias, has_alpha;  ///< what a NormSpec of this kind may carry
  bool linear;                                    ///< of degree 1: it does not see the scale of its input
  Index null_directions;  ///< directions, per position, that no tangent reaches (the mean; the L2 norm's own
                          ///< output)
  LayerPtr (*make)(const NormSpec&, Shape);
};

const Registry<NormKind>& norms();

/// A norm to be built at some place of a block; kind null: none. Shared vectors: per feature, or null.
struct NormSpec {
  const NormKind* kind = nullptr;
  Real eps = 1e-5;
  Real alpha = 0.5;                            ///< dynamic_tanh, derf: slope of the argument
  std::shared_ptr<const Vector> weight, bias;  ///< γ (absent: 1) and β (absent: 0)

  static NormSpec of(std::string_view name, Real eps = 1e-5);
  explicit operator bool() const { return kind != nullptr; }
  LayerPtr layer(Shape shape) const { return kind->make(*this, shape); }
};

/// X ↦ γ ⊙ Y + β with Y = (X − μ)/s per position; μ the mean (or 0), s = √(mean((X − μ)²) + ε) or ‖X‖₂.
/// Derivative V ↦ γ ⊙ (P V − c Y (Yᵀ V)) / s, P = I − 11ᵀ/d or I; c = 1/d, or 1 for the L2 norm. Exact with
/// ε. Cost O(d) per position and column; no d × d matrix is formed. Sources: Ba, Kiros & Hinton 2016 (layer
/// norm); Zhang & Sennrich 2019 (RMS norm); differentiated.
class Standardization final : public Layer {
 public:
  enum class Center { no, yes };
  enum class Scale { root_mean_square, euclidean };
  Standardization(Shape shape, const NormSpec& spec, Center center, Scale scale);
  Shape input_shape() const override { return shape_; }
  Shape output_shape() const override { return shape_; }
  bool positively_homogeneous() const override { return false; }

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  Shape shape_;
  NormSpec spec_;
  Center center_;
  Scale scale_;
};

/// X ↦ γ ⊙ φ(α X) + β, φ = tanh (Zhu et al. 2025, arXiv 2503.10622) or erf. Derivative diag(γ α φ′(α X)).
class PointwiseNorm final : public Layer {
 public:
  PointwiseNorm(Shape shape, const NormSpec& spec, std::string_view activation);
  Shape input_shape() const override { return shape_; }
  Shape output_shape() const override { return shape_; }
  bool positively_homogeneous() const override { return false; }

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  Shape shape_;
  NormSpec spec_;
  std::string activation_;
};

/// X ↦ X − 1 mean(X), the mean over the features of each position. Linear; its matrix is a symmetric
/// projector.
class MeanSubtraction final : public Layer {
 public:
  explicit MeanSubtraction(Shape shape) : shape_(shape) {}
  Shape input_shape() const override { return shape_; }
  Shape output_shape() const override { return shape_; }
  bool positively_homogeneous() const override { return true; }

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  Shape shape_;
};

}  // namespace rezero
