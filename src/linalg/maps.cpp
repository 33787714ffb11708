/// The algebra of maps: small classes in one file, because each must respect the others' rules (block
/// structure, dense forms, condensing).
#include "rezero/linalg/maps.h"

#include <limits>
#include <optional>

#include "linalg/matrix_product.h"
#include "linalg/octet.h"
#include "linalg/scratch.h"
#include "rezero/core/contract.h"
#include "rezero/parallel/parts.h"

namespace rezero {

using detail::Scratch;

namespace {

constexpr Index unbounded = std::numeric_limits<Index>::max();  // a rank bound without information

/// The number of rows with a non-zero entry, or of such columns if that is smaller.
Index nonzero_lines(const Matrix& W) {
  Index columns = 0, rows = 0;
  std::vector<char> used(static_cast<std::size_t>(W.rows()), 0);
  for (Index j = 0; j < W.cols(); ++j) {
    const Real* column = W.col(j).data();
    const bool rows_are_known = rows == W.rows();
    if (std::any_of(column, column + W.rows(), [](Real x) { return x != 0; })) ++columns;
    for (Index i = 0; i < W.rows() && !rows_are_known; ++i) {
      char& seen = used[static_cast<std::size_t>(i)];
      if (seen != 0 || column[i] == 0) continue;
      seen = 1;
      ++rows;
    }
  }
  return std::min(columns, rows);
}

class Identity final : public LinearMap {
 public:
  explicit Identity(Index size) : size_(size) {}
  Index rows() const override { return size_; }
  Index cols() const override { return size_; }
  Real flops_per_column() const override { return 0; }

 private:
  void do_apply(ConstColumns v, Columns out) const override { out = v; }
  void do_apply_transpose(ConstColumns u, Columns out) const override { out = u; }
  bool do_apply_in_place(Index, Index, Columns) const override { return true; }
  Index size_;
};

class Diagonal final : public LinearMap {
 public:
  Diagonal(Vector d, Index positions) : d_(std::move(d)), positions_(positions) {
    REZERO_REQUIRE(d_.size() % positions_ == 0);
  }
  Index rows() const override { return d_.size(); }
  Index cols() const override { return d_.size(); }
  Real flops_per_column() const override { return static_cast<Real>(d_.size()); }
  Index local_positions() const override { return positions_; }
  Index rank_bound() const override { return (d_.array() != 0).count(); }

  /// The indices of non-zero entries.
  std::vector<Index> support() const {
    std::vector<Index> indices;
    for (Index i = 0; i < d_.size(); ++i)
      if (d_(i) != 0) indices.push_back(i);
    return indices;
  }
  /// diag(d) restricted to these indices.
  LinearMapPtr restricted(const std::vector<Index>& indices) const { return diagonal_map(d_(indices)); }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    for (Index j = 0; j < v.cols(); ++j) out.col(j) = d_.cwiseProduct(v.col(j));
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override { do_apply(u, out); }
  void do_apply_at(Index t, ConstColumns v, Columns out) const override {
    const Index size = d_.size() / positions_;
    for (Index j = 0; j < v.cols(); ++j) out.col(j) = d_.segment(t * size, size).cwiseProduct(v.col(j));
  }
  void do_apply_transpose_at(Index t, ConstColumns u, Columns out) const override { do_apply_at(t, u, out); }
  bool do_apply_in_place(Index t, Index positions, Columns v) const override {
    const Index size = d_.size() / positions;
    REZERO_REQUIRE(v.rows() == size);
    for (Index j = 0; j < v.cols(); ++j) v.col(j).array() *= d_.segment(t * size, size).array();
    return true;
  }
  LinearMapPtr do_in_other_rounding(SimulatedRounding& rounding) const override {
    return diagonal_map(rounding(d_), positions_);
  }
  Vector d_;
  Index positions_;
};

/// One matrix per position.
class BlockDiagonal final : public LinearMap {
 public:
  BlockDiagonal(std::vector<Matrix> blocks, Index rank_bound)
      : blocks_(std::move(blocks)), rank_bound_(rank_bound) {
    for (const Matrix& M : blocks_)
      REZERO_REQUIRE(M.rows() == blocks_.front().rows() && M.cols() == blocks_.front().cols());
  }
  Index rows() const override { return blocks_.front().rows() * local_positions(); }
  Index cols() const override { return blocks_.front().cols() * local_positions(); }
  Real flops_per_column() const override {
    return 2 * static_cast<Real>(blocks_.front().size()) * static_cast<Real>(blocks_.size());
  }
  Index local_positions() const override { return static_cast<Index>(blocks_.size()); }
  Index rank_bound() const override { return std::min({rows(), cols(), rank_bound_}); }
  Real dense_flops() const override { return 0; }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    const Index in = blocks_.front().cols(), size = blocks_.front().rows();
    for (Index t = 0; t < local_positions(); ++t)
      do_apply_at(t, v.middleRows(t * in, in), out.middleRows(t * size, size));
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    const Index in = blocks_.front().cols(), size = blocks_.front().rows();
    for (Index t = 0; t < local_positions(); ++t)
      do_apply_transpose_at(t, u.middleRows(t * size, size), out.middleRows(t * in, in));
  }
  void do_apply_at(Index t, ConstColumns v, Columns out) const override { multiply(at(t), v, out); }
  void do_apply_transpose_at(Index t, ConstColumns u, Columns out) const override {
    multiply_transposed(at(t), u, out);
  }
  Matrix do_block(Index t) const override { return at(t); }
  const Matrix& at(Index t) const { return blocks_[static_cast<std::size_t>(t)]; }
  std::vector<Matrix> blocks_;
  Index rank_bound_;
};

/// (I ⊗ W): a block of k columns with positions · width rows is, in column-major order, one matrix with
/// k·positions columns.
class Positionwise final : public LinearMap {
 public:
  /// rank_bound: for a computed W, whose zeros may be rounding. Absent: W is given, and its zeros are exact.
  Positionwise(MatrixPtr W, Index positions, std::optional<Index> rank_bound = {})
      : W_(std::move(W)), positions_(positions), rank_bound_(rank_bound) {}
  Index rows() const override { return W_->rows() * positions_; }
  Index cols() const override { return W_->cols() * positions_; }
  Real flops_per_column() const override {
    return 2 * static_cast<Real>(W_->rows()) * static_cast<Real>(W_->cols()) * static_cast<Real>(positions_);
  }
  Index local_positions() const override { return positions_; }
  Index rank_bound() const override {
    return rank_bound_ ? std::min({rows(), cols(), *rank_bound_}) : nonzero_lines(*W_) * positions_;
  }
  Real dense_flops() const override { return 0; }
  /// Of one position: some rows or columns of W.
  LinearMapPtr rows_of(const std::vector<Index>& indices) const { return part((*W_)(indices, Eigen::all)); }
  LinearMapPtr columns_of(const std::vector<Index>& indices) const {
    return part((*W_)(Eigen::all, indices));
  }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    if (positions_ == 1 && v.cols() == 1)
      in_rows(v, out);
    else if (positions_ == 1)
      multiply(*W_, v, out);
    else
      in_parts(fold(v, W_->cols()), fold(out, W_->rows()), v.cols(),
               [&](const auto& in, auto&& to) { multiply(*W_, in, to); });
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    if (positions_ == 1 && u.cols() == 1)
      out.noalias() = W_->transpose() * u.col(0);  // as in the other direction
    else if (positions_ == 1)
      multiply_transposed(*W_, u, out);
    else
      in_parts(fold(u, W_->rows()), fold(out, W_->cols()), u.cols(),
               [&](const auto& in, auto&& to) { multiply_transposed(*W_, in, to); });
  }
  void do_apply_at(Index, ConstColumns v, Columns out) const override { multiply(*W_, v, out); }
  void do_apply_transpose_at(Index, ConstColumns u, Columns out) const override {
    multiply_transposed(*W_, u, out);
  }
  Matrix do_block(Index) const override { return *W_; }
  LinearMapPtr part(Matrix W) const {
    return std::make_shared<Positionwise>(std::make_shared<const Matrix>(std::move(W)), 1, rank_bound_);
  }
  /// A single column of a large matrix is split by octets of rows.
  void in_rows(const ConstColumns& v, Columns& out) const {
    constexpr Index least = 65536;  // numbers worth starting a thread for
    const Index rows = W_->rows(), octets = rows / detail::octet_size,
                parts = part_count(octets, least / (detail::octet_size * (W_->cols() + 1)) + 1);
    for_each_part(parts, [&](Index i) {
      const Index start = part_start(octets, parts, i) * detail::octet_size,
                  end = i + 1 == parts ? rows : part_start(octets, parts, i + 1) * detail::octet_size;
      out.middleRows(start, end - start).noalias() = W_->middleRows(start, end - start) * v.col(0);
    });
  }
  /// A single column is split here because no caller splits it. Several columns belong to a panel that
  /// already has its own thread.
  template <class Multiply>
  static void in_parts(Eigen::Map<const Matrix> in, Eigen::Map<Matrix> out, Index columns,
                       Multiply&& multiply) {
    constexpr Index least = 64;  // positions worth starting a thread for
    const Index positions = in.cols(), parts = columns == 1 ? part_count(positions, least) : 1;
    if (parts == 1) return multiply(in, out);
    for_each_part(parts, [&](Index i) {
      const Index start = part_start(positions, parts, i), end = part_start(positions, parts, i + 1);
      multiply(in.middleCols(start, end - start), out.middleCols(start, end - start));
    });
  }
  Eigen::Map<const Matrix> fold(const ConstColumns& v, Index width) const {
    REZERO_REQUIRE(v.outerStride() == v.rows() || v.cols() == 1);
    return {v.data(), width, positions_ * v.cols()};
  }
  Eigen::Map<Matrix> fold(Columns& v, Index width) const {
    REZERO_REQUIRE(v.outerStride() == v.rows() || v.cols() == 1);
    return {v.data(), width, positions_ * v.cols()};
  }
  MatrixPtr W_;
  Index positions_;
  std::optional<Index> rank_bound_;
};

class Sum final : public LinearMap {
 public:
  Sum(LinearMapPtr A, LinearMapPtr B) : A_(std::move(A)), B_(std::move(B)) {
    REZERO_REQUIRE(A_->rows() == B_->rows() && A_->cols() == B_->cols());
  }
  Index rows() const override { return A_->rows(); }
  Index cols() const override { return A_->cols(); }
  Real flops_per_column() const override {
    return A_->flops_per_column() + B_->flops_per_column() + static_cast<Real>(rows());
  }
  Index local_positions() const override {
    return A_->local_positions() == B_->local_positions() ? A_->local_positions() : 1;
  }
  Index rank_bound() const override {
    return std::min({rows(), cols(), A_->rank_bound() + B_->rank_bound()});
  }
  Real dense_flops() const override { return A_->dense_flops() + B_->dense_flops(); }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    const Scratch second(rows(), v.cols());
    A_->apply(v, out);
    B_->apply(v, second.matrix());
    out += second.matrix();
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    Matrix second(cols(), u.cols());
    A_->apply_transpose(u, out);
    B_->apply_transpose(u, second);
    out += second;
  }
  void do_apply_at(Index t, ConstColumns v, Columns out) const override {
    if (local_positions() == 1) return do_apply(v, out);
    Matrix second(out.rows(), v.cols());
    A_->apply_at(t, v, out);
    B_->apply_at(t, v, second);
    out += second;
  }
  void do_apply_transpose_at(Index t, ConstColumns u, Columns out) const override {
    if (local_positions() == 1) return do_apply_transpose(u, out);
    Matrix second(out.rows(), u.cols());
    A_->apply_transpose_at(t, u, out);
    B_->apply_transpose_at(t, u, second);
    out += second;
  }
  Matrix do_block(Index t) const override {
    if (local_positions() > 1) return A_->block(t) + B_->block(t);
    return to_dense(*A_) + to_dense(*B_);
  }
  LinearMapPtr do_condense_parts(Index columns) const override {
    return sum_map(condense(A_, columns), condense(B_, columns));
  }
  LinearMapPtr do_in_other_rounding(SimulatedRounding& rounding) const override {
    const LinearMapPtr A = in_other_rounding(A_, rounding);
    return sum_map(A, in_other_rounding(B_, rounding));
  }
  LinearMapPtr A_, B_;
};

class Product final : public LinearMap {
 public:
  /// At least two factors.
  explicit Product(std::vector<LinearMapPtr> factors) : factors_(std::move(factors)) {
    positions_ = factors_.front()->local_positions();
    for (std::size_t i = 1; i < factors_.size(); ++i) {
      REZERO_REQUIRE(factors_[i]->cols() == factors_[i - 1]->rows());
      if (factors_[i]->local_positions() != positions_) positions_ = 1;
    }
    for (std::size_t i = factors_.size(); i-- > 0;)
      if (factors_[i]->dense_flops() == 0) known_ = i;
  }
  Index rows() const override { return factors_.back()->rows(); }
  Index cols() const override { return factors_.front()->cols(); }
  Real flops_per_column() const override {
    Real total = 0;
    for (const LinearMapPtr& factor : factors_) total += factor->flops_per_column();
    return total;
  }
  Index local_positions() const override { return positions_; }
  Index rank_bound() const override {
    Index least = std::min(rows(), cols());
    for (const LinearMapPtr& factor : factors_) least = std::min(least, factor->rank_bound());
    return least;
  }
  Real dense_flops() const override {
    const auto blocks = static_cast<Real>(positions_);
    Real total = factors_[known_]->dense_flops();
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      const Index width = i < known_ ? rows() : factors_[known_]->cols();
      if (i != known_) total += factors_[i]->flops_per_column() * static_cast<Real>(width) / blocks;
    }
    return total;
  }

 private:
  using ApplyFactor = void (*)(const LinearMap&, Index, ConstColumns, Columns);

  void do_apply(ConstColumns v, Columns out) const override {
    forward(
        v, out, factors_.size(),
        [](const LinearMap& f, Index, ConstColumns in, Columns to) { f.apply(in, to); }, 0, 1);
  }
  void do_apply_at(Index t, ConstColumns v, Columns out) const override {
    if (positions_ == 1) return do_apply(v, out);
    forward(
        v, out, factors_.size(),
        [](const LinearMap& f, Index at, ConstColumns in, Columns to) { f.apply_at(at, in, to); }, t,
        positions_);
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    backward(
        u, out, [](const LinearMap& f, Index, ConstColumns in, Columns to) { f.apply_transpose(in, to); }, 0,
        1);
  }
  void do_apply_transpose_at(Index t, ConstColumns u, Columns out) const override {
    if (positions_ == 1) return do_apply_transpose(u, out);
    backward(
        u, out,
        [](const LinearMap& f, Index at, ConstColumns in, Columns to) { f.apply_transpose_at(at, in, to); },
        t, positions_);
  }

  void forward(ConstColumns v, Columns out, std::size_t end, ApplyFactor factor, Index t,
               Index positions) const {
    // Results of factors alternate between two buffers; the first factor reads v itself.
    Index largest = 0;
    for (std::size_t i = 0; i + 1 < end; ++i) largest = std::max(largest, factors_[i]->rows() / positions);
    const Scratch first(largest, v.cols()), second(largest, v.cols());
    Real *from = first.matrix().data(), *to = second.matrix().data();
    Index rows = 0;  // of the last result
    for (std::size_t i = 0; i + 1 < end; ++i) {
      const Eigen::Map<Matrix> now(from, rows, v.cols());
      if (i > 0 && factors_[i]->apply_in_place(t, positions, now)) continue;
      const Index count = factors_[i]->rows() / positions;
      Eigen::Map<Matrix> next(to, count, v.cols());
      if (i == 0)
        factor(*factors_[i], t, v, next);
      else
        factor(*factors_[i], t, now, next);
      std::swap(from, to);
      rows = count;
    }
    factor(*factors_[end - 1], t, Eigen::Map<Matrix>(from, rows, v.cols()), out);
  }
  void backward(ConstColumns u, Columns out, ApplyFactor factor, Index t, Index positions) const {
    Matrix now;
    for (std::size_t i = factors_.size(); --i > 0;) {
      if (i + 1 < factors_.size() && factors_[i]->apply_in_place(t, positions, now)) continue;
      Matrix next(factors_[i]->cols() / positions, u.cols());
      if (i + 1 == factors_.size())
        factor(*factors_[i], t, u, next);
      else
        factor(*factors_[i], t, now, next);
      now.swap(next);
    }
    factor(*factors_.front(), t, now, out);
  }

  /// Starts from the first factor whose matrix is known; applies the later ones to its columns and the
  /// transposed earlier ones to its rows.
  Matrix do_block(Index t) const override {
    if (const LinearMapPtr less = without_masked()) return to_dense(*less);
    Matrix now = positions_ > 1 ? factors_[known_]->block(t) : to_dense(*factors_[known_]);
    for (std::size_t i = known_ + 1; i < factors_.size(); ++i) {
      Matrix next(factors_[i]->rows() / positions_, now.cols());
      positions_ > 1 ? factors_[i]->apply_at(t, now, next) : factors_[i]->apply(now, next);
      now.swap(next);
    }
    if (known_ == 0) return now;
    Matrix transposed = now.transpose();
    for (std::size_t i = known_; i-- > 0;) {
      Matrix next(factors_[i]->cols() / positions_, transposed.cols());
      positions_ > 1 ? factors_[i]->apply_transpose_at(t, transposed, next)
                     : factors_[i]->apply_transpose(transposed, next);
      transposed.swap(next);
    }
    return transposed.transpose();
  }
  LinearMapPtr do_condense_parts(Index columns) const override {
    constexpr Index few = 32;  // not worth a copy of the weights
    const LinearMapPtr less = columns > few ? without_masked() : nullptr;
    std::vector<LinearMapPtr> factors;
    for (const LinearMapPtr& factor : less ? static_cast<const Product&>(*less).factors_ : factors_)
      factors.push_back(condense(factor, columns));
    return product_map(std::move(factors));
  }
  static const Positionwise* as_matrix(const LinearMapPtr& map) {
    return map->local_positions() == 1 ? dynamic_cast<const Positionwise*>(map.get()) : nullptr;
  }
  /// W₂ diag(d) W₁ over the non-zero entries of d alone: a mask of relu halves both matrices. Only zeros
  /// leave the sums: results differ by rounding at most, where sums run in several lanes. Null: few zeros, or
  /// no matrix next to them.
  LinearMapPtr without_masked() const {
    if (positions_ > 1) return nullptr;
    std::vector<LinearMapPtr> factors = factors_;
    bool changed = false;
    for (std::size_t i = factors.size(); i-- > 0;) {
      const auto* const mask = dynamic_cast<const Diagonal*>(factors[i].get());
      if (!mask) continue;
      const std::vector<Index> kept = mask->support();
      if (kept.empty() || 8 * static_cast<Index>(kept.size()) > 7 * mask->cols()) continue;
      const Positionwise* const before = i > 0 ? as_matrix(factors[i - 1]) : nullptr;
      const Positionwise* const after = i + 1 < factors.size() ? as_matrix(factors[i + 1]) : nullptr;
      if (!before && !after) continue;
      const LinearMapPtr selection = gather_map(mask->cols(), kept);
      const LinearMapPtr narrow = mask->restricted(kept);
      const auto at = factors.begin() + static_cast<std::ptrdiff_t>(i);
      if (after)
        at[1] = after->columns_of(kept);
      else
        factors.insert(at + 1, transpose_map(selection));
      factors[i] = narrow;
      if (before)
        factors[i - 1] = before->rows_of(kept);
      else
        factors.insert(factors.begin() + static_cast<std::ptrdiff_t>(i), selection);
      changed = true;
    }
    return changed ? product_map(std::move(factors)) : nullptr;
  }
  LinearMapPtr do_in_other_rounding(SimulatedRounding& rounding) const override {
    std::vector<LinearMapPtr> factors;
    for (const LinearMapPtr& factor : factors_) factors.push_back(in_other_rounding(factor, rounding));
    return product_map(std::move(factors));
  }

  std::vector<LinearMapPtr> factors_;
  Index positions_ = 1;
  std::size_t known_ = 0;
};

class Transpose final : public LinearMap {
 public:
  explicit Transpose(LinearMapPtr A) : A_(std::move(A)) {}
  Index rows() const override { return A_->cols(); }
  Index cols() const override { return A_->rows(); }
  Real flops_per_column() const override { return A_->flops_per_column(); }
  Index rank_bound() const override { return A_->rank_bound(); }

 private:
  void do_apply(ConstColumns v, Columns out) const override { A_->apply_transpose(v, out); }
  void do_apply_transpose(ConstColumns u, Columns out) const override { A_->apply(u, out); }
  LinearMapPtr A_;
};

class ResidualMap final : public LinearMap {
 public:
  ResidualMap(Vector lambda, Vector alpha, LinearMapPtr B)
      : lambda_(std::move(lambda)), alpha_(std::move(alpha)), B_(std::move(B)) {
    REZERO_REQUIRE(B_->rows() == B_->cols());
    REZERO_REQUIRE(lambda_.size() == 1 || lambda_.size() == B_->rows());
    REZERO_REQUIRE(alpha_.size() == 1 || alpha_.size() == B_->rows());
  }
  Index rows() const override { return B_->rows(); }
  Index cols() const override { return B_->cols(); }
  Real flops_per_column() const override { return B_->flops_per_column() + 3 * static_cast<Real>(rows()); }
  // always stays λ I + α B
  Real dense_flops() const override { return std::numeric_limits<Real>::infinity(); }
  Index rank_bound() const override {  // λ ⊙ v reaches as many entries as λ has non-zeros
    const Index skip = (lambda_.array() != 0).count() * (rows() / lambda_.size());
    return std::min(rows(), skip + B_->rank_bound());
  }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    B_->apply(v, out);
    combine(&alpha_, v, out);
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    if (is_one(alpha_)) {
      B_->apply_transpose(u, out);
    } else {
      Matrix scaled = u;
      for (Index j = 0; j < u.cols(); ++j) scale(alpha_, scaled.col(j));
      B_->apply_transpose(scaled, out);
    }
    combine(nullptr, u, out);
  }
  static bool is_one(const Vector& factor) { return factor.size() == 1 && factor(0) == 1; }
  static void scale(const Vector& factor, Eigen::Ref<Vector> v) {
    if (factor.size() == 1)
      v *= factor(0);
    else
      v.array() *= factor.array();
  }
  /// out ← λ ⊙ v + factor ⊙ out (null: 1), in one pass over memory. The compiler chooses which of the two
  /// products is fused with the sum, and so not rounded.
  void combine(const Vector* factor, const ConstColumns& v, Columns& out) const {
    if (factor && is_one(*factor)) factor = nullptr;
    if (factor && factor->size() == 1 && lambda_.size() == 1) {
      const Real by = (*factor)(0), lambda = lambda_(0);
      for (Index j = 0; j < v.cols(); ++j) out.col(j) = lambda * v.col(j) + by * out.col(j);
      return;
    }
    for (Index j = 0; j < v.cols(); ++j) {
      if (factor) scale(*factor, out.col(j));
      if (lambda_.size() == 1)
        out.col(j) += lambda_(0) * v.col(j);
      else
        out.col(j) += lambda_.cwiseProduct(v.col(j));
    }
  }
  LinearMapPtr do_condense_parts(Index columns) const override {
    return residual_map(lambda_, alpha_, condense(B_, columns));
  }
  /// Only the branch changes its rounding, so a block that leaves vectors unchanged still does.
  LinearMapPtr do_in_other_rounding(SimulatedRounding& rounding) const override {
    const Vector factors = rounding.factors(rows());
    Vector alpha = alpha_.size() == 1 ? Vector(alpha_(0) * factors) : Vector(alpha_.cwiseProduct(factors));
    return residual_map(lambda_, std::move(alpha), in_other_rounding(B_, rounding));
  }
  Vector lambda_, alpha_;
  LinearMapPtr B_;
};

}  // namespace

LinearMapPtr identity_map(Index size) {
  return std::make_shared<Identity>(size);
}
LinearMapPtr diagonal_map(Vector d, Index positions) {
  return std::make_shared<Diagonal>(std::move(d), positions);
}
LinearMapPtr block_diagonal_map(std::vector<Matrix> blocks) {
  REZERO_REQUIRE(!blocks.empty());
  return std::make_shared<BlockDiagonal>(std::move(blocks), unbounded);
}
LinearMapPtr dense_map(MatrixPtr W) {
  return positionwise_map(std::move(W), 1);
}
LinearMapPtr positionwise_map(MatrixPtr W, Index positions) {
  return std::make_shared<Positionwise>(std::move(W), positions);
}
LinearMapPtr sum_map(LinearMapPtr A, LinearMapPtr B) {
  return std::make_shared<Sum>(std::move(A), std::move(B));
}
LinearMapPtr product_map(std::vector<LinearMapPtr> factors) {
  REZERO_REQUIRE(!factors.empty());
  if (factors.size() == 1) return factors.front();
  return std::make_shared<Product>(std::move(factors));
}
LinearMapPtr transpose_map(LinearMapPtr A) {
  return std::make_shared<Transpose>(std::move(A));
}
LinearMapPtr residual_map(Vector lambda, Vector alpha, LinearMapPtr B) {
  return std::make_shared<ResidualMap>(std::move(lambda), std::move(alpha), std::move(B));
}

namespace {

LinearMapPtr formed(const LinearMap& map) {
  const Index positions = map.local_positions();
  const Index rank = map.rank_bound();
  if (positions == 1)
    return std::make_shared<Positionwise>(std::make_shared<const Matrix>(map.block(0)), 1, rank);
  std::vector<Matrix> blocks;
  for (Index t = 0; t < positions; ++t) blocks.push_back(map.block(t));
  return std::make_shared<BlockDiagonal>(std::move(blocks), rank);
}

}  // namespace

LinearMapPtr condense(const LinearMapPtr& map, Index columns) {
  const Real applied = 2 * static_cast<Real>(map->rows()) * static_cast<Real>(map->cols()) /
                       static_cast<Real>(map->local_positions());
  const Real as_is = map->flops_per_column() * static_cast<Real>(columns);
  if (map->dense_flops() + applied * static_cast<Real>(columns) < as_is) return formed(*map);
  const LinearMapPtr parts = map->do_condense_parts(columns);
  return parts ? parts : map;
}

LinearMapPtr in_other_rounding(const LinearMapPtr& map, SimulatedRounding& rounding) {
  const LinearMapPtr changed = map->do_in_other_rounding(rounding);
  return changed ? changed : map;
}

}  // namespace rezero
