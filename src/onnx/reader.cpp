/// Protobuf messages → graph structs. The only file that includes protobuf's headers.
#include "rezero/onnx/reader.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/onnx_pb.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <set>

#include "rezero/core/error.h"
#include "rezero/core/text.h"
#include "rezero/io/sha256.h"

namespace rezero::onnx {
namespace {

namespace proto = ::onnx;
using graph::Dims;
using graph::Element;
using graph::Integers;
using graph::Tensor;

constexpr int deepest_subgraph = 16;
constexpr std::uint64_t most_message_bytes = (std::uint64_t{1} << 31) - 1;  // protobuf's own limit

Real from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const Real sign = bits >> 15 ? -1 : 1;
  if (exponent == 31)
    return fraction ? std::numeric_limits<Real>::quiet_NaN() : sign * std::numeric_limits<Real>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

Real from_bfloat(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return static_cast<Real>(value);
}

/// How a type of ONNX is stored and read.
struct TypeInfo {
  int type;
  Element element;
  std::size_t bytes;
};

constexpr TypeInfo types[] = {
    {proto::TensorProto::FLOAT, Element::real, 4},     {proto::TensorProto::DOUBLE, Element::real, 8},
    {proto::TensorProto::FLOAT16, Element::real, 2},   {proto::TensorProto::BFLOAT16, Element::real, 2},
    {proto::TensorProto::INT8, Element::integer, 1},   {proto::TensorProto::INT16, Element::integer, 2},
    {proto::TensorProto::INT32, Element::integer, 4},  {proto::TensorProto::INT64, Element::integer, 8},
    {proto::TensorProto::UINT8, Element::integer, 1},  {proto::TensorProto::UINT16, Element::integer, 2},
    {proto::TensorProto::UINT32, Element::integer, 4}, {proto::TensorProto::UINT64, Element::integer, 8},
    {proto::TensorProto::BOOL, Element::boolean, 1}};

const TypeInfo* info_of(int type) {
  for (const TypeInfo& info : types)
    if (info.type == type) return &info;
  return nullptr;
}

template <class T>
T load(const char* bytes) {  // files are little-endian, and so are the machines we support
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

Real real_from(const char* bytes, int type) {
  switch (type) {
    case proto::TensorProto::FLOAT:
      return static_cast<Real>(load<float>(bytes));
    case proto::TensorProto::DOUBLE:
      return load<double>(bytes);
    case proto::TensorProto::FLOAT16:
      return from_half(load<std::uint16_t>(bytes));
    default:
      return from_bfloat(load<std::uint16_t>(bytes));
  }
}

std::int64_t whole_from(const char* bytes, int type) {
  switch (type) {
    case proto::TensorProto::INT8:
      return load<std::int8_t>(bytes);
    case proto::TensorProto::INT16:
      return load<std::int16_t>(bytes);
    case proto::TensorProto::INT32:
      return load<std::int32_t>(bytes);
    case proto::TensorProto::UINT16:
      return load<std::uint16_t>(bytes);
    case proto::TensorProto::UINT32:
      return load<std::uint32_t>(bytes);
    case proto::TensorProto::UINT64:
      return static_cast<std::int64_t>(load<std::uint64_t>(bytes));
    case proto::TensorProto::INT64:
      return load<std::int64_t>(bytes);
    default:
      return load<std::uint8_t>(bytes);
  }
}

class Reader {
 public:
  Reader(std::string path, MemoryCheck require_memory)
      : path_(std::move(path)), require_memory_(std::move(require_memory)) {}

  graph::Model model(const proto::ModelProto& from) {
    if (!from.has_graph()) fail("holds no graph, so it is no ONNX model");
    graph::Model model;
    model.opset = opset_of(from);
    model.producer = from.producer_name();
    if (from.graph().node_size() == 0) fail("has a graph without nodes");
    model.graph = graph_of(from.graph(), 0);
    model.external_files = external_files();
    return model;
  }

  Tensor tensor(const proto::TensorProto& from, const std::string& name) {
    Dims dims(from.dims().begin(), from.dims().end());
    for (const Index extent : dims)
      if (extent < 0) fail("tensor '" + printable(name) + "' has a negative extent");
    Index count = 0;
    try {
      count = graph::count_of(dims);
    } catch (const MemoryError& error) {
      fail("tensor '" + printable(name) + "': " + error.what());
    }
    const TypeInfo* info = info_of(from.data_type());
    if (!info) return Tensor::unsupported(std::move(dims));
    if (from.has_segment())
      fail("tensor '" + printable(name) + "' is stored in segments, which is not supported");
    if (from.data_location() == proto::TensorProto::EXTERNAL)
      return from_bytes(external(from, name, count, *info), *info, std::move(dims), count, name);
    if (from.has_raw_data()) return from_bytes(from.raw_data(), *info, std::move(dims), count, name);
    return from_fields(from, *info, std::move(dims), count, name);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw IoError("'" + printable(path_) + "' " + problem);
  }

  int opset_of(const proto::ModelProto& from) const {
    for (const proto::OperatorSetIdProto& set : from.opset_import()) {
      if (!set.domain().empty() && set.domain() != "ai.onnx") continue;
      if (set.version() < first_opset || set.version() > last_opset)
        fail("uses operator set (opset) " + std::to_string(set.version()) + "; " +
             std::to_string(first_opset) + " to " + std::to_string(last_opset) + " are supported");
      return static_cast<int>(set.version());
    }
    fail("names no operator set (opset)");
  }

  Tensor from_bytes(const std::string& bytes, const TypeInfo& info, Dims dims, Index count,
                    const std::string& name) {
    if (bytes.size() / info.bytes != static_cast<std::size_t>(count) || bytes.size() % info.bytes != 0)
      fail("tensor '" + printable(name) + "' has " + std::to_string(bytes.size()) +
           " bytes of data, its shape " + graph::text_of(dims) + " takes " +
           std::to_string(static_cast<std::size_t>(count) * info.bytes));
    const char* at = bytes.data();
    if (info.element == Element::real) {
      Vector values(count);
      for (Index i = 0; i < count; ++i, at += info.bytes) values(i) = real_from(at, info.type);
      return Tensor::of(std::move(dims), std::move(values));
    }
    Integers values(static_cast<std::size_t>(count));
    for (std::int64_t& value : values) value = whole_from(at, info.type), at += info.bytes;
    return Tensor::of(std::move(dims), std::move(values), info.element);
  }

  Tensor from_fields(const proto::TensorProto& from, const TypeInfo& info, Dims dims, Index count,
                     const std::string& name) {
    const auto require = [&](int size) {
      if (size != count)
        fail("tensor '" + printable(name) + "' has " + std::to_string(size) + " numbers, its shape " +
             graph::text_of(dims) + " takes " + std::to_string(count));
    };
    if (info.element == Element::real) {
      const bool single = info.type == proto::TensorProto::FLOAT,
                 wide = info.type == proto::TensorProto::DOUBLE;
      // Before anything of the size that the shape claims is allocated.
      require(single ? from.float_data_size() : wide ? from.double_data_size() : from.int32_data_size());
      Vector values(count);
      if (single) {
        for (Index i = 0; i < count; ++i) values(i) = static_cast<Real>(from.float_data(static_cast<int>(i)));
      } else if (wide) {
        for (Index i = 0; i < count; ++i) values(i) = from.double_data(static_cast<int>(i));
      } else {
        const bool half = info.type == proto::TensorProto::FLOAT16;
        for (Index i = 0; i < count; ++i) {
          const auto bits = static_cast<std::uint16_t>(from.int32_data(static_cast<int>(i)));
          values(i) = half ? from_half(bits) : from_bfloat(bits);
        }
      }
      return Tensor::of(std::move(dims), std::move(values));
    }
    Integers values;
    if (info.type == proto::TensorProto::INT64) {
      require(from.int64_data_size());
      values.assign(from.int64_data().begin(), from.int64_data().end());
    } else if (info.type == proto::TensorProto::UINT32 || info.type == proto::TensorProto::UINT64) {
      require(from.uint64_data_size());
      for (const std::uint64_t value : from.uint64_data()) values.push_back(static_cast<std::int64_t>(value));
    } else {
      require(from.int32_data_size());
      values.assign(from.int32_data().begin(), from.int32_data().end());
    }
    return Tensor::of(std::move(dims), std::move(values), info.element);
  }

  /// The bytes of a tensor that lies in a file beside the model, and nowhere else.
  std::string external(const proto::TensorProto& from, const std::string& name, Index count,
                       const TypeInfo& info) {
    std::string location;
    std::uint64_t offset = 0;
    const std::uint64_t needed = static_cast<std::uint64_t>(count) * info.bytes;
    std::uint64_t length = needed;
    for (const proto::StringStringEntryProto& entry : from.external_data()) {
      if (entry.key() == "location") location = entry.value();
      if (entry.key() == "offset") offset = number(entry.value(), name);
      if (entry.key() == "length") length = number(entry.value(), name);
    }
    if (length != needed)
      fail("tensor '" + printable(name) + "' has " + std::to_string(length) +
           " bytes of external data, its shape takes " + std::to_string(needed));
    const std::string& bytes = beside(location, name);
    if (offset > bytes.size() || length > bytes.size() - offset)
      fail("tensor '" + printable(name) + "' lies beyond the end of '" + printable(location) + "' (" +
           std::to_string(bytes.size()) + " bytes)");
    return bytes.substr(offset, length);
  }

  std::uint64_t number(const std::string& text, const std::string& name) const {
    if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
      fail("tensor '" + printable(name) + "' has a bad offset or length of external data");
    return std::stoull(text);
  }

  const std::string& beside(const std::string& location, const std::string& name) {
    namespace fs = std::filesystem;
    const auto known = files_.find(location);
    if (known != files_.end()) return known->second;
    const fs::path relative(location), folder = fs::absolute(fs::path(path_)).parent_path();
    std::error_code error;
    const fs::path root = fs::weakly_canonical(folder, error),
                   target = fs::weakly_canonical(folder / relative, error);
    const auto [end, rest] = std::mismatch(root.begin(), root.end(), target.begin(), target.end());
    static_cast<void>(rest);
    if (location.empty() || relative.is_absolute() || location.find('\0') != std::string::npos || error ||
        end != root.end())
      fail("refers to '" + printable(location) + "' outside its folder for tensor '" + printable(name) + "'");
    try {
      return files_.emplace(location, read_file(target.string(), default_read_limit, require_memory_))
          .first->second;
    } catch (const IoError&) {
      fail("needs '" + printable(location) + "' beside it for tensor '" + printable(name) +
           "', which cannot be read");
    }
  }

  std::shared_ptr<const graph::Graph> subgraph(const proto::GraphProto& from, int depth) {
    if (depth > deepest_subgraph) fail("has subgraphs nested too deeply");
    return std::make_shared<const graph::Graph>(graph_of(from, depth));
  }

  graph::Attribute attribute(const proto::AttributeProto& from, const std::string& node, int depth) {
    switch (from.type()) {
      case proto::AttributeProto::FLOAT:
        return static_cast<Real>(from.f());
      case proto::AttributeProto::INT:
        return static_cast<std::int64_t>(from.i());
      case proto::AttributeProto::STRING:
        return from.s();
      case proto::AttributeProto::TENSOR:
        return tensor(from.t(), node);
      case proto::AttributeProto::GRAPH:
        return subgraph(from.g(), depth + 1);
      case proto::AttributeProto::FLOATS: {
        std::vector<Real> values;
        for (const float value : from.floats()) values.push_back(static_cast<Real>(value));
        return values;
      }
      case proto::AttributeProto::INTS:
        return Integers(from.ints().begin(), from.ints().end());
      case proto::AttributeProto::STRINGS:
        return std::vector<std::string>(from.strings().begin(), from.strings().end());
      default:
        return Tensor::unsupported({0});
    }
  }

  graph::Node node(const proto::NodeProto& from, int depth) {
    graph::Node node;
    node.name = from.name(), node.type = from.op_type(), node.domain = from.domain();
    node.inputs.assign(from.input().begin(), from.input().end());
    node.outputs.assign(from.output().begin(), from.output().end());
    for (const proto::AttributeProto& each : from.attribute())
      node.attributes.emplace(each.name(), attribute(each, node.title(), depth));
    return node;
  }

  static graph::Port port(const proto::ValueInfoProto& from) {
    graph::Port port;
    port.name = from.name();
    const proto::TypeProto::Tensor& type = from.type().tensor_type();
    const TypeInfo* info = info_of(type.elem_type());
    port.element = info ? info->element : Element::other;
    port.type =
        proto::TensorProto::DataType_IsValid(type.elem_type())
            ? proto::TensorProto::DataType_Name(static_cast<proto::TensorProto::DataType>(type.elem_type()))
            : "UNKNOWN";
    port.has_dims = type.has_shape();
    for (const proto::TensorShapeProto::Dimension& dim : type.shape().dim()) {
      graph::Port::Extent extent;
      if (dim.has_dim_value()) extent.size = dim.dim_value();
      extent.symbol = dim.dim_param();
      port.dims.push_back(std::move(extent));
    }
    return port;
  }

  graph::Graph graph_of(const proto::GraphProto& from, int depth) {
    graph::Graph graph;
    graph.name = from.name();
    if (from.sparse_initializer_size() > 0) fail("has sparse initializers, which are not supported");
    for (const proto::TensorProto& each : from.initializer())
      if (!graph.initializers.emplace(each.name(), tensor(each, each.name())).second)
        fail("has two initializers '" + printable(each.name()) + "'");
    for (const proto::ValueInfoProto& each : from.input()) graph.inputs.push_back(port(each));
    for (const proto::ValueInfoProto& each : from.output()) graph.outputs.push_back(port(each));
    for (const proto::ValueInfoProto& each : from.value_info()) graph.described.push_back(port(each));
    graph.nodes.reserve(static_cast<std::size_t>(from.node_size()));
    for (const proto::NodeProto& each : from.node()) graph.nodes.push_back(node(each, depth));
    std::set<std::string> inputs;
    for (const graph::Port& input : graph.inputs)
      if (!inputs.insert(input.name).second) fail("has two inputs '" + printable(input.name) + "'");
    return graph;
  }

  /// Paths as a user would write them, beside the model's.
  std::vector<graph::ExternalFile> external_files() const {
    std::vector<graph::ExternalFile> files;
    for (const auto& [location, bytes] : files_)
      files.push_back({(std::filesystem::path(path_).parent_path() / location).string(), sha256_hex(bytes)});
    return files;
  }

  std::string path_;
  MemoryCheck require_memory_;
  std::map<std::string, std::string> files_;  ///< external data, by location
};

template <class Message>
bool parse(std::string_view bytes, Message& message) {
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(100);
  return message.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

template <class Message>
Message parsed(std::string_view bytes, const std::string& path, const char* what) {
  if (bytes.size() > most_message_bytes)
    throw IoError("'" + printable(path) +
                  "' is larger than 2 GB, which protobuf cannot read (keep weights as external data)");
  google::protobuf::LogSilencer silent;  // a broken file is our message, not protobuf's
  Message message;
  if (!parse(bytes, message))
    throw IoError("'" + printable(path) + "' is not " + what +
                  " (its bytes are no protobuf message of that kind)");
  return message;
}

}  // namespace

graph::Model parse_model(std::string_view bytes, const std::string& path, const MemoryCheck& require_memory) {
  if (require_memory)
    require_memory(4 * static_cast<Real>(bytes.size()));  // the file, its message, its doubles
  const auto message = parsed<proto::ModelProto>(bytes, path, "an ONNX model");
  return Reader(path, require_memory).model(message);
}

graph::Tensor parse_tensor(std::string_view bytes, const std::string& path) {
  const auto message = parsed<proto::TensorProto>(bytes, path, "an ONNX tensor");
  return Reader(path, {}).tensor(message, message.name());
}

bool can_read() {
  return true;
}

}  // namespace rezero::onnx
