#pragma once
/// Normalizations and similar layers, which can stand before, inside or after a branch, or after the sum.

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/registry.h"
#include "rezero/layers/layer.h"

namespace rezero {

struct NormSpec;

/// A numeric parameter of a kind of norm. Options, plans and stack files read and write the parameters
/// declared by the row.
struct NormParam {
  enum class Kind {
    constant,  ///< never trained; a number in the spec of a stack file
    divisor,   ///< a whole number that divides the features; also in the spec
    trained,   ///< trained; in stack files a tensor with one entry
  };
  std::string_view name;
  Kind kind;
  Real fallback;  ///< the default
  Real minimum = -std::numeric_limits<Real>::max();
};

/// One row of the table of norms. Without `across_positions`, each position is normalized separately.
struct NormKind : Entry {
  std::vector<NormParam> numbers;
  /// parameters that a NormSpec of this kind may have
  bool has_weight = false, has_bias = false, has_running = false;
  bool linear = false;            ///< of degree 1 if there is no bias and no running mean
  bool divides_by_size = false;   ///< divides by the size or spread of its input: of degree 0 except for ε
  bool across_positions = false;  ///< statistics are computed over several positions
  /// The kind that uses given statistics where this one computes those of a batch (itself, if it already
  /// does); empty for norms without such statistics.
  std::string_view with_given_statistics = {};
  /// Exact zeros of the derivative: number of independent directions, over all positions, that no tangent
  /// reaches (the mean of each set, or the L2 norm's own output). None by default.
  Index (*null_directions)(const NormSpec&, Shape) = [](const NormSpec&, Shape) { return Index{0}; };
  LayerPtr (*make)(const NormSpec&, Shape) = nullptr;

  const NormParam* find(std::string_view param) const;  ///< null if there is none with that name
};

const Registry<NormKind>& norms();

/// A norm to be built at some place of a block; no kind: no norm. Shared vectors: per feature, or null.
struct NormSpec {
  const NormKind* kind = nullptr;
  std::shared_ptr<const Vector> weight, bias;  ///< γ (default 1) and β (default 0)
  Index samples = 1;                           ///< number of equal runs of positions, for group_norm
  std::shared_ptr<const Vector> running_mean, running_var;  ///< batch_norm_eval (default 0 and 1)

  /// With that `eps`, if the kind has one.
  static NormSpec of(std::string_view name, Real eps = 1e-5);
  /// The value of a declared parameter: as set, or the default.
  Real param(std::string_view name) const;
  NormSpec& set(std::string_view name, Real value);
  Real eps() const { return kind->find("eps") ? param("eps") : 0; }
  /// True if a trained parameter, or the whole weight, is zero.
  bool has_zero_parameter() const;
  explicit operator bool() const { return kind != nullptr; }
  LayerPtr layer(Shape shape) const { return kind->make(*this, shape); }
  Index null_directions(Shape shape) const { return kind->null_directions(*this, shape); }
  /// True if a zero (or constant) input gives 0/0.
  bool undefined_at_zero() const { return kind->divides_by_size && !(eps() > 0); }
  /// True if N(c x) = c N(x) for all c > 0.
  bool positively_homogeneous() const { return kind->linear && !bias && !running_mean; }

 private:
  std::map<std::string_view, Real> params_;  ///< parameters that were set; the names are those of the table
};

/// The common part of all norms: equal input and output shapes, and an affine map per feature at the end.
class NormLayer : public Layer {
 public:
  Shape input_shape() const override { return shape_; }
  Shape output_shape() const override { return shape_; }
  bool positively_homogeneous() const override { return spec_.positively_homogeneous(); }

 protected:
  /// ShapeError if a vector of the spec does not have one number per feature.
  NormLayer(Shape shape, const NormSpec& spec);
  Vector affine(Vector y) const;                         ///< γ ⊙ Y + β
  Vector at_positions(const Vector& per_feature) const;  ///< the vector repeated for every position
  Shape shape_;
  NormSpec spec_;
};

/// X ↦ γ ⊙ Y + β with Y = (X − μ)/s per position; μ the mean (or 0), s = √(mean((X − μ)²) + ε) or ‖X‖₂.
/// Derivative V ↦ γ ⊙ (P V − c Y (Yᵀ V)) / s, P = I − 11ᵀ/d or I; c = 1/d, or 1 for the L2 norm. Exact with
/// ε. Cost O(d) per position and column; no d × d matrix is formed. Sources: Ba, Kiros & Hinton 2016 (layer
/// norm); Zhang & Sennrich 2019 (RMS norm); differentiated.
class Standardization final : public NormLayer {
 public:
  enum class Center { no, yes };
  enum class Scale { root_mean_square, euclidean };
  Standardization(Shape shape, const NormSpec& spec, Center center, Scale scale)
      : NormLayer(shape, spec), center_(center), scale_(scale) {}

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  /// s² − ε, for the given sum of squares.
  Real mean_square(Real square) const;
  Center center_;
  Scale scale_;
};

/// Like layer norm, but over sets of features × positions instead of the features of one position: for every
/// set Y = (X − mean)/s, s = √(variance + ε), biased variance; γ and β per feature. Batch norm: sets of one
/// feature and all positions. Group norm: a group of features and the positions of one sample. Derivative V ↦
/// γ ⊙ (V − mean V − Y mean(Y ⊙ V)) / s, exact with ε. For each set of N numbers it has N − 2 singular values
/// γ/s, one ε/s³ and one 0. Sets of one number have output and derivative 0. Cost O(1) per entry and column.
/// Sources: Ioffe & Szegedy 2015 (arXiv 1502.03167); Wu & He 2018 (arXiv 1803.08494); differentiated.
class SetStandardization final : public NormLayer {
 public:
  /// `set`: the shape of one set. ShapeError unless it divides the shape.
  SetStandardization(Shape shape, const NormSpec& spec, Shape set);
  /// The zero map (sets of one number) is homogeneous.
  bool positively_homogeneous() const override { return set_.size() == 1 && !spec_.bias; }

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  Shape set_;
};

/// Batch norm with fixed statistics: X ↦ γ ⊙ (X − m)/√(v + ε) + β per feature. Its derivative is diagonal.
class RunningNorm final : public NormLayer {
 public:
  RunningNorm(Shape shape, const NormSpec& spec);

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  Vector slope_;  ///< 1/√(v + ε), per feature
};

/// X ↦ γ ⊙ φ(α X) + β, φ = tanh (Zhu et al. 2025, arXiv 2503.10622) or erf. Derivative diag(γ α φ′(α X)).
class PointwiseNorm final : public NormLayer {
 public:
  PointwiseNorm(Shape shape, const NormSpec& spec, std::string_view activation)
      : NormLayer(shape, spec), activation_(activation) {}

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  Vector argument(const Vector& x) const;  ///< α x, finite if x is
  std::string activation_;
};

/// X ↦ X − 1 mean(X), the mean over the features of each position. Linear; its matrix is a symmetric
/// projector.
class MeanSubtraction final : public NormLayer {
 public:
  explicit MeanSubtraction(Shape shape) : NormLayer(shape, NormSpec::of("mean_subtraction")) {}

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
};

}  // namespace rezero
