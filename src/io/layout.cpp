#include "rezero/io/layout.h"

#include <algorithm>

#include "rezero/core/contract.h"

namespace rezero {

#define REZERO_ENTRY(name) Layout layout_##name();
#include "layouts/layouts.def"

const Registry<Layout>& layouts() {
  static const Registry<Layout> registry("layout", {
#define REZERO_ENTRY(name) layout_##name(),
#include "layouts/layouts.def"
                                                   });
  return registry;
}

std::string_view Layout::stem() const {
  const std::string_view first = tensors.front().name;
  const std::size_t at = first.find("{layer}");
  REZERO_REQUIRE(at != std::string_view::npos);
  return first.substr(0, at);
}

LayoutSpec::LayoutSpec(const NamedSpec& spec)
    : layout_(&layouts().at(spec.name)),
      params_(resolve_params(spec, layout_->params, "layout '" + std::string(layout_->name) + "'")) {}

const ParamValue* LayoutSpec::find(std::string_view param) const {
  for (const ParamValue& value : params_.values())
    if (value.name == param) return &value;
  return nullptr;
}

bool LayoutSpec::norms_first() const {
  const ParamValue* value = find("norm_first");
  return !value || value->text == "true";
}

bool LayoutSpec::swapped(const LayoutTensor& tensor) const {
  const ParamValue* value = find("stored");
  return tensor.conv1d && (!value || value->text == "conv1d");
}

std::vector<TensorAxis> LayoutSpec::stored_shape(const LayoutTensor& tensor) const {
  std::vector<TensorAxis> axes = tensor.shape;
  if (swapped(tensor)) std::reverse(axes.begin(), axes.end());
  return axes;
}

std::string axes_text(const std::vector<TensorAxis>& axes) {
  const auto letter = [](Extent extent) -> std::string {
    switch (extent) {
      case Extent::one:
        return "1";
      case Extent::features:
        return "d";
      case Extent::hidden:
        return "h";
      case Extent::queries:
        return "q";
      case Extent::keys:
        return "k";
      case Extent::pairs:
        return "w/2";
    }
    return "";
  };
  std::string text;
  for (const TensorAxis& axis : axes)
    text += (text.empty() ? "" : " × ") + (axis.times == 1 ? "" : std::to_string(axis.times)) +
            letter(axis.extent);
  return text;
}

}  // namespace rezero
