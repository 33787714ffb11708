/// The distribution of the draws. Bounds are multiples of each estimator's standard error.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "rezero/random/sample.h"

namespace rezero {
namespace {

constexpr Index total = 20000000, chunk = 1 << 16;

/// f(numbers, count) over `draws` elements of one stream.
template <class F>
void over_chunks(void (*fill)(Real*, Index, const StreamKey&, std::uint64_t), F f, Index draws = total) {
  Vector buffer(chunk);
  for (Index at = 0; at < draws; at += chunk) {
    const Index count = std::min(chunk, draws - at);
    fill(buffer.data(), count, stream_key(2024, StreamRole::weight), static_cast<std::uint64_t>(at));
    f(buffer.data(), count);
  }
}

/// Means of x … x^6 against exact ones; even[k] = E x^(2k).
void expect_moments(const Real (&mean)[7], const Real (&even)[7], Index draws = total) {
  for (int k = 1; k <= 6; ++k) {
    const Real expected = k % 2 ? 0 : even[k / 2];
    const Real error = std::sqrt((even[k] - expected * expected) / static_cast<Real>(draws));
    EXPECT_NEAR(mean[k], expected, 5 * error) << "moment " << k;
  }
}

struct Moments {
  Index draws = total;
  Real sum[7] = {};
  void operator()(const Real* x, Index count) {
    Real part[7] = {};
    for (Index i = 0; i < count; ++i) {
      const Real x2 = x[i] * x[i];
      part[1] += x[i], part[2] += x2, part[3] += x2 * x[i];
      part[4] += x2 * x2, part[5] += x2 * x2 * x[i], part[6] += x2 * x2 * x2;
    }
    for (int k = 1; k <= 6; ++k) sum[k] += part[k] / static_cast<Real>(draws);
  }
};

TEST(ReferenceNormalLaw, MomentsToTheSixth) {
  Moments moments;
  over_chunks(fill_normal, [&](const Real* x, Index count) { moments(x, count); });
  expect_moments(moments.sum, {1, 1, 3, 15, 105, 945, 10395});
}

TEST(ReferenceUniformLaw, MomentsToTheSixthAndOpenInterval) {
  Moments moments;
  Real largest = 0, smallest = 1;
  over_chunks(fill_uniform, [&](const Real* x, Index count) {
    moments(x, count);
    for (Index i = 0; i < count; ++i) {
      largest = std::max(largest, std::abs(x[i]));
      smallest = std::min(smallest, std::abs(x[i]));
    }
  });
  expect_moments(moments.sum, {1, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13});
  EXPECT_LT(largest, 1);
  EXPECT_GT(smallest, 0);
}

/// Draws beyond 0 … 6 on either side.
struct Tails {
  Index above[7] = {}, below[7] = {};
  void operator()(const Real* x, Index count) {
    for (int t = 0; t < 7; ++t)
      for (Index i = 0; i < count; ++i) above[t] += x[i] > t, below[t] += x[i] < -t;
  }
  void expect(Index draws) const {
    for (int t = 0; t < 7; ++t) {
      const Real p = 0.5 * std::erfc(t / std::sqrt(2.0)), expected = p * static_cast<Real>(draws);
      const Real error = std::sqrt(expected * (1 - p)) + 1;  // plus one draw, for an expectation below one
      EXPECT_NEAR(static_cast<Real>(above[t]), expected, 5 * error) << t;
      EXPECT_NEAR(static_cast<Real>(below[t]), expected, 5 * error) << t;
    }
  }
};

TEST(ReferenceNormalLaw, TailCounts) {
  Tails tails;
  over_chunks(fill_normal, [&](const Real* x, Index count) { tails(x, count); });
  tails.expect(total);
}

/// All of it at once on 10⁹ draws: moments, tails, and √N sup |F_N − F| over 65,536 points.
TEST(SlowNormalLaw, ABillionDraws) {
  constexpr Index draws = 1000000000, bins = 65536;
  constexpr Real reach = 8;
  Moments moments{draws};
  Tails tails;
  std::vector<Index> histogram(bins, 0);
  over_chunks(
      fill_normal,
      [&](const Real* x, Index count) {
        moments(x, count);
        tails(x, count);
        for (Index i = 0; i < count; ++i) {
          const auto bin = static_cast<Index>((x[i] + reach) * (bins / (2 * reach)));
          ++histogram[static_cast<std::size_t>(std::clamp<Index>(bin, 0, bins - 1))];
        }
      },
      draws);
  expect_moments(moments.sum, {1, 1, 3, 15, 105, 945, 10395}, draws);
  tails.expect(draws);
  Real worst = 0, at = 0;
  Index below = 0;
  for (Index b = 0; b + 1 < bins; ++b) {
    below += histogram[static_cast<std::size_t>(b)];
    const Real edge = static_cast<Real>(b + 1) * (2 * reach / bins) - reach;
    const Real distance = std::abs(static_cast<Real>(below) / static_cast<Real>(draws) -
                                   0.5 * std::erfc(-edge / std::sqrt(2.0)));
    if (distance > worst) worst = distance, at = edge;
  }
  std::printf("a billion draws: sqrt(N) sup |F_N - F| = %.3f at %.3f; beyond 6: %d and %d\n",
              std::sqrt(static_cast<Real>(draws)) * worst, at, static_cast<int>(tails.above[6]),
              static_cast<int>(tails.below[6]));
  EXPECT_LT(std::sqrt(static_cast<Real>(draws)) * worst, 2.6);
}

/// √N sup |F_N − F|; above 2.6 with probability 3e-6.
template <class F>
Real kolmogorov(Vector x, F distribution) {
  std::sort(x.data(), x.data() + x.size());
  const Real n = static_cast<Real>(x.size());
  Real worst = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const Real f = distribution(x[i]);
    worst = std::max({worst, f - static_cast<Real>(i) / n, static_cast<Real>(i + 1) / n - f});
  }
  return std::sqrt(n) * worst;
}

TEST(ReferenceNormalLaw, KolmogorovSmirnov) {
  const auto normal = [](Real x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  const Vector x = normal_vector(1000000, {11, 0x100, 0});
  EXPECT_LT(kolmogorov(x, normal), 2.6);
  const Vector even = Vector::NullaryExpr(x.size() / 2, [&](Index i) { return x[2 * i]; });
  EXPECT_LT(kolmogorov(even, normal), 2.6);
  const Matrix u = uniform_matrix(500000, 1, {11, 0x101, 0});
  EXPECT_LT(kolmogorov(u.col(0), [](Real v) { return 0.5 * (v + 1); }), 2.6);
}

/// √N times the correlation of two equally long samples of standard normals, and of their squares.
void expect_uncorrelated(const Vector& a, const Vector& b, const char* what) {
  const Real n = static_cast<Real>(a.size());
  EXPECT_LT(std::abs(a.dot(b)) / std::sqrt(n), 5) << what;
  const Vector squares = (a.array().square() - 1) * (b.array().square() - 1);
  EXPECT_LT(std::abs(squares.sum()) / std::sqrt(4 * n), 5) << what << ", squares";
}

TEST(ReferenceNormalLaw, NeighbouringAddressesAreUncorrelated) {
  const Index n = 500000;
  const Vector x = normal_vector(2 * n, {5, 0x100, 1});
  const auto strided = [&](Index first) {
    return Vector(Vector::NullaryExpr(n - 1, [&](Index i) { return x[2 * i + first]; }));
  };
  expect_uncorrelated(strided(0), strided(1), "within a pair");
  expect_uncorrelated(strided(1), strided(2), "across pairs");
  expect_uncorrelated(strided(0), strided(2), "first of neighbouring pairs");
  expect_uncorrelated(x, normal_vector(2 * n, {5, 0x100, 2}), "blocks");
  expect_uncorrelated(x, normal_vector(2 * n, {5, 0x101, 1}), "roles");
  expect_uncorrelated(x, normal_vector(2 * n, {6, 0x100, 1}), "seeds");
}

}  // namespace
}  // namespace rezero
