#include "rezero/analysis/check.h"

#include "rezero/core/error.h"

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

namespace {

/// Verdicts show a check of this name, which no one can ask for by it.
const Check& check_of(const std::string& name) {
  if (name == "recipe")
    throw UsageError(
        "the check 'recipe' belongs to a scheme (use --expect-scheme NAME, with or without --check)");
  return checks().at(name);
}

}  // namespace

CheckSpec::CheckSpec(const NamedSpec& spec)
    : check_(&check_of(spec.name)),
      params_(resolve_params(spec, check_->params, "check '" + std::string(check_->name) + "'")) {}

std::string CheckSpec::canonical() const {
  return canonical_spec(check_->name, params_);
}

}  // namespace rezero
