#include "rezero/model/family.h"

#include <algorithm>

#include "rezero/model/geometry.h"

namespace rezero {
namespace {

constexpr Index transformer_tokens = 16;
constexpr Real transformer_hidden_ratio = 4;

/// One block per layer: the branch kind itself.
Family simple(const BranchKind& kind) {
  Family family;
  static_cast<Entry&>(family) = kind;
  family.blocks = {kind.name};
  family.geometry = &kind.geometry();
  if (kind.is_attention) family.default_tokens = transformer_tokens;
  return family;
}

Family transformer(std::string_view name, std::string_view feed_forward, std::string_view summary) {
  Family family;
  family.name = name;
  family.summary = summary;
  family.blocks = {"attention", feed_forward};
  family.geometry = &token_geometry();
  family.default_tokens = transformer_tokens;
  family.default_hidden_ratio = transformer_hidden_ratio;
  return family;
}

std::vector<Family> table() {
  std::vector<Family> all;
  for (const BranchKind& kind : branches()) all.push_back(simple(kind));
  all.push_back(transformer("transformer", "mlp", "a layer is an attention block, then an mlp block"));
  all.push_back(transformer("glu-transformer", "glu", "a layer is an attention block, then a glu block"));
  return all;
}

template <class Predicate>
bool any_branch(const Family& family, Predicate predicate) {
  const auto kinds = family.branches();
  return std::any_of(kinds.begin(), kinds.end(), predicate);
}

}  // namespace

const Registry<Family>& families() {
  static const Registry<Family> registry("family", table());
  return registry;
}

std::vector<const BranchKind*> Family::branches() const {
  std::vector<const BranchKind*> kinds;
  for (std::string_view block : blocks) kinds.push_back(&rezero::branches().at(block));
  return kinds;
}

bool Family::uses_activation() const {
  return any_branch(*this, [](const BranchKind* kind) { return kind->uses_activation; });
}
bool Family::has_hidden() const {
  return any_branch(*this, [](const BranchKind* kind) { return kind->has_hidden; });
}
bool Family::has_attention() const {
  return any_branch(*this, [](const BranchKind* kind) { return kind->is_attention; });
}
bool Family::has_tokens() const {
  return geometry == &token_geometry();
}
bool Family::has_images() const {
  return any_branch(*this, [](const BranchKind* kind) { return kind->is_conv; });
}

int Family::degree() const {
  int largest = 0;
  for (const BranchKind* kind : branches()) {
    if (kind->degree == 0) return 0;
    largest = std::max(largest, kind->degree);
  }
  return largest;
}

}  // namespace rezero
