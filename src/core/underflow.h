#pragma once
/// The processor's sticky underflow flag, one per thread.

#include <cfenv>

namespace rezero::detail {

#if defined(__SSE2__)
/// Only the flag of vector instructions: the library functions also clear that of the x87 unit, which takes
/// longer than a layer's matrix-vector product.
constexpr unsigned underflow_flag = 0x10;
/// Clears the flag.
inline void watch_underflow() {
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~underflow_flag);
}
inline bool underflowed() {
  return (__builtin_ia32_stmxcsr() & underflow_flag) != 0;
}
inline void raise_underflow() {
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | underflow_flag);
}
#else
inline void watch_underflow() {
  std::feclearexcept(FE_UNDERFLOW);
}
inline bool underflowed() {
  return std::fetestexcept(FE_UNDERFLOW) != 0;
}
inline void raise_underflow() {
  std::feraiseexcept(FE_UNDERFLOW);
}
#endif

}  // namespace rezero::detail
