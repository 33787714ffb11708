#pragma once
/// The processor's sticky underflow flag, one per thread.

#include <cfenv>

namespace rezero::detail {

#if defined(__SSE2__)
/// Only the flag of vector instructions: the library functions also clear that of the x87 unit, which takes
/// longer than a layer's matrix-vector product.
constexpr unsigned underflow_flag = 0x10;
inline void raise_underflow() {
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | underflow_flag);
}
inline void clear_underflow() {
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~underflow_flag);
}
inline bool underflow_raised() {
  return (__builtin_ia32_stmxcsr() & underflow_flag) != 0;
}
#else
inline void raise_underflow() {
  std::feraiseexcept(FE_UNDERFLOW);
}
inline void clear_underflow() {
  std::feclearexcept(FE_UNDERFLOW);
}
inline bool underflow_raised() {
  return std::fetestexcept(FE_UNDERFLOW) != 0;
}
#endif

/// Watches this thread for underflow from its construction on. Watches nest: underflow seen by an inner one
/// is also seen by the outer one.
class UnderflowWatch {
 public:
  UnderflowWatch() : before_(underflow_raised()) { clear_underflow(); }
  ~UnderflowWatch() {
    if (before_) raise_underflow();
  }
  UnderflowWatch(const UnderflowWatch&) = delete;
  UnderflowWatch& operator=(const UnderflowWatch&) = delete;

  bool underflowed() const { return underflow_raised(); }

 private:
  bool before_;
};

}  // namespace rezero::detail
