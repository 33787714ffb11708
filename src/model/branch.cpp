#include "rezero/model/branch.h"

#include <iterator>

#include "rezero/core/contract.h"

namespace rezero {

#define REZERO_ENTRY(name) BranchKind branch_##name();
#include "branches/branches.def"

const Registry<BranchKind>& branches() {
  static const Registry<BranchKind> registry("family", {
#define REZERO_ENTRY(name) branch_##name(),
#include "branches/branches.def"
                                                       });
  return registry;
}

namespace {

using Form = RoleInfo::Form;

/// In the order of the roles' numbers.
constexpr RoleInfo roles[] = {
    {Role::linear, "linear", WeightPlace::feed_forward, Form::matrix},
    {Role::up, "up", WeightPlace::feed_forward, Form::matrix},
    {Role::down, "down", WeightPlace::feed_forward, Form::matrix},
    {Role::gate, "gate", WeightPlace::feed_forward, Form::matrix},
    {Role::query, "query", WeightPlace::attention_input, Form::matrix},
    {Role::key, "key", WeightPlace::attention_input, Form::matrix},
    {Role::value, "value", WeightPlace::attention_input, Form::matrix},
    {Role::output, "output", WeightPlace::attention_output, Form::matrix},
    {Role::conv1, "conv1", WeightPlace::feed_forward, Form::kernel},
    {Role::conv2, "conv2", WeightPlace::feed_forward, Form::kernel},
    {Role::conv3, "conv3", WeightPlace::feed_forward, Form::kernel},
    {Role::shortcut, "shortcut", WeightPlace::feed_forward, Form::kernel},
};

constexpr bool rows_are_numbered() {
  for (std::size_t i = 0; i < std::size(roles); ++i)
    if (roles[i].role != static_cast<Role>(i)) return false;
  return true;
}
static_assert(rows_are_numbered());

}  // namespace

const RoleInfo& role_info(Role role) {
  REZERO_REQUIRE(static_cast<std::size_t>(role) < std::size(roles));
  return roles[static_cast<std::size_t>(role)];
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
