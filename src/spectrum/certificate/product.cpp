#include "spectrum/certificate/product.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spectrum/text.h"

namespace rezero::detail {
namespace {

std::string order_fault(const std::vector<ScaledReal>& sigma) {
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    const std::string which = "value " + std::to_string(i);
    if (!std::isfinite(sigma[i].mantissa)) return which + " is not finite";
    if (sigma[i].mantissa < 0) return which + " is negative";
    if (i == 0 || sigma[i].is_zero()) continue;
    if (sigma[i - 1].is_zero() || quotient(sigma[i], sigma[i - 1]) > 1) return which + " is out of order";
  }
  return {};
}

std::string volume_fault(const ProductValues& values) {
  ScaledReal product = ScaledReal::make(1);
  for (const ScaledReal& sigma : values.sigma) product = product * sigma;
  const auto n = static_cast<Real>(values.sigma.size());
  const Real allowed = 8 * n * (values.relative_error_estimate + std::numeric_limits<Real>::epsilon());
  const Real error = std::abs(quotient(product, *values.volume) - 1);
  if (error <= allowed) return {};
  return "the product of the values differs from |det J| by " + text(error) + " relative (allowed " +
         text(allowed) + ")";
}

/// Undetermined values count as zeros here; they, and the error of forming J, widen the tolerance.
std::string norm_fault(const ProductValues& values, const JacobianView& J) {
  const std::vector<ScaledReal>& sigma = values.sigma;
  const ScaledReal norm = frobenius_norm(J.matrix->mantissa).shifted(J.matrix->exponent);
  if (sigma.front().is_zero()) {
    const bool nothing_to_see =
        norm.is_zero() || (!J.matrix_error.is_zero() && quotient(J.matrix_error, norm) >= 1);
    return nothing_to_see ? "" : "all values are zero and J is not";
  }
  const auto share = [&](const ScaledReal& x) { return x.is_zero() ? 0 : quotient(x, sigma.front()); };
  const Real unknown =
      share(J.matrix_error) + std::sqrt(static_cast<Real>(sigma.size())) * share(values.unresolved_below);
  if (norm.is_zero()) return unknown >= 1 ? "" : "J is zero and its values are not";
  Real squares = 0;
  for (const ScaledReal& value : sigma)
    if (!value.is_zero()) squares += std::pow(quotient(value, sigma.front()), 2);
  const Real error = std::abs(std::sqrt(squares) * quotient(sigma.front(), norm) - 1);
  const Real allowed =
      std::sqrt(std::numeric_limits<Real>::epsilon()) + 4 * values.relative_error_estimate + unknown;
  if (error <= allowed) return {};
  return "||s||_2 and ||J||_F differ by " + text(error) + " relative (allowed " + text(allowed) + ")";
}

}  // namespace

std::string product_fault(const ProductValues& values, Index dimension, const JacobianView& J) {
  if (!values.converged) return "the Jacobi iteration did not converge";
  if (static_cast<Index>(values.sigma.size()) != dimension)
    return std::to_string(values.sigma.size()) + " values where there are " + std::to_string(dimension);
  if (std::string fault = order_fault(values.sigma); !fault.empty()) return fault;
  if (values.volume && values.rank == dimension)
    if (std::string fault = volume_fault(values); !fault.empty()) return fault;
  if (values.rank == 0 && values.rank_bound > 0) return "the sweeps through the factors agree on no value";
  return J.matrix && dimension > 0 ? norm_fault(values, J) : "";
}

}  // namespace rezero::detail
