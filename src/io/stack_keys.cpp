#include "io/stack_keys.h"

#include <algorithm>
#include <functional>
#include <set>

#include "io/stack_tensors.h"

namespace rezero::stack_keys {
namespace {

/// A key, and the kinds that have it.
template <class Kind>
struct Key {
  std::string_view name;
  std::function<bool(const Kind&)> fits;
  std::optional<Real> idle = std::nullopt;  ///< the number that has no effect
};

bool has_activation(const BranchKind& kind) {
  return kind.uses_activation;
}
bool has_heads(const BranchKind& kind) {
  return kind.is_attention;
}
bool has_images(const BranchKind& kind) {
  return kind.is_conv;
}
bool has_inner_norm(const BranchKind& kind) {
  return kind.has_inner_norm;
}
std::vector<Key<BranchKind>> make_branch_keys() {
  std::vector<Key<BranchKind>> keys = {{"activation", has_activation}};
  for (const std::string_view param : activation_params()) keys.push_back({param, has_activation});
  for (const std::string_view key : {"heads", "kv_heads", "causal", "scale", "rope", "qk_norm"})
    keys.push_back({key, has_heads});
  for (const std::string_view key : {"order", "norm", "padding", "stride"}) keys.push_back({key, has_images});
  for (const NormPlace& place : norm_places)
    if (stack_tensors::belongs_to_branch(place)) keys.push_back({place.name, has_inner_norm});
  return keys;
}

/// The parameters that are part of the spec; trained ones are tensors.
std::vector<Key<NormKind>> make_norm_keys() {
  std::vector<Key<NormKind>> keys;
  std::set<std::string_view> known;
  for (const NormKind& kind : norms())
    for (const NormParam& param : kind.numbers) {
      if (param.kind == NormParam::Kind::trained || !known.insert(param.name).second) continue;
      const std::string_view name = param.name;
      keys.push_back({name, [name](const NormKind& other) { return other.find(name) != nullptr; }});
      if (name == "eps") keys.back().idle = param.fallback;
    }
  return keys;
}

/// `dense, mlp`: the kinds that have the key.
template <class Kind>
std::string owners(const Key<Kind>& key, const Registry<Kind>& kinds) {
  std::string names;
  for (const Kind& kind : kinds)
    if (key.fits(kind)) names += (names.empty() ? "" : ", ") + std::string(kind.name);
  return names;
}

template <class Kind>
void check(const JsonCursor& at, const Kind& kind, const std::vector<Key<Kind>>& keys,
           const Registry<Kind>& kinds, std::string_view what) {
  std::vector<std::string_view> known = {"kind"};
  for (const Key<Kind>& key : keys) known.push_back(key.name);
  at.only(known);
  for (const Key<Kind>& key : keys) {
    const std::optional<JsonCursor> field = key.fits(kind) ? std::nullopt : at.optional(key.name);
    if (!field || (key.idle && field->is_number() && field->real() == *key.idle)) continue;
    field->fail("a " + std::string(what) + " of kind '" + std::string(kind.name) + "' has no " +
                std::string(key.name) + " (kinds with one: " + owners(key, kinds) + "); leave the key out");
  }
}

}  // namespace

void check_branch(const JsonCursor& at, const BranchKind& kind) {
  static const std::vector<Key<BranchKind>> keys = make_branch_keys();
  check(at, kind, keys, branches(), "branch");
}

void check_norm(const JsonCursor& at, const NormKind& kind) {
  static const std::vector<Key<NormKind>> keys = make_norm_keys();
  check(at, kind, keys, norms(), "norm");
}

const std::vector<std::string_view>& activation_params() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const ActivationKind& kind : activations())
      for (const ParamInfo& param : kind.params)
        if (std::find(all.begin(), all.end(), param.name) == all.end()) all.push_back(param.name);
    return all;
  }();
  return names;
}

std::string activation_stem(std::string_view key) {
  return key == "activation" ? "" : std::string(key) + "_";
}

}  // namespace rezero::stack_keys
