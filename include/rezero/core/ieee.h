#pragma once
/// Rejects compilers set to deviate from IEEE 754: certificates depend on its rounding errors, statuses on
/// its NaNs, draws and reports on its bits. Contraction to fused operations is allowed. Clang reveals only
/// finite math; for other flags, cmake/RezeroMath.cmake checks the command line.

#if defined(__FAST_MATH__)
#error "rezero needs IEEE arithmetic: build without -ffast-math"
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ != 0
#error "rezero needs IEEE arithmetic: build without -ffinite-math-only"
#elif defined(__ASSOCIATIVE_MATH__)
#error "rezero needs IEEE arithmetic: build without -fassociative-math and -funsafe-math-optimizations"
#elif defined(__RECIPROCAL_MATH__)
#error "rezero needs IEEE arithmetic: build without -freciprocal-math"
#elif defined(__NO_SIGNED_ZEROS__)
#error "rezero needs IEEE arithmetic: build without -fno-signed-zeros"
#endif
