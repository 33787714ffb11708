#include "io/stack_keys.h"

namespace rezero::stack_keys {
namespace {

/// A key, and the kinds that have it.
template <class Kind>
struct Key {
  std::string_view name;
  bool (*fits)(const Kind&);
  std::optional<Real> idle = std::nullopt;  ///< the number that asks for nothing
};

using BranchKey = Key<BranchKind>;
using NormKey = Key<NormKind>;

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
  return kind.has_positions;
}
bool has_eps(const NormKind& kind) {
  return kind.has_eps;
}
bool has_groups(const NormKind& kind) {
  return kind.has_groups;
}

const std::vector<BranchKey> branch_keys = {{"activation", has_activation},
                                            {"slope", has_activation},
                                            {"heads", has_heads},
                                            {"kv_heads", has_heads},
                                            {"causal", has_heads},
                                            {"scale", has_heads},
                                            {"rope", has_heads},
                                            {"qk_norm", has_heads},
                                            {"order", has_images},
                                            {"norm", has_images},
                                            {"padding", has_images},
                                            {"stride", has_images},
                                            {"inner_norm", has_inner_norm}};

const std::vector<NormKey> norm_keys = {{"eps", has_eps, NormSpec{}.eps}, {"groups", has_groups}};

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
  check(at, kind, branch_keys, branches(), "branch");
}

void check_norm(const JsonCursor& at, const NormKind& kind) {
  check(at, kind, norm_keys, norms(), "norm");
}

}  // namespace rezero::stack_keys
