#include "rezero/analysis/check.h"

namespace rezero {

#define REZERO_CHECK(name) Check check_##name();
#include "checks/checks.def"
#undef REZERO_CHECK

const Registry<Check>& checks() {
  static const Registry<Check> registry("check", {
#define REZERO_CHECK(name) check_##name(),
#include "checks/checks.def"
#undef REZERO_CHECK
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
