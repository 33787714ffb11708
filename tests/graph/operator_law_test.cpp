/// The laws of every operator: derivatives against central differences, adjoints against tangents. A list of
/// cases at points away from kinks; an operator without a case fails the test.

#include <gtest/gtest.h>

#include <set>

#include "rezero/graph/program.h"
#include "rezero/random/sample.h"

namespace rezero::graph {
namespace {

struct OperatorCase {
  std::string type;
  std::vector<Tensor> inputs;
  std::map<std::string, Attribute> attributes = {};
  int opset = 17;
  std::vector<std::size_t> vary = {0};  ///< inputs with respect to which the derivative is tested
};

Tensor normal(Dims dims, std::uint32_t stream = 0) {
  const Index count = count_of(dims);
  return Tensor::of(std::move(dims), normal_vector(count, stream_key(7, StreamRole::probe, 0, stream)));
}

/// Numbers in (0.2, 0.8).
Tensor inside(Dims dims) {
  const Tensor x = normal(dims, 1);
  return Tensor::of(std::move(dims), Vector(0.5 + 0.3 * x.reals().array().tanh()));
}

Tensor whole(Integers values) {
  return Tensor::list(std::move(values));
}

std::vector<OperatorCase> unary_cases() {
  std::vector<OperatorCase> all;
  for (const char* type : {"Neg",
                           "Abs",
                           "Sign",
                           "Floor",
                           "Ceil",
                           "Round",
                           "Exp",
                           "Sin",
                           "Cos",
                           "Tan",
                           "Atan",
                           "Sinh",
                           "Cosh",
                           "Asinh",
                           "Tanh",
                           "Erf",
                           "Sigmoid",
                           "Softplus",
                           "Softsign",
                           "Mish",
                           "Relu",
                           "LeakyRelu",
                           "ThresholdedRelu",
                           "Elu",
                           "Celu",
                           "Selu",
                           "HardSigmoid",
                           "HardSwish",
                           "Shrink",
                           "Identity",
                           "Softmax",
                           "LogSoftmax",
                           "Hardmax",
                           "ReduceL1",
                           "ReduceL2",
                           "ReduceMax",
                           "ReduceMin",
                           "ReduceMean",
                           "ReduceLogSumExp",
                           "ReduceProd",
                           "ReduceSum",
                           "ReduceSumSquare",
                           "LpNormalization",
                           "Flatten",
                           "Transpose"})
    all.push_back({type, {normal({3, 4})}});
  for (const char* type : {"Asin", "Acos", "Atanh", "Log", "Sqrt", "Reciprocal", "ReduceLogSum"})
    all.push_back({type, {inside({3, 4})}});
  all.push_back({"Acosh", {Tensor::of({2, 3}, Vector(1.5 + inside({2, 3}).reals().array()))}});
  return all;
}

std::vector<OperatorCase> elementwise_cases() {
  const std::vector<std::size_t> both = {0, 1};
  std::vector<OperatorCase> all;
  for (const char* type : {"Add", "Sub", "Mul", "Max", "Min", "Sum", "Mean"})
    all.push_back({type, {normal({2, 1, 3}), normal({4, 1}, 1)}, {}, 17, both});
  for (const char* type : {"Div", "Pow"}) all.push_back({type, {inside({2, 3}), inside({3})}, {}, 17, both});
  all.push_back({"Mod", {normal({2, 3}), inside({3})}, {{"fmod", std::int64_t{1}}}});
  all.push_back({"PRelu", {normal({2, 3}), normal({3}, 1)}, {}, 17, both});
  all.push_back({"Clip", {normal({2, 3}), Tensor::number(-0.5), Tensor::number(0.5)}, {}, 17, {0, 1, 2}});
  all.push_back({"Where",
                 {Tensor::of({2, 1}, Integers{1, 0}, Element::boolean), normal({2, 3}), normal({3}, 1)},
                 {},
                 17,
                 {1, 2}});
  return all;
}

std::vector<OperatorCase> product_cases() {
  const std::vector<std::size_t> both = {0, 1};
  std::vector<OperatorCase> all;
  all.push_back({"MatMul", {normal({2, 3, 4}), normal({4, 5}, 1)}, {}, 17, both});
  all.push_back({"MatMul", {normal({2, 1, 3, 4}), normal({5, 4, 2}, 1)}, {}, 17, both});
  all.push_back({"MatMul", {normal({4}), normal({2, 4, 3}, 1)}, {}, 17, both});
  all.push_back({"Gemm",
                 {normal({4, 3}), normal({5, 4}, 1), normal({3, 1}, 2)},
                 {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}, {"alpha", 0.5}, {"beta", 2.0}},
                 17,
                 {0, 1, 2}});
  all.push_back({"Einsum",
                 {normal({2, 3, 4}), normal({2, 5, 4}, 1)},
                 {{"equation", std::string("bij,bkj->bki")}},
                 17,
                 both});
  all.push_back(
      {"Einsum", {normal({3, 3}), normal({2, 3}, 1)}, {{"equation", std::string("ii,...i->...")}}, 17, both});
  all.push_back({"Conv",
                 {normal({2, 4, 5, 6}), normal({6, 2, 3, 2}, 1), normal({6}, 2)},
                 {{"group", std::int64_t{2}},
                  {"strides", Integers{2, 1}},
                  {"dilations", Integers{1, 2}},
                  {"pads", Integers{1, 0, 2, 1}}},
                 17,
                 {0, 1, 2}});
  all.push_back({"Conv",
                 {normal({1, 2, 7}), normal({3, 2, 4}, 1)},
                 {{"auto_pad", std::string("SAME_LOWER")}},
                 17,
                 both});
  all.push_back({"ConvTranspose",
                 {normal({2, 4, 3, 3}), normal({4, 3, 3, 2}, 1), normal({6}, 2)},
                 {{"group", std::int64_t{2}}, {"strides", Integers{2, 1}}, {"pads", Integers{1, 0, 0, 1}}},
                 17,
                 {0, 1, 2}});
  return all;
}

std::vector<OperatorCase> image_cases() {
  const Tensor image = normal({2, 3, 4, 5});
  std::vector<OperatorCase> all;
  for (const char* type : {"GlobalAveragePool", "GlobalMaxPool"}) all.push_back({type, {image}});
  const std::map<std::string, Attribute> window = {
      {"kernel_shape", Integers{2, 3}}, {"strides", Integers{2, 1}}, {"pads", Integers{0, 1, 1, 1}}};
  for (const char* type : {"AveragePool", "MaxPool"}) all.push_back({type, {image}, window});
  all.push_back({"InstanceNormalization", {image, normal({3}, 1), normal({3}, 2)}, {}, 17, {0, 1, 2}});
  all.push_back({"BatchNormalization",
                 {image, normal({3}, 1), normal({3}, 2), normal({3}, 3), inside({3})},
                 {},
                 17,
                 {0, 1, 2, 3, 4}});
  all.push_back({"BatchNormalization",
                 {image, normal({3}, 1), normal({3}, 2), normal({3}, 3), inside({3})},
                 {{"training_mode", std::int64_t{1}}},
                 17,
                 {0, 1, 2}});
  all.push_back({"LayerNormalization",
                 {image, normal({4, 5}, 1), normal({4, 5}, 2)},
                 {{"axis", std::int64_t{-2}}},
                 17,
                 {0, 1, 2}});
  for (const char* mode : {"nearest", "linear", "cubic"})
    all.push_back(
        {"Resize",
         {image, Tensor(), Tensor::list(Vector(Vector::Map(std::vector<Real>{1, 1, 1.5, 2}.data(), 4)))},
         {{"mode", std::string(mode)}}});
  all.push_back({"Upsample",
                 {image, Tensor::list(Vector(Vector::Map(std::vector<Real>{1, 1, 2, 2}.data(), 4)))},
                 {{"mode", std::string("nearest")}},
                 9});
  all.push_back({"DepthToSpace", {normal({1, 8, 2, 3})}, {{"blocksize", std::int64_t{2}}}});
  all.push_back({"SpaceToDepth", {normal({1, 2, 4, 6})}, {{"blocksize", std::int64_t{2}}}});
  for (const char* mode : {"constant", "reflect", "edge"})
    all.push_back({"Pad", {normal({2, 4}), whole({0, 2, 1, 1})}, {{"mode", std::string(mode)}}});
  return all;
}

std::vector<OperatorCase> index_cases() {
  const Tensor x = normal({3, 4});
  std::vector<OperatorCase> all;
  all.push_back({"Reshape", {x, whole({2, -1})}});
  all.push_back({"Squeeze", {normal({1, 3, 1, 2}), whole({0})}});
  all.push_back({"Unsqueeze", {x, whole({0, -1})}});
  all.push_back({"Cast", {x}, {{"to", std::int64_t{1}}}});
  all.push_back({"CastLike", {x, normal({1})}});
  all.push_back({"Slice", {x, whole({2, -1}), whole({-4, 0}), whole({0, 1}), whole({-1, -2})}});
  all.push_back({"Gather", {x, Tensor::of({2, 2}, Integers{0, -1, 2, 2})}, {{"axis", std::int64_t{1}}}});
  all.push_back({"GatherElements", {x, Tensor::of({2, 4}, Integers{0, 1, 2, 0, 1, 1, 0, -1})}});
  all.push_back({"GatherND", {x, Tensor::of({2, 1}, Integers{2, 0})}});
  all.push_back(
      {"ScatterElements", {x, Tensor::of({1, 2}, Integers{1, 2}), normal({1, 2}, 1)}, {}, 17, {0, 2}});
  all.push_back({"Scatter", {x, Tensor::of({1, 2}, Integers{1, 2}), normal({1, 2}, 1)}, {}, 9, {0, 2}});
  all.push_back({"ScatterND", {x, Tensor::of({1, 1}, Integers{1}), normal({1, 4}, 1)}, {}, 17, {0, 2}});
  all.push_back(
      {"Concat", {x, normal({3, 2}, 1), normal({3, 1}, 2)}, {{"axis", std::int64_t{1}}}, 17, {0, 1, 2}});
  all.push_back({"Split", {x, whole({1, 2})}, {}, 17});
  all.push_back({"Expand", {normal({3, 1}), whole({2, 1, 4})}});
  all.push_back({"Tile", {x, whole({2, 3})}});
  all.push_back({"Trilu", {normal({2, 3, 3})}, {{"upper", std::int64_t{0}}}});
  all.push_back(
      {"Compress", {x, Tensor::of({3}, Integers{1, 0, 1}, Element::boolean)}, {{"axis", std::int64_t{0}}}});
  all.push_back({"TopK", {x, whole({2})}});
  all.push_back({"CumSum", {x, whole({1})}, {{"exclusive", std::int64_t{1}}, {"reverse", std::int64_t{1}}}});
  all.push_back({"Dropout", {x, Tensor::number(0.4), Tensor::truth(true)}});
  return all;
}

/// Whole numbers, truth values and constants: no derivative.
const std::set<std::string_view> without_derivative = {
    "ArgMax",      "ArgMin",  "Constant", "ConstantOfShape",
    "Equal",       "EyeLike", "Greater",  "GreaterOrEqual",
    "If",          "IsInf",   "IsNaN",    "Less",
    "LessOrEqual", "Loop",    "NonZero",  "Not",
    "And",         "Or",      "Xor",      "OneHot",
    "Range",       "Scan",    "Shape",    "Size"};

std::vector<OperatorCase> all_cases() {
  std::vector<OperatorCase> all;
  for (auto* cases : {unary_cases, elementwise_cases, product_cases, image_cases, index_cases})
    for (OperatorCase& one : cases()) all.push_back(std::move(one));
  return all;
}

/// The case as a program of one node whose first output is `y`, with that input varying.
ProgramPtr program_of(const OperatorCase& one, std::size_t vary) {
  auto model = std::make_shared<Model>();
  model->opset = one.opset;
  Node node;
  node.name = "node", node.type = one.type, node.attributes = one.attributes;
  const int outputs = one.type == "Split"                                                         ? 2
                      : one.type == "BatchNormalization" && one.attributes.count("training_mode") ? 3
                                                                                                  : 1;
  for (int k = 0; k < outputs; ++k) node.outputs.push_back(k == 0 ? "y" : "y" + std::to_string(k));
  TraceRequest request;
  request.to = "y", request.seed = 3;
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    const bool left_out = one.inputs[i].dims() == Dims{0};
    const std::string name = left_out ? "" : "x" + std::to_string(i);
    node.inputs.push_back(name);
    if (left_out) continue;
    if (i == vary)
      request.from = name, request.input = one.inputs[i];
    else
      model->graph.initializers[name] = one.inputs[i];
  }
  if (one.type == "Split") node.inputs.back() = "x1", model->graph.initializers["x1"] = whole({1, 2});
  model->graph.nodes.push_back(std::move(node));
  return trace(model, request);
}

class LawGraphOperators : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LawGraphOperators, DerivativesAndAdjoints) {
  const OperatorCase one = all_cases()[GetParam()];
  for (const std::size_t vary : one.vary) {
    SCOPED_TRACE(one.type + " input " + std::to_string(vary));
    const ProgramPtr program = program_of(one, vary);
    const Tensor& x = one.inputs[vary];
    const auto run = [&](const Vector& at, bool derivatives) {
      RunOptions options;
      options.derivatives = derivatives;
      return run_steps(*program, 0, program->steps.size(), program->from, Tensor::of(x.dims(), at), options);
    };
    const StepRun at = run(x.reals(), true);
    const Vector y = at.values.at(program->to).reals();
    const LinearMapPtr J = map_along(at.edges, program->from, x.size(), program->to, y.size());
    ASSERT_EQ(J->rows(), y.size());
    ASSERT_EQ(J->cols(), x.size());
    const Matrix V = normal_matrix(x.size(), 3, stream_key(1, StreamRole::probe)),
                 U = normal_matrix(y.size(), 3, stream_key(2, StreamRole::probe));
    Matrix JV(y.size(), 3), JU(x.size(), 3);
    J->apply(V, JV);
    J->apply_transpose(U, JU);
    EXPECT_LE((U.transpose() * JV - JU.transpose() * V).norm(), 1e-12 * (1 + U.norm() * JV.norm()));
    constexpr Real h = 1e-6;
    for (Index j = 0; j < V.cols(); ++j) {
      const Vector difference = (run(x.reals() + h * V.col(j), false).values.at(program->to).reals() -
                                 run(x.reals() - h * V.col(j), false).values.at(program->to).reals()) /
                                (2 * h);
      EXPECT_LE((difference - JV.col(j)).norm(), 1e-7 * (1 + y.norm() + JV.col(j).norm()));
    }
    EXPECT_LE(J->rank_bound(), std::min(x.size(), y.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, LawGraphOperators, ::testing::Range<std::size_t>(0, all_cases().size()));

TEST(GraphOperators, EveryOneHasACase) {
  std::set<std::string_view> covered = without_derivative;
  const std::vector<OperatorCase> cases = all_cases();
  for (const OperatorCase& one : cases) covered.insert(one.type);
  for (const std::string_view name : operator_names())
    EXPECT_TRUE(covered.count(name)) << name << " has no case";
}

}  // namespace
}  // namespace rezero::graph
