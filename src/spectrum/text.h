#pragma once
/// Numbers in messages.

#include <cstdio>
#include <string>

#include "rezero/core/types.h"

namespace rezero::detail {

inline std::string text(Real x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", x);
  return buffer;
}

}  // namespace rezero::detail
