#pragma once
/// Linear maps beyond the range of double.

#include "rezero/linalg/linear_map.h"

namespace rezero {

/// map · 2^exponent, where the norm of the map is moderate, so that its vectors neither overflow nor vanish.
/// A null map: nothing is known.
struct ScaledMap {
  LinearMapPtr map;
  std::int64_t exponent = 0;
};

}  // namespace rezero
