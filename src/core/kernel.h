#pragma once
/// Loops that are compiled once for each level of the processor's instruction set and chosen when the program
/// runs, so that a portable program is as fast as one compiled for its machine.
///
/// A kernel is a table of functions. A header of its module declares it,
///
///   struct Sums {
///     Real (*squares)(const Real* x, Index n);
///   };
///   REZERO_KERNEL(Sums, sums)  // declares const Sums& sums(), the table for this processor
///
/// and a source `<name>_kernel.cpp` defines it, in the same namespace; CMake (rezero_kernel() in
/// cmake/RezeroKernels.cmake) finds the source and compiles it once per level:
///
///   namespace {
///   Real squares(const Real* x, Index n) { … }
///   }  // namespace
///   REZERO_KERNEL_TABLE(Sums, sums) = {squares};
///
/// The linker keeps one copy of an inline function or a template instance, perhaps that of the highest level,
/// for all of the program: it would crash on older processors. So kernel sources define nothing but tables
/// outside their unnamed namespace; they include this header, headers that include nothing else or whose
/// functions are static, and C headers; no Eigen and no C++ library. The test `kernel_symbols` enforces it.

#include <cstddef>
#include <cstdint>

namespace rezero {

using Real = double;
using Index = std::ptrdiff_t;

/// Ascending. The names are those of compilers' -march; plain is the compiler's baseline.
enum class KernelLevel { plain, x86_64_v2, x86_64_v3, x86_64_v4 };

/// The highest level at which this processor and its operating system can run.
KernelLevel highest_kernel_level();
/// The level in use: the highest, unless use_kernel_level() says otherwise.
KernelLevel kernel_level();
/// "plain", "x86-64-v3".
const char* kernel_level_name(KernelLevel level);
/// Uses a lower level from now on; for tests and benchmarks, while no other thread computes. Results differ
/// between levels by rounding. Requires that the processor has it.
void use_kernel_level(KernelLevel level);

}  // namespace rezero

#if defined(__x86_64__)
#define REZERO_KERNEL(Table, name)                                                                      \
  namespace plain {                                                                                     \
  extern const Table name;                                                                              \
  }                                                                                                     \
  namespace x86_64_v2 {                                                                                 \
  extern const Table name;                                                                              \
  }                                                                                                     \
  namespace x86_64_v3 {                                                                                 \
  extern const Table name;                                                                              \
  }                                                                                                     \
  namespace x86_64_v4 {                                                                                 \
  extern const Table name;                                                                              \
  }                                                                                                     \
  static inline const Table& name() {                                                                   \
    const Table* const levels[] = {&plain::name, &x86_64_v2::name, &x86_64_v3::name, &x86_64_v4::name}; \
    return *levels[static_cast<int>(::rezero::kernel_level())];                                         \
  }
#else
#define REZERO_KERNEL(Table, name)    \
  namespace plain {                   \
  extern const Table name;            \
  }                                   \
  static inline const Table& name() { \
    return plain::name;               \
  }
#endif

/// In the namespace of REZERO_KERNEL.
#ifndef REZERO_KERNEL_LEVEL
#define REZERO_KERNEL_LEVEL plain
#endif
#define REZERO_KERNEL_TABLE(Table, name) const Table REZERO_KERNEL_LEVEL::name
