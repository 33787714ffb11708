#pragma once
/// Scalar and shape types used by every module.

#include <Eigen/Core>
#include <cstdint>

#include "rezero/core/ieee.h"

namespace rezero {

using Real = double;
using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// A block of directions, one per column: n × k, column-major, unit inner stride.
using ConstColumns = Eigen::Ref<const Matrix>;
using Columns = Eigen::Ref<Matrix>;

/// The state of a stack: features × positions, column-major, flattened to size() numbers.
struct Shape {
  Index features = 0;
  Index positions = 1;

  Index size() const { return features * positions; }
  friend bool operator==(const Shape& a, const Shape& b) {
    return a.features == b.features && a.positions == b.positions;
  }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }
};

}  // namespace rezero
