#include "rezero/analysis/check.h"

namespace rezero {

#define REZERO_ENTRY(name) Check check_##name();
#include "checks/checks.def"

const Registry<Check>& checks() {
  static const Registry<Check> registry("check", {
#define REZERO_ENTRY(name) check_##name(),
#include "checks/checks.def"
                                                 });
  return registry;
}

CheckSpec::CheckSpec(const NamedSpec& spec)
    : check_(&checks().at(spec.name)),
      params_(resolve_params(spec, check_->params, "check '" + std::string(check_->name) + "'")) {}

std::string CheckSpec::canonical() const {
  return canonical_spec(check_->name, params_);
}

}  // namespace rezero
