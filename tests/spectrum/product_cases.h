#pragma once
/// Chains of factors for tests.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "rezero/linalg/maps.h"
#include "rezero/random/sample.h"
#include "rezero/spectrum/product.h"
#include "spectrum/matrices.h"

namespace rezero::testing {

inline ScaledMap map_of(const Matrix& A, std::int64_t exponent = 0) {
  return {dense_map(std::make_shared<const Matrix>(A)), exponent};
}

/// A, with a rank known from its structure.
class KnownRank final : public LinearMap {
 public:
  KnownRank(LinearMapPtr A, Index rank) : A_(std::move(A)), rank_(rank) {}
  Index rows() const override { return A_->rows(); }
  Index cols() const override { return A_->cols(); }
  Real flops_per_column() const override { return A_->flops_per_column(); }
  Index rank_bound() const override { return rank_; }

 private:
  void do_apply(ConstColumns v, Columns out) const override { A_->apply(v, out); }
  void do_apply_transpose(ConstColumns u, Columns out) const override { A_->apply_transpose(u, out); }
  LinearMapPtr A_;
  Index rank_;
};

/// rank: the known rank of the factors.
inline FactorSource factors_of(const std::vector<Matrix>& matrices, std::optional<Index> rank = {}) {
  std::vector<ScaledMap> maps;
  for (const Matrix& A : matrices) {
    maps.push_back(map_of(A));
    if (rank) maps.back().map = std::make_shared<KnownRank>(maps.back().map, *rank);
  }
  return {static_cast<Index>(maps.size()), [maps](Index l) { return maps[static_cast<std::size_t>(l)]; }};
}

inline Matrix identity(Index n) {
  return Matrix::Identity(n, n);
}

/// Entries N(0, 1/cols); a different matrix for each pair of `l` and `role`.
inline Matrix gaussian(Index rows, Index cols, int l, int role = 0) {
  const StreamKey key{7, static_cast<std::uint32_t>(role), static_cast<std::uint32_t>(l)};
  return normal_matrix(rows, cols, key) / std::sqrt(static_cast<Real>(cols));
}

/// f(0) … f(length − 1).
template <class F>
std::vector<Matrix> chain(int length, F&& f) {
  std::vector<Matrix> factors;
  for (int l = 0; l < length; ++l) factors.push_back(f(l));
  return factors;
}

/// |a/b − 1| of two values beyond the range of double.
inline Real relative_error(const ScaledReal& a, const ScaledReal& b) {
  const auto apart =
      static_cast<int>(std::max<std::int64_t>(-900, std::min<std::int64_t>(a.exponent - b.exponent, 900)));
  return std::abs(std::ldexp(a.mantissa / b.mantissa, apart) - 1);
}

inline Real log_product(const ProductValues& values) {
  Real sum = 0;
  for (Index i = 0; i < values.rank; ++i) sum += values.sigma[static_cast<std::size_t>(i)].log();
  return sum;
}

}  // namespace rezero::testing
