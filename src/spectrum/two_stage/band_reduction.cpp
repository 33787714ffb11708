#include "spectrum/two_stage/band_reduction.h"

#include <algorithm>
#include <array>
#include <vector>

#include "linalg/octet.h"
#include "linalg/small_product.h"
#include "rezero/core/contract.h"
#include "rezero/parallel/for_each.h"
#include "spectrum/two_stage/panel_qr.h"

namespace rezero::detail {
namespace {

/// Rows × depth, packed in the order in which a product reads it: strips of strip_rows rows, each
/// column-major.
class Strips {
 public:
  Strips(Index rows, Index depth)
      : data_((rows + strip_rows - 1) / strip_rows * strip_rows * depth), depth_(depth) {}
  /// Row `row`, the first of a strip; columns are strip_rows apart.
  Real* at(Index row, Index column) { return data_.data() + row * depth_ + column * strip_rows; }

 private:
  Vector data_;
  Index depth_;
};

/// A sum over columns uses this number of partial sums for any number of threads, so that its bits do not
/// depend on them.
constexpr Index partial_sums = 4;

/// One reduction. Columns are divided into tiles, and tile t belongs to thread t mod workers in every phase:
/// a thread's own data is in its cache, and the cache of another thread may be far away.
class Reduction {
 public:
  Reduction(const Matrix& A, Index width, int workers)
      : rows_(std::max(A.rows(), A.cols())),
        columns_(std::min(A.rows(), A.cols())),
        height_(whole_octets(rows_)),
        width_(width),
        tile_(std::clamp<Index>(columns_ / (16 * width), 1, 192 / width) * width),
        workers_(std::clamp<Index>(columns_ / (2 * tile_), 1, workers)),
        column_(rows_, width),
        row_(columns_, width),
        left_(height_, 2 * width),
        right_(2 * width, columns_),
        sums_(partial_sums, Strips(height_, width)) {
    // Avoids a stride that is a power of two, with which the columns of a tile would collide in the cache.
    A_.resize(height_ % 64 == 0 ? height_ + octet_size : height_, columns_);
    if (A.rows() < A.cols())
      A_.topRows(rows_) = A.transpose();
    else
      A_.topRows(rows_) = A;
    A_.bottomRows(A_.rows() - rows_).setZero();
    band_.width = std::min(width, columns_ - 1);
    band_.entries = Matrix::Zero(band_.width + 1, columns_);
  }

  Band run() {
    for (Index k = 0; k < columns_; k += width_) step(k);
    return std::move(band_);
  }

 private:
  void step(Index k) {
    const Index w = std::min(width_, columns_ - k), right = k + w;
    column_.panel(rows_ - k, w) = A_.block(k, k, rows_ - k, w);
    column_.factor();
    for (Index c = 0; c < w; ++c)
      for (Index r = 0; r <= c; ++r) band_.at(k + r, k + c) = column_.R()(r, c);
    if (right == columns_) return;
    left_products(k, right);
    row_.factor();
    for (Index r = 0; r < w; ++r)
      for (Index c = 0; c <= r && right + c < columns_; ++c) band_.at(k + r, right + c) = row_.R()(c, r);
    right_products(right);
    add_up(right);
    update(right);
  }

  /// f(begin, count, t) for the tiles of the columns from `from` on.
  template <class F>
  void over_columns(Index from, const F& f) {
    for_each_index(workers_, static_cast<int>(workers_), [&](Index part) {
      for (Index t = from / tile_; t * tile_ < columns_; ++t) {
        const Index begin = std::max(from, t * tile_);
        if (t % workers_ == part) f(begin, std::min((t + 1) * tile_, columns_) - begin, t);
      }
    });
  }

  /// Y = Wᵀ A for the part to the right of the column panel, and the rows that become the row panel.
  void left_products(Index k, Index right) {
    const Index w = width_;
    auto panel = row_.panel(columns_ - right, w);
    const auto Wt = column_.W_transpose();
    const Matrix top = -column_.V().topRows(w);
    over_columns(right, [&](Index j, Index count, Index) {
      small_product({Wt.data(), Wt.outerStride(), &A_(k, j), 1, A_.outerStride(), rows_ - k}, w, count,
                    &right_(0, j), right_.outerStride());
      accumulate_product({top.data(), w, &right_(0, j), 1, right_.outerStride(), w}, w, count, &A_(k, j),
                         A_.outerStride());
      panel.middleRows(j - right, count) = A_.block(k, j, w, count).transpose();
    });
  }

  /// The partial sums of A W and Y W.
  void right_products(Index right) {
    const auto Wt = row_.W_transpose();
    const Index parts = std::min(workers_, partial_sums), bands = workers_ / parts;
    for_each_index(parts * bands, static_cast<int>(workers_), [&](Index part) {
      for (Index q = part % parts; q < partial_sums; q += parts)
        partial_sum(right, q, part / parts, bands, Wt.data(), Wt.outerStride());
    });
    YW_ = -(small_sums_[0] + small_sums_[1] + (small_sums_[2] + small_sums_[3]));
  }

  /// The tiles t ≡ q of the columns, the band-th of `bands` parts of the rows.
  void partial_sum(Index right, Index q, Index band, Index bands, const Real* Wt, Index stride) {
    const Index w = width_, strips = (height_ - right + strip_rows - 1) / strip_rows;
    const Index begin = strips * band / bands * strip_rows,
                end = std::min(strips * (band + 1) / bands * strip_rows, height_ - right);
    Strips& sum = sums_[static_cast<std::size_t>(q)];
    if (begin < end)
      std::fill(sum.at(begin, 0),
                sum.at(begin, 0) + (end - begin + strip_rows - 1) / strip_rows * strip_rows * w, 0.0);
    if (band == 0) small_sums_[static_cast<std::size_t>(q)] = Matrix::Zero(w, w);
    for (Index t = right / tile_; t * tile_ < columns_; ++t) {
      if (t % partial_sums != q) continue;
      const Index j = std::max(right, t * tile_), count = std::min((t + 1) * tile_, columns_) - j;
      const auto times_W = [&](const Real* left, Index left_stride) {
        return SmallProduct{left, left_stride, Wt + (j - right) * stride, stride, 1, count};
      };
      if (band == 0)
        accumulate_product(times_W(&right_(0, j), right_.outerStride()), w, w,
                           small_sums_[static_cast<std::size_t>(q)].data(), w);
      for (Index r = begin; r < end; r += strip_rows)
        accumulate_product(times_W(&A_(right + r, j), A_.outerStride()),
                           std::min(strip_rows, height_ - right - r), w, sum.at(r, 0), strip_rows);
    }
  }

  /// −V and −X, X = A W − V Y W.
  void add_up(Index right) {
    const Index w = width_, strips = (height_ - right + strip_rows - 1) / strip_rows;
    const auto V = column_.V();
    for_each_index(workers_, static_cast<int>(workers_), [&](Index part) {
      for (Index s = strips * part / workers_; s < strips * (part + 1) / workers_; ++s) {
        const Index r = s * strip_rows, rows = std::min(strip_rows, height_ - right - r);
        Real* const v = left_.at(r, 0);
        Real* const x = left_.at(r, w);
        const Index held = std::clamp<Index>(V.rows() - w - r, 0, strip_rows);
        for (Index c = 0; c < w; ++c) {
          const Real* from = V.data() + c * V.outerStride() + w + r;
          for (Index i = 0; i < held; ++i) v[c * strip_rows + i] = -from[i];
          for (Index i = held; i < strip_rows; ++i) v[c * strip_rows + i] = 0;
        }
        const Real* const sums[] = {sums_[0].at(r, 0), sums_[1].at(r, 0), sums_[2].at(r, 0),
                                    sums_[3].at(r, 0)};
        for (Index i = 0; i < w * strip_rows; ++i)
          x[i] = -((sums[0][i] + sums[1][i]) + (sums[2][i] + sums[3][i]));
        accumulate_product({v, strip_rows, YW_.data(), 1, w, w}, rows, w, x, strip_rows);
      }
    });
  }

  /// A ← A − V Y − X Uᵀ.
  void update(Index right) {
    const Index below = height_ - right;
    const auto U = row_.V();
    over_columns(right, [&](Index j, Index count, Index) {
      right_.block(width_, j, width_, count) = U.middleRows(j - right, count).transpose();
      for (Index c = j; c < j + count; c += strip_width)
        for (Index r = 0; r < below; r += strip_rows)
          accumulate_product({left_.at(r, 0), strip_rows, &right_(0, c), 1, right_.outerStride(), 2 * width_},
                             std::min(strip_rows, below - r), std::min(strip_width, j + count - c),
                             &A_(right + r, c), A_.outerStride());
    });
  }

  Matrix A_;
  Index rows_, columns_;
  Index height_;  ///< rows_, rounded up to whole octets with zero rows
  Index width_, tile_, workers_;
  PanelQr column_, row_;
  Strips left_;   ///< [−V −X]
  Matrix right_;  ///< [Y; Uᵀ]
  std::vector<Strips> sums_;
  std::array<Matrix, partial_sums> small_sums_;
  Matrix YW_;  ///< −Y W
  Band band_;
};

}  // namespace

Band reduce_to_band(const Matrix& A, Index width, int workers) {
  REZERO_REQUIRE(A.size() > 0 && width > 0 && width % octet_size == 0);
  return Reduction(A, width, workers).run();
}

}  // namespace rezero::detail
