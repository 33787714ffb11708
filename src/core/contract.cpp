#include "rezero/core/contract.h"

#include <stdexcept>

namespace rezero::detail {

void contract_violation(const char* kind, const char* condition, const char* file, int line) {
  throw std::logic_error(std::string(kind) + " violated: " + condition + " at " + file + ":" +
                         std::to_string(line));
}

}  // namespace rezero::detail
