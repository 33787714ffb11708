#pragma once
/// State dicts made from the tables of layouts.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "rezero/io/checkpoint.h"

namespace rezero::test {

/// Sizes of a small model.
struct SmallModel {
  Index features = 4, hidden = 6, queries = 4, keys = 4, head_width = 2;
  Index layers = 2;
  std::string prefix = "";
  bool optional = true;  ///< also the optional tensors of the stack

  Index of(TensorAxis axis) const {
    const std::map<Extent, Index> sizes = {{Extent::one, 1},         {Extent::features, features},
                                           {Extent::hidden, hidden}, {Extent::queries, queries},
                                           {Extent::keys, keys},     {Extent::pairs, head_width / 2}};
    return axis.times * sizes.at(axis.extent);
  }
};

/// All tensors that the layout reads, with numbers that differ from entry to entry.
inline std::vector<Tensor> state_dict(const std::string& spec, const SmallModel& model = {}) {
  const LayoutSpec layout(spec);
  std::vector<Tensor> tensors;
  for (const LayoutTensor& row : layout.layout().tensors) {
    if (!row.is_read() || (row.optional && !model.optional)) continue;
    for (Index layer = 0; layer < (row.in_layers() ? model.layers : 1); ++layer) {
      Tensor tensor;
      tensor.name = row.name;
      if (const std::size_t at = tensor.name.find("{layer}"); at != std::string::npos)
        tensor.name.replace(at, 7, std::to_string(layer));
      tensor.name.insert(0, model.prefix);
      Index count = 1;
      for (const TensorAxis& axis : layout.stored_shape(row)) {
        tensor.shape.push_back(model.of(axis));
        count *= tensor.shape.back();
      }
      for (Index i = 0; i < count; ++i)
        tensor.values.push_back(
            static_cast<Real>((7 * i + 3 * layer + 5 * static_cast<Index>(tensors.size())) % 11) / 8 - 0.5);
      tensors.push_back(std::move(tensor));
    }
  }
  return tensors;
}

inline Tensor& named(std::vector<Tensor>& tensors, const std::string& name) {
  return *std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& each) { return each.name == name; });
}

inline void drop(std::vector<Tensor>& tensors, const std::string& name) {
  tensors.erase(
      std::remove_if(tensors.begin(), tensors.end(), [&](const Tensor& each) { return each.name == name; }),
      tensors.end());
}

inline void rename(std::vector<Tensor>& tensors, const std::string& from, const std::string& to) {
  for (Tensor& tensor : tensors)
    if (const std::size_t at = tensor.name.find(from); at != std::string::npos)
      tensor.name.replace(at, from.size(), to);
}

inline void add(std::vector<Tensor>& tensors, const std::string& name, std::vector<Index> shape) {
  Index count = 1;
  for (const Index size : shape) count *= size;
  tensors.push_back({name, std::move(shape), std::vector<Real>(static_cast<std::size_t>(count), 0.25)});
}

}  // namespace rezero::test
