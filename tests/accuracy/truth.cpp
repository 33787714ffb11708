#include "accuracy/truth.h"

#include <algorithm>

#include "rezero/jacobian/forward.h"
#include "spectrum/multiprecision.h"

namespace rezero::reference {
namespace {

void set_values(const ScaledVector& x, State& X) {
  for (std::size_t i = 0; i < X.size(); ++i) {
    X[i].value = x.mantissa(static_cast<Index>(i));
    X[i].value.scale_by_power_of_two(x.exponent);
  }
}

/// x_0 with a direction for each of its entries, or for those of one position.
State start(const Trajectory& path, const Look& look) {
  const Index features = path.blocks.front().shape.features;
  const auto first = static_cast<std::size_t>(look.view.wrt.value_or(0) * features);
  State X(static_cast<std::size_t>(path.states.front().mantissa.size()));
  const std::size_t columns = look.view.wrt ? static_cast<std::size_t>(features) : X.size();
  for (Dual& x : X) x.slopes.resize(columns);
  for (std::size_t j = 0; j < columns; ++j) X[first + j].slopes[j] = 1;
  set_values(path.states.front(), X);
  return X;
}

/// The norm that the last block has, else layer norm, without weight and bias.
State through_final_norm(const BlockParts& last, const State& X) {
  NormSpec norm = last.pre_norm ? last.pre_norm : last.post_norm;
  if (!norm) norm = NormSpec::of("layer_norm");
  norm.weight = norm.bias = nullptr;
  return normed(norm, last.output_shape(), X);
}

testing::LongMatrix as_matrix(const State& J, long bits) {
  const Index rows = static_cast<Index>(J.size()), cols = static_cast<Index>(J.front().slopes.size());
  testing::LongMatrix A(rows, cols, static_cast<mp_bitcnt_t>(bits));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      mpfr_get_f(A(i, j).get_mpf_t(),
                 J[static_cast<std::size_t>(i)].slopes[static_cast<std::size_t>(j)].raw(), MPFR_RNDN);
  return cols > rows ? transposed(A) : A;
}

bool finite(const State& J) {
  return std::all_of(J.begin(), J.end(), [](const Dual& x) {
    return std::all_of(x.slopes.begin(), x.slopes.end(), [](const Number& n) { return n.is_finite(); });
  });
}

/// min(rows, cols) values; none where J is not finite.
std::vector<ScaledReal> values_at(const Trajectory& path, const Look& look, long bits) {
  const Precision precision(bits);
  const State J = jacobian(path, look);
  if (!finite(J)) return {};
  const testing::LongMatrix A = as_matrix(J, bits);
  std::vector<ScaledReal> sigma = testing::column_values(testing::pivoted_rows(A));
  sigma.resize(static_cast<std::size_t>(A.cols()));
  return sigma;
}

bool agree(const ScaledReal& a, const ScaledReal& b) {
  if (a.is_zero() || b.is_zero()) return a.is_zero() && b.is_zero();
  return std::abs(a.exponent - b.exponent) <= 1 &&
         std::abs(std::ldexp(a.mantissa, static_cast<int>(a.exponent - b.exponent)) - b.mantissa) <= 0x1p-52;
}

/// Zero at twice the bits, or smaller by as much as the rounding.
bool shrank_with_rounding(const ScaledReal& at_once, const ScaledReal& at_twice, long bits) {
  constexpr std::int64_t slack = 30;
  return at_twice.is_zero() || (!at_once.is_zero() && at_twice.exponent - at_once.exponent < slack - bits);
}

Truth compared(const std::vector<ScaledReal>& once, const std::vector<ScaledReal>& twice, long bits) {
  Truth truth{twice, once.size() == twice.size(), 2 * bits};
  for (std::size_t i = 0; i < twice.size() && truth.settled; ++i) {
    if (agree(once[i], twice[i])) continue;
    truth.settled = shrank_with_rounding(once[i], twice[i], bits);
    truth.sigma[i] = {};
  }
  return truth;
}

}  // namespace

Trajectory trajectory(const Stack& stack, Index blocks) {
  Trajectory path;
  ForwardOptions options;
  options.on_block = [&](const BlockStep& step) {
    path.blocks.push_back(step.layer.parts());
    path.states.push_back(step.before);
  };
  forward_jacobian(
      stack, stack.input(), Matrix::Zero(stack.shape().size(), 1), {blocks},
      [&](const ForwardStep& step) { path.states.push_back(step.state); }, options);
  return path;
}

State jacobian(const Trajectory& path, const Look& look) {
  State X = start(path, look);
  for (std::size_t l = 0; l < static_cast<std::size_t>(look.blocks); ++l) {
    X = passed(path.blocks[l], X);
    if (look.states == States::library) set_values(path.states[l + 1], X);
  }
  const BlockParts& last = path.blocks[static_cast<std::size_t>(look.blocks - 1)];
  if (look.final_norm) X = through_final_norm(last, X);
  if (!look.view.of) return X;
  const Index features = last.output_shape().features;
  const auto first = X.begin() + *look.view.of * features;
  return {first, first + features};
}

namespace {

/// Attention over nearly equal tokens subtracts numbers of the third power of the state's size, whose
/// rounding may look like zero in both precisions.
long bits_of_attention(const Trajectory& path) {
  std::int64_t largest = 0;
  for (std::size_t l = 0; l < path.blocks.size(); ++l) {
    if (!path.blocks[l].branch->is_attention) continue;
    const ScaledReal size = frobenius_norm(path.states[l].mantissa);
    if (!size.is_zero()) largest = std::max(largest, std::abs(size.exponent + path.states[l].exponent));
  }
  return static_cast<long>(3 * largest);
}

}  // namespace

Truth true_singular_values(const Trajectory& path, const Look& look, long bits) {
  constexpr long most_bits = 12288;
  bits = std::min(most_bits / 4, bits + bits_of_attention(path));
  std::vector<ScaledReal> once = values_at(path, look, bits);
  for (; bits < most_bits && !once.empty(); bits *= 2) {
    std::vector<ScaledReal> twice = values_at(path, look, 2 * bits);
    Truth truth = compared(once, twice, bits);
    if (truth.settled) return truth;
    once = std::move(twice);
  }
  return {std::move(once), false, bits};
}

}  // namespace rezero::reference
