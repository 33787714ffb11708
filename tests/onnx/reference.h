#pragma once
/// The models of tests/reference/onnx and what is right for them (README.md there).

#include <fstream>
#include <nlohmann/json.hpp>

#include "rezero/io/npy.h"
#include "rezero/onnx/onnx_stack.h"
#include "rezero/onnx/reader.h"

namespace rezero::testing {

inline std::string onnx_path(const std::string& name) {
  return std::string(REZERO_TEST_DATA) + "/reference/onnx/" + name;
}

inline nlohmann::json onnx_json(const std::string& name) {
  std::ifstream file(onnx_path(name));
  return nlohmann::json::parse(file);
}

/// Base names of the models (`bad`: of the files to be refused), from index.json.
inline std::vector<std::string> onnx_names(const std::string& key) {
  std::vector<std::string> names;
  const nlohmann::json index = onnx_json("index.json");
  for (const auto& [name, what] : index.at(key).items()) names.push_back(name);
  return names;
}

inline graph::Tensor read_tensor(const std::string& path) {
  const NpyArray array = read_npy(path);
  return graph::Tensor::of(array.shape, Vector(Eigen::Map<const Vector>(
                                            array.values.data(), static_cast<Index>(array.values.size()))));
}

/// The stack of a reference file, between the tensors that its .json names or those given.
inline onnx::OnnxStackPtr onnx_stack(const nlohmann::json& right, const std::string& folder = "",
                                     std::optional<std::string> from = {},
                                     std::optional<std::string> to = {}) {
  const std::string path = onnx_path(folder + right.at("file").get<std::string>());
  const std::string bytes = read_file(path);
  const auto model = std::make_shared<const graph::Model>(onnx::parse_model(bytes, path));
  const bool defaults = right.at("defaults").get<bool>();
  if (!from && !defaults) from = right.at("from").get<std::string>();
  if (!to && !defaults) to = right.at("to").get<std::string>();
  const onnx::Endpoints ends = onnx::find_endpoints(*model, from, to);
  onnx::OnnxOptions options;
  if (right.contains("feeds"))
    for (const auto& [name, file] : right.at("feeds").items())
      options.feeds[name] = read_tensor(onnx_path(folder + file.get<std::string>()));
  return onnx::make_onnx_stack(
      model, ends, read_tensor(onnx_path(folder + right.at("input").get<std::string>())), options);
}

}  // namespace rezero::testing
