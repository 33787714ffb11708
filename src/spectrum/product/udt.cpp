#include "spectrum/product/udt.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "linalg/matrix_product.h"
#include "linalg/transposed_copy.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/parallel/for_each.h"

namespace rezero::detail {
namespace {

/// As frexp has it.
int exponent_of(Real x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  if (biased != 0) return biased - 1022;
  int exponent = 0;
  std::frexp(x, &exponent);  // subnormal
  return exponent;
}

/// f(first column, count) for some columns at a time.
template <class F>
void for_columns(Index columns, int workers, const F& f) {
  constexpr Index at_a_time = 32;
  for_each_index((columns + at_a_time - 1) / at_a_time, workers, [&](Index i) {
    const Index first = i * at_a_time;
    f(first, std::min(at_a_time, columns - first));
  });
}

/// R diag(2^e) transposed: column i in units of 2^(its exponent), the largest entry in [1/2, 1).
ScaledColumns scaled_rows(const OrderedQr& qr, const std::vector<std::int64_t>& e, int workers) {
  ScaledColumns rows{Matrix(qr.R.cols(), qr.R.rows()),
                     std::vector<std::int64_t>(static_cast<std::size_t>(qr.R.rows()))};
  const auto scale = [&](Index i) {
    Real* entries = rows.columns.col(i).data();
    const Index first = qr.kept[static_cast<std::size_t>(i)], last = rows.columns.rows();
    std::int64_t largest = std::numeric_limits<std::int64_t>::min();
    for (Index j = first; j < last; ++j)
      if (entries[j] != 0)
        largest = std::max(largest, e[static_cast<std::size_t>(j)] + exponent_of(entries[j]));
    for (Index j = first; j < last; ++j)  // by at most −exponent of the entry
      entries[j] = shifted(entries[j], e[static_cast<std::size_t>(j)] - largest);
    rows.exponents[static_cast<std::size_t>(i)] = largest;
  };
  for_columns(rows.count(), workers, [&](Index first, Index count) {
    transposed_copy(qr.R.middleRows(first, count), rows.columns.middleCols(first, count));
    for (Index i = first; i < first + count; ++i) scale(i);
  });
  return rows;
}

void normalize(ScaledColumns& rows, int workers) {
  for_columns(rows.count(), workers, [&](Index first, Index count) {
    for (Index i = first; i < first + count; ++i) {
      const int shift = exponent_of(max_abs(rows.columns.col(i)));
      if (shift == 0) continue;
      rows.columns.col(i) *= std::ldexp(1.0, -shift);
      rows.exponents[static_cast<std::size_t>(i)] += shift;
    }
  });
}

}  // namespace

Udt::Udt(Index size)
    : rows_{Matrix::Identity(size, size), std::vector<std::int64_t>(static_cast<std::size_t>(size))},
      first_(static_cast<std::size_t>(size)) {
  std::iota(first_.begin(), first_.end(), Index{0});
}

std::vector<Index> Udt::descending(const Matrix& M) const {
  std::vector<Index> order(static_cast<std::size_t>(M.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<std::int64_t> size;
  for (Index j = 0; j < M.cols(); ++j) {
    const Real norm = M.col(j).norm();
    const std::int64_t e = rows_.exponents[static_cast<std::size_t>(j)];
    size.push_back(norm == 0 ? std::numeric_limits<std::int64_t>::min() : e + exponent_of(norm));
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return size[static_cast<std::size_t>(a)] > size[static_cast<std::size_t>(b)];
  });
  return order;
}

void Udt::reorder(const std::vector<Index>& order) {
  if (std::is_sorted(order.begin(), order.end())) return;
  ScaledColumns sorted{Matrix(rows_.columns(Eigen::all, order)), {}};
  std::vector<Index> first;
  for (const Index j : order) {
    sorted.exponents.push_back(rows_.exponents[static_cast<std::size_t>(j)]);
    first.push_back(first_[static_cast<std::size_t>(j)]);
  }
  rows_ = std::move(sorted);
  first_ = std::move(first);
  identity_ = false;
}

void Udt::multiply(const OrderedQr& qr, std::int64_t exponent, int workers) {
  ScaledColumns X = scaled_rows(qr, rows_.exponents, workers);
  for (std::int64_t& e : X.exponents) e += exponent;
  // Row i of the new T has no entry before the first of any of the old rows from kept[i] on.
  std::vector<Index> first;
  for (std::size_t i = first_.size(); i-- > 1;) first_[i - 1] = std::min(first_[i - 1], first_[i]);
  for (const Index j : qr.kept) first.push_back(first_[static_cast<std::size_t>(j)]);
  if (identity_) {
    rows_ = std::move(X);
  } else {
    constexpr Index width = 64;
    Matrix product = Matrix::Zero(rows_.columns.rows(), X.count());
    for (Index i = 0; i < X.count(); i += width) {
      const Index count = std::min(width, X.count() - i), left = qr.kept[static_cast<std::size_t>(i)],
                  top = first[static_cast<std::size_t>(i)], depth = X.columns.rows() - left;
      rezero::multiply(rows_.columns.bottomRightCorner(product.rows() - top, depth),
                       X.columns.block(left, i, depth, count),
                       product.block(top, i, product.rows() - top, count), workers);
    }
    rows_ = {std::move(product), std::move(X.exponents)};
  }
  first_ = std::move(first);
  identity_ = false;
  normalize(rows_, workers);
  if (qr.R.rows() != qr.R.cols() || qr.Q.rows() != qr.Q.cols()) square_ = false;
  for (Index i = 0; i < qr.R.rows(); ++i) {
    const ScaledReal pivot =
        ScaledReal::make(std::abs(qr.R(i, qr.kept[static_cast<std::size_t>(i)])), exponent);
    volume_ = volume_ * pivot;
  }
}

}  // namespace rezero::detail
