#pragma once
/// The sizes of a stack, from its geometry, in the form that costs need.

#include "rezero/model/geometry.h"

namespace rezero::detail {

struct CellSize {
  Index n = 0;                ///< of the input: columns of J
  Index largest = 0;          ///< of the largest state, the rows of J on its way
  Index blocks = 0;           ///< up to the last depth
  Index positions = 1;        ///< positions that share a pass through the weights
  Real matrices_at_work = 0;  ///< of J's size, besides J and its successor, while a block is processed
  Real weights = 0;           ///< bytes of a block's weights
  Real weights_at_work = 0;   ///< with the copies that its maps make, while the block is processed
  Real kept_derivative = 0;   ///< bytes of a stored block derivative
  Real flops_per_column = 0;  ///< of a layer's derivative, averaged over layers
};
CellSize size_of(const Geometry& geometry, Index depth);

}  // namespace rezero::detail
