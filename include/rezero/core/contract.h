#pragma once
/// Contracts for programming mistakes. REQUIRE is always checked; EXPECT (before) and ENSURE (after) only in
/// debug builds.

#include <string>

namespace rezero::detail {
/// Throws std::logic_error with the place and the condition.
[[noreturn]] void contract_violation(const char* kind, const char* condition, const char* file, int line);
}  // namespace rezero::detail

#define REZERO_CONTRACT_(kind, condition) \
  ((condition) ? void() : ::rezero::detail::contract_violation(kind, #condition, __FILE__, __LINE__))
#define REZERO_REQUIRE(condition) REZERO_CONTRACT_("requirement", condition)
#ifdef NDEBUG
#define REZERO_EXPECT(condition) void()
#define REZERO_ENSURE(condition) void()
#else
#define REZERO_EXPECT(condition) REZERO_CONTRACT_("precondition", condition)
#define REZERO_ENSURE(condition) REZERO_CONTRACT_("postcondition", condition)
#endif
