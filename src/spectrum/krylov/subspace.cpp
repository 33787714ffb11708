#include "spectrum/krylov/subspace.h"

#include <Spectra/SymEigsSolver.h>

#include <Eigen/QR>
#include <algorithm>
#include <exception>
#include <functional>

namespace rezero::detail {

struct QrFactors {
  explicit QrFactors(const Matrix& A)
      : qr(A), smallest_pivot(qr.matrixQR().diagonal().cwiseAbs().minCoeff()) {}
  Eigen::HouseholderQR<Matrix> qr;
  Real smallest_pivot;
};

namespace {

// Spectra compares with absolute thresholds of 2e-16, so the operators below have a norm of about 1 or more.

/// x ↦ Aᵀ(Ax).
class Gram {
 public:
  using Scalar = Real;
  explicit Gram(const Matrix& A) : A_(A) {}
  Index rows() const { return A_.cols(); }
  Index cols() const { return A_.cols(); }
  void perform_op(const Real* x, Real* y) const {
    image_.noalias() = A_ * Eigen::Map<const Vector>(x, cols());
    Eigen::Map<Vector>(y, cols()).noalias() = A_.transpose() * image_;
  }

 private:
  const Matrix& A_;
  mutable Vector image_;
};

class InverseMap final : public LinearMap {
 public:
  explicit InverseMap(QrFactorsPtr factors) : factors_(std::move(factors)) {}
  Index rows() const override { return cols(); }
  Index cols() const override { return factors_->qr.cols(); }
  Real flops_per_column() const override { return static_cast<Real>(cols()) * static_cast<Real>(cols()); }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    const auto R = factors_->qr.matrixQR().topRows(cols()).triangularView<Eigen::Upper>();
    out = v * factors_->smallest_pivot;
    R.transpose().solveInPlace(out);
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    out = u * factors_->smallest_pivot;
    factors_->qr.matrixQR().topRows(cols()).triangularView<Eigen::Upper>().solveInPlace(out);
  }
  QrFactorsPtr factors_;
};

/// x ↦ s² R⁻¹(R⁻ᵀx), s the smallest diagonal entry of R.
class InverseGram {
 public:
  using Scalar = Real;
  InverseGram(const Matrix& R, Real scale) : R_(R), scale_(scale) {}
  Index rows() const { return R_.cols(); }
  Index cols() const { return R_.cols(); }
  void perform_op(const Real* x, Real* y) const {
    const auto R = R_.topRows(cols()).triangularView<Eigen::Upper>();
    image_ = Eigen::Map<const Vector>(x, cols()) * scale_;
    R.transpose().solveInPlace(image_);
    image_ *= scale_;
    R.solveInPlace(image_);
    Eigen::Map<Vector>(y, cols()) = image_;
  }

 private:
  const Matrix& R_;
  Real scale_;
  mutable Vector image_;
};

/// Two steps of the power method. They suffice to find the vector of an operator of numerical rank one, for
/// which Spectra fails: its recurrence breaks down in the first step.
bool power_method_suffices(const Vector& start, const std::function<void(const Real*, Real*)>& apply,
                           Matrix& right) {
  Vector v = start, image(start.size());
  for (int step = 0; step < 2; ++step) {
    apply(v.data(), image.data());
    v = image.normalized();
  }
  apply(v.data(), image.data());
  right = v;
  return (image - v.dot(image) * v).norm() <= rounding_bound(start.size()) * image.norm();
}

/// Spectra throws std exceptions for some operators, and reports Successful for some wrong results, so the
/// basis is only a claim.
template <class Operator>
Subspace dominant_subspace(Operator& op, Index k, const Vector& start) {
  constexpr Index restarts = 300;
  constexpr Real tolerance = 1e-14;
  Subspace result;
  const auto apply = [&](const Real* x, Real* y) { op.perform_op(x, y); };
  result.applications = 6;
  if (k == 1 && power_method_suffices(start, apply, result.right)) return result;
  result.right.resize(0, 0);
  try {
    Spectra::SymEigsSolver<Operator> solver(op, k, std::min(op.cols(), std::max<Index>(2 * k + 1, 20)));
    solver.init(start.data());
    solver.compute(Spectra::SortRule::LargestAlge, restarts, tolerance);
    result.applications += 2 * solver.num_operations();
    if (solver.info() == Spectra::CompInfo::Successful) result.right = solver.eigenvectors();
  } catch (const std::exception&) {
    result.right.resize(0, 0);
  }
  if (result.right.cols() != k || !result.right.allFinite())
    result.failure = "the Krylov iteration did not converge in " + std::to_string(restarts) + " restarts";
  return result;
}

}  // namespace

Subspace largest_subspace(const Matrix& A, Index k, const Vector& start) {
  Gram op(A);
  Subspace result = dominant_subspace(op, k, start);
  if (result.failure.empty()) result.left = A * result.right;
  return result;
}

QrFactorsPtr qr_factors(const Matrix& A) {
  return std::make_shared<QrFactors>(A);
}

Subspace smallest_subspace(const QrFactorsPtr& factors, Index k, const Vector& start) {
  const Eigen::HouseholderQR<Matrix>& qr = factors->qr;
  const Index n = qr.cols();
  const Real scale = factors->smallest_pivot;
  if (!(scale > 0)) return {{}, {}, 0, "the matrix is exactly singular: its inverse cannot be iterated"};
  InverseGram op(qr.matrixQR(), scale);
  Subspace result = dominant_subspace(op, k, start);
  if (!result.failure.empty()) return result;
  Matrix solved = Matrix::Zero(qr.rows(), k);
  InverseMap(factors).apply(result.right, solved.topRows(n));
  result.left = qr.householderQ() * solved;
  return result;
}

LinearMapPtr inverse_map(QrFactorsPtr qr) {
  return std::make_shared<InverseMap>(std::move(qr));
}

}  // namespace rezero::detail
