#pragma once
/// The sizes of a cell's stack: what its geometry says, as costs need it.

#include "rezero/analysis/cell.h"

namespace rezero::detail {

struct CellSize {
  Index n = 0;                ///< of the input: columns of J
  Index largest = 0;          ///< of the largest state: rows of J on its way
  Index blocks = 0;           ///< up to the last depth
  Index positions = 1;        ///< that share a pass through the weights
  Real matrices_at_work = 0;  ///< of J's size, beside J and its successor, while a block is at work
  Real weights = 0;           ///< bytes of a block's weights
  Real weights_at_work = 0;   ///< with what its maps make of them, while the block is at work
  Real kept_derivative = 0;   ///< bytes of a block's derivative that is kept
  Real flops_per_column = 0;  ///< of a layer's derivative on one column, the mean over layers
};
CellSize size_of(const Cell& cell);

}  // namespace rezero::detail
