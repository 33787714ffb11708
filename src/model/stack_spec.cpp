#include "rezero/model/stack_spec.h"

#include <algorithm>
#include <cmath>

#include "rezero/core/contract.h"

namespace rezero {

Initializer base_initializer(const SchemeSpec& scheme, const Family& family) {
  const std::string_view own = family.geometry->base_law(scheme.scheme(), family);
  return Initializer(own.empty() ? "he" : own);
}

StackSpec::StackSpec(std::string_view its_scheme, std::string_view its_family)
    : StackSpec(SchemeSpec(its_scheme), families().at(its_family)) {}

StackSpec::StackSpec(SchemeSpec its_scheme, const Family& its_family)
    : StackSpec(its_scheme, its_family, Activation("relu"), base_initializer(its_scheme, its_family)) {}

StackSpec::StackSpec(SchemeSpec its_scheme, const Family& its_family, Activation its_activation,
                     Initializer its_initializer)
    : scheme(std::move(its_scheme)),
      family(&its_family),
      width(its_family.geometry->default_width),
      hidden_ratio(its_family.default_hidden_ratio),
      activation(std::move(its_activation)),
      initializer(std::move(its_initializer)) {
  tokens.tokens = its_family.default_tokens;
}

Index StackSpec::hidden() const {
  return std::max<Index>(1, std::llround(hidden_ratio * static_cast<Real>(width)));
}

}  // namespace rezero
