#pragma once
/// The derivative of softmax attention as a map on blocks of tangents.

#include <vector>

#include "rezero/linalg/linear_map.h"

namespace rezero {

/// One head within one sequence: probabilities and operands at the point of linearization.
struct AttentionHead {
  Index query_row, key_row;  ///< first row of its slice of Q, and of K and V
  Index first;               ///< first position of its sequence
  Matrix P;                  ///< T × T, column i the distribution of query i: P(j, i)
};

struct AttentionMapParts {
  Index features, query_rows, key_rows, head_width, positions,
      length;  ///< length: T, positions of a sequence
  Real scale;
  bool causal;     ///< P(j, i) = 0 for j > i
  Matrix Q, K, V;  ///< rows × positions
  std::vector<AttentionHead> heads;
  LinearMapPtr query, key, value;  ///< derivatives of Q, K, V with respect to X
};

LinearMapPtr attention_map(AttentionMapParts parts);

}  // namespace rezero
