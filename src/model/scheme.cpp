#include "rezero/model/scheme.h"

#include "schemes/parts.h"

namespace rezero {

#define REZERO_ENTRY(name) Scheme scheme_##name();
#include "schemes/schemes.def"

const Registry<Scheme>& schemes() {
  static const Registry<Scheme> registry("scheme", {
#define REZERO_ENTRY(name) scheme_##name(),
#include "schemes/schemes.def"
                                                   });
  return registry;
}

WeightGain BlockPlan::gain(Role role) const {
  const auto found = gains.find(role);
  return found == gains.end() ? WeightGain{} : found->second;
}

SchemeSpec::SchemeSpec(const NamedSpec& spec)
    : scheme_(&schemes().at(spec.name)),
      params_(resolve_params(spec, scheme_->params, "scheme '" + std::string(scheme_->name) + "'")) {}

}  // namespace rezero
