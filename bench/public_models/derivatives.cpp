/// The value and the derivative of an ONNX model at one input, for models too large for the suite:
///
///     onnx_derivatives MODEL INPUT.npy OUTPUT.npy [FROM TO]
///
/// writes the value of `TO` and prints, as JSON, how far J v is from central differences along random
/// directions v, how far ⟨u, J v⟩ is from ⟨Jᵀ u, v⟩, and the times of a forward pass and of J applied to 16
/// columns.

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "rezero/graph/program.h"
#include "rezero/io/file.h"
#include "rezero/io/npy.h"
#include "rezero/onnx/onnx_stack.h"
#include "rezero/onnx/reader.h"
#include "rezero/random/sample.h"

namespace rezero {
namespace {

constexpr Index directions = 4, columns = 16;

template <class F>
double seconds(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The relative difference of J v and a central difference, the better of several steps: small ones cross
/// fewer kinks, large ones round less.
Real difference_error(const std::function<Vector(const Vector&)>& f, const Vector& x, const Vector& v,
                      const Vector& Jv) {
  Real best = std::numeric_limits<Real>::infinity();
  for (const Real h : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    const Vector difference = (f(x + h * v) - f(x - h * v)) / (2 * h);
    best = std::min(best, (difference - Jv).norm() / Jv.norm());
  }
  return best;
}

int run(int argc, char** argv) {
  if (argc != 4 && argc != 6) {
    std::cerr << "usage: onnx_derivatives MODEL INPUT.npy OUTPUT.npy [FROM TO]\n";
    return 2;
  }
  const std::string path = argv[1];
  const auto model = std::make_shared<const graph::Model>(onnx::parse_model(read_file(path), path));
  std::optional<std::string> from, to;
  if (argc == 6) from = argv[4], to = argv[5];
  const onnx::Endpoints ends = onnx::find_endpoints(*model, from, to);
  const NpyArray array = read_npy(argv[2]);
  graph::TraceRequest request;
  request.from = ends.from, request.to = ends.to;
  request.input = graph::Tensor::of(
      array.shape,
      Vector(Eigen::Map<const Vector>(array.values.data(), static_cast<Index>(array.values.size()))));
  const graph::ProgramPtr program = graph::trace(model, request);
  const auto at = [&](const Vector& x, bool derivatives) {
    graph::RunOptions options;
    options.derivatives = derivatives;
    return graph::run_steps(*program, 0, program->steps.size(), program->from,
                            graph::Tensor::of(array.shape, x), options);
  };
  const auto value = [&](const Vector& x) { return Vector(at(x, false).values.at(program->to).reals()); };

  const Vector x = request.input.reals();
  const graph::StepRun here = at(x, true);
  const graph::Tensor& y = here.values.at(program->to);
  std::ofstream(argv[3], std::ios::binary)
      << npy_bytes({y.dims(), std::vector<Real>(y.reals().data(), y.reals().data() + y.size())});
  const LinearMapPtr J = graph::map_along(here.edges, program->from, x.size(), program->to, y.size());

  Real by_differences = 0, by_adjoint = 0;
  for (Index i = 0; i < directions; ++i) {
    const auto place = static_cast<std::uint32_t>(i);
    const Vector v = normal_vector(x.size(), stream_key(1, StreamRole::probe, place));
    const Vector u = normal_vector(y.size(), stream_key(2, StreamRole::probe, place));
    Matrix Jv(y.size(), 1), Ju(x.size(), 1);
    J->apply(v, Jv);
    J->apply_transpose(u, Ju);
    by_differences = std::max(by_differences, difference_error(value, x, v, Jv.col(0)));
    const Real left = u.dot(Jv.col(0)), right = v.dot(Ju.col(0));
    by_adjoint = std::max(by_adjoint, std::abs(left - right) / (u.norm() * Jv.norm()));
  }
  const Matrix V = normal_matrix(x.size(), columns, stream_key(3, StreamRole::probe));
  Matrix JV(y.size(), columns);
  const double forward = seconds([&] { value(x); }), tangents = seconds([&] { J->apply(V, JV); });
  std::printf(
      "{\"from\": \"%s\", \"to\": \"%s\", \"inputs\": %td, \"outputs\": %td, \"steps\": %zu, "
      "\"difference_error\": %.2e, \"adjoint_error\": %.2e, \"forward_seconds\": %.4f, \"tangent_seconds\": "
      "%.4f}\n",
      ends.from.c_str(), ends.to.c_str(), x.size(), y.size(), program->steps.size(), by_differences,
      by_adjoint, forward, tangents / static_cast<double>(columns));
  return 0;
}

}  // namespace
}  // namespace rezero

int main(int argc, char** argv) {
  try {
    return rezero::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
