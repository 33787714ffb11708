#include <algorithm>
#include <cmath>
#include <limits>

#include "spectrum/dense/bidiagonal.h"
#include "spectrum/text.h"

namespace rezero::detail {

Index count_below(const Bidiagonal& B, Real x) {
  const Index n = B.diagonal.size();
  Index negative = 1;  // the first pivot is −x
  Real pivot = -x;
  for (Index k = 1; k < 2 * n; ++k) {
    const Real b = k % 2 == 1 ? B.diagonal[k / 2] : B.superdiagonal[k / 2 - 1];
    if (pivot == 0)
      pivot = -std::numeric_limits<Real>::min();  // either sign is valid: some B within an ulp has it
    pivot = -x - (b / pivot) * b;
    negative += pivot < 0;
  }
  return negative - n;  // the n values −σ are below x too
}

std::string sturm_certificate(const Bidiagonal& B, const Vector& sigma) {
  constexpr Index samples = 16;
  const Index n = sigma.size();
  const Real slack = 8 * static_cast<Real>(n + 4) * std::numeric_limits<Real>::epsilon();
  const Real floor = std::ldexp(sigma[0], -470);
  for (Index j = 0; j < std::min(samples, n); ++j) {
    const Index i = n <= samples ? j : j * (n - 1) / (samples - 1);
    const Real above = std::max(sigma[i] * (1 + slack), floor), below = sigma[i] * (1 - slack);
    // Descending: n − i values are at or below sigma[i], and at most n − i − 1 can be well below it.
    const bool enough = above == 0 || count_below(B, above) >= n - i;
    const bool not_more = below <= floor || count_below(B, below) <= n - 1 - i;
    if (!enough || !not_more)
      return "Sturm count of the bidiagonal contradicts value " + std::to_string(i) + " (" + text(sigma[i]) +
             ")";
  }
  return {};
}

}  // namespace rezero::detail
