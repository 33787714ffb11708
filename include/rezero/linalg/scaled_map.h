#pragma once
/// Linear maps beyond the range of double.

#include "rezero/linalg/linear_map.h"

namespace rezero {

/// map · 2^exponent, the map's norm moderate: its vectors neither overflow nor vanish. No map: nothing known.
struct ScaledMap {
  LinearMapPtr map;
  std::int64_t exponent = 0;
};

}  // namespace rezero
