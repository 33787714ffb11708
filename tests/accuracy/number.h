#pragma once
/// A real number with the precision of the current scope (MPFR), and an exponent that no product here
/// exhausts.

#include <gmp.h>
#include <mpfr.h>

#include <cstdint>

namespace rezero::reference {

/// Sets the precision of new numbers during its lifetime.
class Precision {
 public:
  explicit Precision(long bits) : before_(mpfr_get_default_prec()) { mpfr_set_default_prec(bits); }
  ~Precision() { mpfr_set_default_prec(before_); }
  Precision(const Precision&) = delete;
  Precision& operator=(const Precision&) = delete;

 private:
  mpfr_prec_t before_;
};

class Number {
 public:
  Number(double value = 0) { mpfr_init_set_d(x_, value, MPFR_RNDN); }
  Number(const Number& other) { mpfr_init_set(x_, other.x_, MPFR_RNDN); }
  Number(Number&& other) noexcept : Number() { mpfr_swap(x_, other.x_); }
  ~Number() { mpfr_clear(x_); }
  Number& operator=(const Number& other) {
    if (this != &other) mpfr_set(x_, other.x_, MPFR_RNDN);
    return *this;
  }
  Number& operator=(Number&& other) noexcept {
    mpfr_swap(x_, other.x_);
    return *this;
  }

  mpfr_ptr raw() { return x_; }
  mpfr_srcptr raw() const { return x_; }
  bool is_zero() const { return mpfr_zero_p(x_) != 0; }
  bool is_finite() const { return mpfr_number_p(x_) != 0; }
  /// this += a·b
  void add_product(const Number& a, const Number& b) { mpfr_fma(x_, a.x_, b.x_, x_, MPFR_RNDN); }
  void scale_by_power_of_two(std::int64_t exponent) { mpfr_mul_2si(x_, x_, exponent, MPFR_RNDN); }

  friend Number operator+(const Number& a, const Number& b) { return of(mpfr_add, a, b); }
  friend Number operator-(const Number& a, const Number& b) { return of(mpfr_sub, a, b); }
  friend Number operator*(const Number& a, const Number& b) { return of(mpfr_mul, a, b); }
  friend Number operator/(const Number& a, const Number& b) { return of(mpfr_div, a, b); }
  friend Number operator-(const Number& a) { return of(mpfr_neg, a); }
  friend Number sqrt(const Number& a) { return of(mpfr_sqrt, a); }
  friend Number exp(const Number& a) { return of(mpfr_exp, a); }
  friend Number expm1(const Number& a) { return of(mpfr_expm1, a); }
  friend Number log1p(const Number& a) { return of(mpfr_log1p, a); }
  friend Number tanh(const Number& a) { return of(mpfr_tanh, a); }
  friend Number sech(const Number& a) { return of(mpfr_sech, a); }
  friend Number erf(const Number& a) { return of(mpfr_erf, a); }
  friend Number erfc(const Number& a) { return of(mpfr_erfc, a); }
  friend Number sin(const Number& a) { return of(mpfr_sin, a); }
  friend Number cos(const Number& a) { return of(mpfr_cos, a); }
  friend Number abs(const Number& a) { return of(mpfr_abs, a); }
  friend Number pow(const Number& a, const Number& b) { return of(mpfr_pow, a, b); }
  friend bool operator<(const Number& a, const Number& b) { return mpfr_less_p(a.x_, b.x_) != 0; }
  friend bool operator>(const Number& a, const Number& b) { return b < a; }

  static Number pi() {
    Number result;
    mpfr_const_pi(result.x_, MPFR_RNDN);
    return result;
  }

 private:
  template <class F>
  static Number of(F&& f, const Number& a) {
    Number result;
    f(result.x_, a.x_, MPFR_RNDN);
    return result;
  }
  template <class F>
  static Number of(F&& f, const Number& a, const Number& b) {
    Number result;
    f(result.x_, a.x_, b.x_, MPFR_RNDN);
    return result;
  }
  mpfr_t x_;
};

}  // namespace rezero::reference
