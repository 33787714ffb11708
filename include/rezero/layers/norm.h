#pragma once
/// Normalizations and the like: what can stand before a branch, after it, or after the sum.

#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/registry.h"
#include "rezero/layers/layer.h"

namespace rezero {

struct NormSpec;

/// One row of the table of norms.
struct NormKind {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view formula;
  std::string_view source;
  LayerPtr (*make)(const NormSpec&, Shape);
};

const Registry<NormKind>& norms();

/// A norm to be built at some place of a block; kind null: none.
struct NormSpec {
  const NormKind* kind = nullptr;

  explicit operator bool() const { return kind != nullptr; }
  LayerPtr layer(Shape shape) const { return kind->make(*this, shape); }
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
