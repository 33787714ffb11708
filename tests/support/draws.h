#pragma once
/// Small random inputs for tests: addressed draws, so that every test has its own, and the same every time.

#include <cstring>
#include <memory>

#include "rezero/linalg/maps.h"
#include "rezero/random/sample.h"

namespace rezero::testing {

/// Standard normal entries; `id` picks the stream.
inline Matrix normal(Index rows, Index cols, std::uint32_t id) {
  return normal_matrix(rows, cols, {0x7e57, 0, id});
}
inline Vector normal(Index size, std::uint32_t id) {
  return normal_vector(size, {0x7e57, 0, id});
}

inline MatrixPtr share(Matrix W) {
  return std::make_shared<const Matrix>(std::move(W));
}
inline std::shared_ptr<const Vector> share(Vector b) {
  return std::make_shared<const Vector>(std::move(b));
}

/// Same shape and same bytes: distinguishes 0 from −0 and one NaN from another.
inline bool same_bytes(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(Real)) == 0;
}

/// max |a − b| / max |b| (absolute when b is zero); infinity when shapes differ or an entry is not finite.
inline Real relative_distance(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols() || !a.allFinite() || !b.allFinite())
    return std::numeric_limits<Real>::infinity();
  if (a.size() == 0) return 0;
  const Real size = b.cwiseAbs().maxCoeff(), distance = (a - b).cwiseAbs().maxCoeff();
  return size == 0 ? distance : distance / size;
}

}  // namespace rezero::testing
