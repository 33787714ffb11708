#include "rezero/model/branch.h"

#include "rezero/core/contract.h"

namespace rezero {

#define REZERO_BRANCH(name) BranchKind branch_##name();
#include "branches/branches.def"
#undef REZERO_BRANCH

const Registry<BranchKind>& branches() {
  static const Registry<BranchKind> registry("family", {
#define REZERO_BRANCH(name) branch_##name(),
#include "branches/branches.def"
#undef REZERO_BRANCH
                                                       });
  return registry;
}

std::string_view role_name(Role role) {
  switch (role) {
    case Role::linear:
      return "linear";
    case Role::up:
      return "up";
    case Role::down:
      return "down";
    case Role::gate:
      return "gate";
    case Role::query:
      return "query";
    case Role::key:
      return "key";
    case Role::value:
      return "value";
    case Role::output:
      return "output";
  }
  REZERO_REQUIRE(false);
  return {};
}

}  // namespace rezero
