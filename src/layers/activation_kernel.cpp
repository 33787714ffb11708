#include "layers/activation_kernel.h"

#include <string.h>

#include "linalg/octet.h"

// Vectors are passed between inlined functions only.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace rezero::detail {
namespace {

/// Eight whole numbers, or the bits of eight reals.
typedef std::int64_t Bits __attribute__((vector_size(sizeof(std::int64_t) * octet_size)));

#define INLINE [[gnu::always_inline]] static inline

constexpr Real smallest_normal = 0x1p-1022;

INLINE Octet all(Real x) {
  return Octet{} + x;
}
INLINE Octet abs(Octet x) {
  return reinterpret_cast<Octet>(reinterpret_cast<Bits>(x) & INT64_MAX);
}
/// |y| with the sign of x, for y ≥ 0.
INLINE Octet with_sign(Octet y, Octet x) {
  return reinterpret_cast<Octet>(reinterpret_cast<Bits>(y) | (reinterpret_cast<Bits>(x) & INT64_MIN));
}
/// NaN stays.
INLINE Octet at_most(Octet x, Real bound) {
  return x > bound ? all(bound) : x;
}
INLINE Octet at_least(Octet x, Real bound) {
  return x < bound ? all(bound) : x;
}

/// Σ c_i z^i, even and odd terms side by side.
template <int n>
INLINE Octet polynomial(const Real (&c)[n], Octet z) {
  const Octet square = z * z;
  Octet even = all(c[(n - 1) / 2 * 2]), odd = all(c[n / 2 * 2 - 1]);
#pragma GCC unroll 16
  for (int i = (n - 1) / 2 * 2 - 2; i >= 0; i -= 2) even = even * square + c[i];
#pragma GCC unroll 16
  for (int i = n / 2 * 2 - 3; i >= 0; i -= 2) odd = odd * square + c[i];
  return even + odd * z;
}

/// A number as the sum of two; low is at most an ulp of high.
struct Pair {
  Octet high, low;
};

/// x with half of its bits, so that products of such numbers are exact.
INLINE Octet half_of_bits(Octet x) {
  return reinterpret_cast<Octet>(reinterpret_cast<Bits>(x) & ~((std::int64_t{1} << 27) - 1));
}
/// a b with its rounding error (Dekker 1971).
INLINE Pair product_of(Octet a, Octet b) {
  const Octet a_high = half_of_bits(a), a_low = a - a_high, b_high = half_of_bits(b), b_low = b - b_high;
  const Octet product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

/// e^x = (1 + p) · scale · last. `scale` is far from underflow, so that factors can be multiplied before the
/// result is rounded once by `last`, even to a subnormal number.
struct Exponential {
  Octet p, scale, last;
};

// (e^r − 1 − r − r²/2) / r³ for |r| ≤ ln 2 / 2, to 2^-56.
constexpr Real exp_terms[] = {0x1.5555555555556p-3,  0x1.5555555555555p-5,  0x1.11111111109b5p-7,
                              0x1.6c16c16c167e2p-10, 0x1.a01a01a7c2efep-13, 0x1.a01a01a47a591p-16,
                              0x1.71de0db2f6b19p-19, 0x1.27e4e1f7222cbp-22, 0x1.af389ecfc4b9cp-26,
                              0x1.1f66d948a47d2p-29};

/// e^(x + tail) for |x| ≤ 1100 and a tail below an ulp or so of x: r = x − k ln 2 in two pieces (Cody & Waite
/// 1980), and p = e^r − 1 as r and the rest, to 0.7 ulps.
INLINE Exponential exponential(Octet x, Octet tail = Octet{}) {
  constexpr Real log2_e = 0x1.71547652b82fep0, ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  constexpr Real to_whole = 0x1.8p52;  // adding it rounds to a whole number, in the lowest bits
  constexpr std::int64_t offset = 4096, bias = 1023;
  const Octet shifted = x * log2_e + to_whole, k = shifted - to_whole;
  const Bits whole = reinterpret_cast<Bits>(shifted) - reinterpret_cast<Bits>(all(to_whole)) + offset,
             first = whole >> 1, second = whole - first;
  const Octet high = x - k * ln2_high, low = k * ln2_low - tail, r = high - low, rest = (high - r) - low;
  const Octet square = r * r;
  Exponential e;
  e.p = r + ((square * 0.5 + square * r * polynomial(exp_terms, r)) + rest);
  e.scale = reinterpret_cast<Octet>((first - offset / 2 + bias) << 52);
  e.last = reinterpret_cast<Octet>((second - offset / 2 + bias) << 52);
  return e;
}

/// Without the last factor.
INLINE Octet most_of(const Exponential& e) {
  return (1 + e.p) * e.scale;
}
INLINE Octet value_of(const Exponential& e) {
  return most_of(e) * e.last;
}

// ---- functions: value and slope of eight arguments; what is not finite is seen to by the caller

// (tanh(y)/y − 1) / y² in z = y² ≤ 1, to 2^-54.
constexpr Real tanh_terms[] = {-0x1.5555555555554p-2,  0x1.1111111110d85p-3,   -0x1.ba1ba1b9d921ep-5,
                               0x1.664f4873514e1p-6,   -0x1.226e337c1456bp-7,  0x1.d6d389a29500ap-9,
                               -0x1.7d9ff00529386p-10, 0x1.353a84f50cebap-11,  -0x1.f412b74eb8ebap-13,
                               0x1.902b5522e3175p-14,  -0x1.34ad69ec82d78p-15, 0x1.b07f4e4c6db59p-17,
                               -0x1.f06b42ce76685p-19, 0x1.8c95e67948caap-21,  -0x1.3e4e5b56742f9p-24};

/// y + y³ P(y²) below 1, and 1 − 2e/(1+e) above, e = e^(−2y), y = |x|; the slope is 4e/(1+e)².
INLINE void tanh_of(Octet x, Real, Octet& value, Octet& slope) {
  const Octet y = abs(x), z = y * y;
  const Exponential exp = exponential(-2 * at_most(y, 500));
  const Octet e = value_of(exp), sum = 1 + e;
  const Octet near = y + y * (z * polynomial(tanh_terms, z)), far = 1 - 2 * e / sum;
  value = with_sign(y < 1 ? near : far, x);
  slope = (4 * most_of(exp)) / (sum * sum) * exp.last;
}

// erf(y)/y − 1 in z = y² ≤ 1, to 2^-68.
constexpr Real erf_terms[] = {0x1.06eba8214db69p-3,   -0x1.812746b0379e7p-2,  0x1.ce2f21a042bdep-4,
                              -0x1.b82ce312889bap-6,  0x1.565bcd0e6502dp-8,   -0x1.c02db3feeb579p-11,
                              0x1.f9a326c233146p-14,  -0x1.f4d2561aeafd4p-17, 0x1.b9e6509b9867dp-20,
                              -0x1.5f6d925a0bc7ap-23, 0x1.fc4356498c2d9p-27,  -0x1.4e607b41a6416p-30,
                              0x1.7f072188e194dp-34,  -0x1.29b9f1b3df556p-38};
// (1 + 2y) e^(y²) erfc(y) in t = (y − 3.75)/(y + 3.75), |t| ≤ 1, to 2^-54. Shepherd & Laframboise, "Chebyshev
// approximation of (1 + 2x) exp(x²) erfc x in 0 ≤ x < ∞", 1981.
constexpr Real erfcx_terms[] = {
    0x1.3ccda0b5d5dc2p+0,  -0x1.1f367683f89a7p-3,  0x1.d5f2948162c71p-9,   0x1.510169d0967a4p-4,
    -0x1.bda9309a35e96p-4, 0x1.7a14188a9acccp-4,   -0x1.e0d0fa6c0b08fp-5,  0x1.d0b0037d7a780p-6,
    -0x1.3f603c7fe160ap-7, 0x1.cc3a0e5382706p-10,  0x1.33fb5b3afc49cp-12,  -0x1.303fa1f0fe3c5p-12,
    0x1.b13e0004e32fdp-15, 0x1.778b249632847p-16,  -0x1.7fcb80d70e5f5p-17, -0x1.054aae49b841dp-20,
    0x1.d39689e28dd02p-20, -0x1.ed27991433b40p-25, -0x1.0ad6351245f76p-22, 0x1.91fbd79a724eap-26,
    0x1.127b8eff8a588p-25, -0x1.05027628636e7p-28, -0x1.67e2fccd5ba0fp-29, 0x1.606c1d3baffdbp-32};

/// e^(y²) erfc(y), y ≥ 0.
INLINE Octet scaled_erfc(Octet y) {
  const Octet t = 2 * y / (y + 3.75) - 1;  // small errors where y is small
  return polynomial(erfcx_terms, t) / (1 + 2 * y);
}

constexpr Real two_over_root_pi = 1.12837916709551257390;

/// erf of y.high + y.low ≥ 0: a polynomial below 1, 1 − erfc above; and e^(−y²).
INLINE Octet erf_of_pair(const Pair& y, Exponential& exp) {
  const Pair square = product_of(y.high, y.high);
  exp = exponential(-square.high, -(square.low + 2 * y.high * y.low));
  const Octet e = value_of(exp), z = square.high;
  const Octet near = y.high + (y.high * polynomial(erf_terms, z) + two_over_root_pi * y.low * e);
  return y.high < 1 ? near : 1 - scaled_erfc(y.high) * e;
}

INLINE void erf_of(Octet x, Real, Octet& value, Octet& slope) {
  Exponential exp;
  value = with_sign(erf_of_pair({at_most(abs(x), 30), Octet{}}, exp), x);
  slope = two_over_root_pi * most_of(exp) * exp.last;
}

/// erf(√π x / 2): the product in two pieces, since e^(−y²) multiplies relative errors of y by 2y².
INLINE void scaled_erf_of(Octet x, Real, Octet& value, Octet& slope) {
  constexpr Real factor = 0.88622692545275801365, factor_rest = -0x1.618f13eb7ca89p-55;
  const Octet y = at_most(abs(x), 34);
  const Pair product = product_of(all(factor), y);
  Exponential exp;
  value = with_sign(erf_of_pair({product.high, product.low + factor_rest * y}, exp), x);
  slope = value_of(exp);
}

/// x Φ(x), y = |x|: Φ(−y) = e^(−y²/2) erfcx(y/√2) / 2, or 1/2 − erf(y/√2)/2 near 0, and Φ(y) = 1 − Φ(−y).
INLINE void gelu_of(Octet x, Real, Octet& value, Octet& slope) {
  constexpr Real root_half = 0.70710678118654752440, density_at_0 = 0.39894228040143267794;
  const Octet y = at_most(abs(x), 40), u = y * root_half;
  const Pair square = product_of(y, y);
  const Exponential exp = exponential(square.high * -0.5, square.low * -0.5);
  const Octet e = most_of(exp), half_erfcx = 0.5 * scaled_erfc(u);
  const Octet density = density_at_0 * e * exp.last,
              near = 0.5 - 0.5 * (u + u * polynomial(erf_terms, u * u));
  const Octet tail = y < 0.5 ? near : half_erfcx * e * exp.last;
  // negative x, with the last factor last
  const Octet below = y < 0.5 ? -y * near : -y * half_erfcx * e * exp.last;
  const Octet slope_below = y < 0.5 ? near - y * density : (half_erfcx - y * density_at_0) * e * exp.last;
  value = x >= 0 ? x * (1 - tail) : below;
  slope = x >= 0 ? (1 - tail) + y * density : slope_below;
}

/// σ(u) x and its slope, u with the sign of x and |u| = size.high + size.low, du/dx = g; y = |x| without
/// excess.
INLINE void gate(Octet x, Octet y, const Pair& size, Octet g, Octet& value, Octet& slope) {
  const Exponential exp = exponential(-size.high, -size.low);
  const Octet e = most_of(exp), sum = 1 + e * exp.last;
  const Octet open = 1 / sum, part = y * g * open;
  value = x >= 0 ? x / sum : -y * e / sum * exp.last;
  slope = x >= 0 ? open + part * (e * open) * exp.last : e * open * (1 - part) * exp.last;
}

INLINE void silu_of(Octet x, Real, Octet& value, Octet& slope) {
  const Octet y = at_most(abs(x), 800);
  gate(x, y, {y, Octet{}}, all(1), value, slope);
}

/// x σ(2u), 2u = √(8/π) y (1 + 0.044715 y²), in pairs, since e^(−2u) multiplies relative errors of u by 2u.
INLINE void gelu_tanh_of(Octet x, Real, Octet& value, Octet& slope) {
  constexpr Real root = 1.59576912160573071176, root_rest = -0x1.cbc0d30ebfd15p-54, cubic = 0.044715;
  const Octet y = at_most(abs(x), 24);
  const Pair square = product_of(y, y), term = product_of(all(cubic), square.high);
  const Octet sum = 1 + term.high,
              rounded_off = term.high < 1 ? (1 - sum) + term.high : (term.high - sum) + 1;
  const Pair cube = product_of(y, sum), twice = product_of(all(root), cube.high);
  const Octet cube_low = cube.low + y * (rounded_off + (term.low + cubic * square.low));
  gate(x, y, {twice.high, twice.low + (root * cube_low + root_rest * cube.high)},
       root * (1 + 3 * cubic * square.high), value, slope);
}

INLINE void sigmoid_of(Octet x, Real, Octet& value, Octet& slope) {
  const Exponential exp = exponential(-at_most(abs(x), 800));
  const Octet e = most_of(exp), sum = 1 + e * exp.last;
  value = x >= 0 ? 1 / sum : e / sum * exp.last;
  slope = e / (sum * sum) * exp.last;
}

// (atanh(f)/f − 1) / f² in f² ≤ 1/9, to 2^-59.
constexpr Real log_terms[] = {0x1.5555555555555p-2, 0x1.9999999999944p-3, 0x1.2492492499d46p-3,
                              0x1.c71c71bedea97p-4, 0x1.745d19937b1fcp-4, 0x1.3b13515f6f9efp-4,
                              0x1.111abdc8abe16p-4, 0x1.e0a2d581ab68fp-5, 0x1.bc37f0140c19ep-5,
                              0x1.32e0d25c9c761p-5, 0x1.401d3e65cdc48p-4};

/// max(x, 0) + ln(1 + e), e = e^(−|x|): ln(1 + e) = 2 atanh(f), f = e/(2 + e).
INLINE void softplus_of(Octet x, Real, Octet& value, Octet& slope) {
  const Exponential exp = exponential(-at_most(abs(x), 800));
  const Octet e = value_of(exp), sum = 1 + e;
  const Octet twice = e / (1 + 0.5 * e), square = 0.25 * (twice * twice);
  const Octet log = twice + twice * (square * polynomial(log_terms, square));
  value = x > 0 ? x + log : log;
  slope = x >= 0 ? 1 / sum : e / sum;
}

/// a (e^x − 1) below 0: e^x − 1 = 2^k p + (2^k − 1).
INLINE void elu_of(Octet x, Real a, Octet& value, Octet& slope) {
  const Exponential exp = exponential(at_least(x > 0 ? Octet{} : x, -800));
  const Octet power = exp.scale * exp.last;
  value = x > 0 ? x : a * (power * exp.p + (power - 1));
  slope = x > 0 ? all(1) : a * most_of(exp) * exp.last;
}

INLINE void selu_of(Octet x, Real, Octet& value, Octet& slope) {
  constexpr Real lambda = 1.0507009873554805, alpha = 1.6732632423543772;  // Klambauer et al. 2017
  elu_of(x, alpha, value, slope);
  value *= lambda, slope *= lambda;
}

// Piecewise polynomials.

INLINE void identity_of(Octet x, Real, Octet& value, Octet& slope) {
  value = x, slope = all(1);
}
INLINE void relu_of(Octet x, Real, Octet& value, Octet& slope) {
  value = x > 0 ? x : x * 0, slope = x > 0 ? all(1) : Octet{};
}
INLINE void leaky_relu_of(Octet x, Real s, Octet& value, Octet& slope) {
  value = x > 0 ? x : s * x, slope = x > 0 ? all(1) : all(s);
}
INLINE void hard_tanh_of(Octet x, Real, Octet& value, Octet& slope) {
  value = at_most(at_least(x, -1), 1), slope = abs(x) < 1 ? all(1) : Octet{};
}
INLINE void relu_squared_of(Octet x, Real, Octet& value, Octet& slope) {
  value = x > 0 ? x * x : x * 0, slope = x > 0 ? 2 * x : x * 0;
}
INLINE void abs_of(Octet x, Real, Octet& value, Octet& slope) {
  value = abs(x), slope = x > 0 ? all(1) : x < 0 ? all(-1) : x;
}

// ---- loops

struct Lost {
  Bits value, slope;
};

INLINE bool any(Bits mask) {
  std::int64_t all_bits = 0;
  for (Index k = 0; k < octet_size; ++k) all_bits |= mask[k];
  return all_bits != 0;
}

using Function = void (*)(Octet, Real, Octet&, Octet&);

/// φ and φ′ of eight arguments, NaN if an argument is not finite: a bounded φ would make an overflow look
/// like a number. Notes results below the normal numbers, other than φ(0).
template <Function f>
INLINE void take(const Real* x, Real a, Real* value, Real* slope, Lost& lost) {
  const Octet in = octet(x), poison = in * 0;
  Octet v, s;
  f(in, a, v, s);
  lost.value |= (abs(v) < smallest_normal) & (in != 0);
  lost.slope |= abs(s) < smallest_normal;
  octet(value) = v + poison;
  octet(slope) = s + poison;
}

template <Function f>
unsigned apply(const Real* x, Index n, Real a, Real* value, Real* slope) {
  Lost lost = {};
  Index i = 0;
  for (; i + octet_size <= n; i += octet_size) take<f>(x + i, a, value + i, slope + i, lost);
  if (i < n) {
    const size_t bytes = static_cast<size_t>(n - i) * sizeof(Real);
    Real in[octet_size] = {1, 1, 1, 1, 1, 1, 1, 1}, v[octet_size], s[octet_size];
    memcpy(in, x + i, bytes);
    take<f>(in, a, v, s, lost);
    memcpy(value + i, v, bytes);
    memcpy(slope + i, s, bytes);
  }
  return (any(lost.value) ? 1u : 0u) | (any(lost.slope) ? 2u : 0u);
}

}  // namespace

REZERO_KERNEL_TABLE(ActivationKernel, activation_kernel) = {
    apply<identity_of>,     apply<relu_of>,     apply<leaky_relu_of>, apply<hard_tanh_of>,
    apply<relu_squared_of>, apply<abs_of>,      apply<tanh_of>,       apply<erf_of>,
    apply<scaled_erf_of>,   apply<sigmoid_of>,  apply<gelu_of>,       apply<gelu_tanh_of>,
    apply<silu_of>,         apply<softplus_of>, apply<elu_of>,        apply<selu_of>};

}  // namespace rezero::detail
