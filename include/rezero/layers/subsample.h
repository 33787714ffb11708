#pragma once
/// The parameter-free shortcut between two stages of a residual net.

#include "rezero/layers/conv.h"

namespace rezero {

/// X (features × positions) ↦ every stride-th row and column of each image, with zeros in the channels beyond
/// those of X. Linear: at most one non-zero per row and column of its matrix. Needs features ≤ outputs. Cost:
/// one copy. Source: He et al. 2016 (arXiv 1512.03385), section 3.3, option A.
class Subsample final : public Layer {
 public:
  Subsample(Index features, Index outputs, ImageSpec image, Index stride);
  Shape input_shape() const override { return {features_, image_.positions()}; }
  Shape output_shape() const override { return {outputs_, output_.positions()}; }
  bool positively_homogeneous() const override { return true; }
  bool piecewise_linear() const override { return true; }
  bool drops_inputs() const override { return true; }

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  Index source(Index position) const;  ///< input position of an output position

  Index features_, outputs_, stride_;
  ImageSpec image_, output_;
};

}  // namespace rezero
