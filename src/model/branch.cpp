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
    case Role::conv1:
      return "conv1";
    case Role::conv2:
      return "conv2";
    case Role::conv3:
      return "conv3";
    case Role::shortcut:
      return "shortcut";
  }
  REZERO_REQUIRE(false);
  return {};
}

std::string_view to_string(ConvOrder order) {
  return order == ConvOrder::pre ? "pre" : "post";
}

ConvSpec ConvBranchSpec::convolution(Index i) const {
  ConvSpec spec;
  spec.padding = padding;
  const bool point = bottleneck && i != 1;
  spec.kernel_height = point ? 1 : kernel_height;
  spec.kernel_width = point ? 1 : kernel_width;
  spec.stride = i == (bottleneck ? 1 : 0) ? stride : 1;
  return spec;
}

ImageSpec ConvBranchSpec::output_image() const {
  return conv_output(image, convolution(bottleneck ? 1 : 0));
}

}  // namespace rezero
