#include "rezero/io/checkpoint.h"

#include "io/checkpoint_support.h"
#include "io/io_support.h"
#include "rezero/model/stack.h"

namespace rezero {
namespace {

using test::add;
using test::drop;
using test::named;
using test::rename;
using test::SmallModel;
using test::state_dict;

CheckpointSettings two_heads() {
  CheckpointSettings settings;
  settings.heads = 2, settings.positions = 3;
  return settings;
}

Checkpoint parsed(const std::vector<Tensor>& tensors, const std::string& layout,
                  const CheckpointSettings& settings = two_heads()) {
  return parse_checkpoint(safetensors_bytes({}, tensors), "m", LayoutSpec(layout), settings);
}

template <class E>
std::string refusal(const std::vector<Tensor>& tensors, const std::string& layout,
                    const CheckpointSettings& settings = two_heads()) {
  return message_of<E>([&] { parsed(tensors, layout, settings); });
}

/// The tensor as rows, as the file has them.
Matrix rows_of(const Tensor& tensor) {
  return Eigen::Map<const Matrix>(tensor.values.data(), tensor.shape[1], tensor.shape[0]).transpose();
}

TEST(Checkpoint, EveryLayoutReadsWhatItsTableSays) {
  for (const Layout& layout : layouts())
    for (const bool optional : {true, false}) {
      SmallModel model;
      model.optional = optional, model.layers = 3, model.prefix = "a.b.";
      const Checkpoint read = parsed(state_dict(std::string(layout.name), model), std::string(layout.name));
      EXPECT_EQ(read.blocks.size(), 6u) << layout.name;
      EXPECT_EQ(read.facts.prefix, "a.b.");
      EXPECT_EQ(read.facts.layers, 3);
      EXPECT_EQ(read.facts.features, 4);
      EXPECT_EQ(read.facts.hidden, (std::vector<Index>{6, 6, 6}));
      EXPECT_EQ(bool(read.final_norm), optional) << layout.name;
      std::vector<BlockParts> blocks = read.blocks;
      EXPECT_EQ(make_stack(std::move(blocks), Vector::Ones(12), read.final_norm)->blocks(), 6);
    }
}

TEST(Checkpoint, LayoutsAreTablesOfWhatBranchesNeed) {
  for (const Layout& layout : layouts()) {
    std::map<Index, std::map<Role, Index>> weights;
    for (const LayoutTensor& row : layout.tensors) {
      EXPECT_TRUE(!row.in_layers() || row.name.substr(0, layout.stem().size()) == layout.stem()) << row.name;
      if (row.use != TensorUse::weight) continue;
      for (const Role role : row.roles) ++weights[row.blocks.front()][role];
    }
    ASSERT_EQ(weights.size(), layout.branches.size()) << layout.name;
    for (std::size_t i = 0; i < layout.branches.size(); ++i)
      for (const WeightSlot& slot : branches().at(layout.branches[i]).slots({4, 4, 1, 1, {}}))
        EXPECT_EQ(weights[static_cast<Index>(i)][slot.role], 1) << layout.name << " " << role_name(slot.role);
  }
}

TEST(Checkpoint, StackedMatricesAreTakenApart) {
  std::vector<Tensor> tensors = state_dict("torch-encoder");
  const Checkpoint read = parsed(tensors, "torch-encoder");
  const Matrix all = rows_of(named(tensors, "layers.1.self_attn.in_proj_weight"));
  const Tensor& bias = named(tensors, "layers.1.self_attn.in_proj_bias");
  const Role roles[] = {Role::query, Role::key, Role::value};
  for (Index i = 0; i < 3; ++i) {
    const WeightPair& pair = read.blocks[2].weights.at(roles[i]);
    EXPECT_EQ(*pair.weight, Matrix(all.middleRows(4 * i, 4)));
    for (Index j = 0; j < 4; ++j)
      EXPECT_EQ((*pair.bias)(j), bias.values[static_cast<std::size_t>(4 * i + j)]);
  }
  EXPECT_EQ(*read.blocks[3].weights.at(Role::up).weight, rows_of(named(tensors, "layers.1.linear1.weight")));
}

TEST(Checkpoint, Conv1dMatricesAreTransposed) {
  std::vector<Tensor> tensors = state_dict("gpt2");
  const Checkpoint read = parsed(tensors, "gpt2");
  const Matrix all = rows_of(named(tensors, "h.0.attn.c_attn.weight"));
  ASSERT_EQ(all.rows(), 4);
  EXPECT_EQ(*read.blocks[0].weights.at(Role::key).weight, Matrix(all.middleCols(4, 4).transpose()));
  EXPECT_EQ(*read.blocks[1].weights.at(Role::down).weight,
            Matrix(rows_of(named(tensors, "h.0.mlp.c_proj.weight")).transpose()));
  EXPECT_TRUE(read.blocks[0].attention.causal);
  EXPECT_EQ(read.blocks[1].activation.canonical(), "gelu_tanh");
  std::vector<Tensor> linear = state_dict("gpt2:stored=linear");
  EXPECT_EQ(*parsed(linear, "gpt2:stored=linear").blocks[0].weights.at(Role::output).weight,
            rows_of(named(linear, "h.0.attn.c_proj.weight")));
}

TEST(Checkpoint, NormsStandWhereTheLayoutSays) {
  std::vector<Tensor> tensors = state_dict("torch-encoder");
  const Tensor& weight = named(tensors, "layers.0.norm2.weight");
  const BlockParts post = parsed(tensors, "torch-encoder").blocks[1];
  EXPECT_FALSE(bool(post.pre_norm));
  EXPECT_EQ((*post.post_norm.weight)(2), weight.values[2]);
  EXPECT_EQ(post.names.at("post_norm"), "layers.0.norm2.weight");
  const BlockParts pre = parsed(tensors, "torch-encoder:norm_first=true:eps=1e-3").blocks[1];
  EXPECT_FALSE(bool(pre.post_norm));
  EXPECT_EQ(pre.pre_norm.eps(), 1e-3);
  EXPECT_EQ(parsed(state_dict("llama"), "llama").blocks[0].pre_norm.kind->name, "rms_norm");
}

TEST(Checkpoint, OneResweightScalesBothBranches) {
  std::vector<Tensor> tensors = state_dict("rezero-rztx");
  named(tensors, "layers.1.resweight").values = {0.125};
  const Checkpoint read = parsed(tensors, "rezero-rztx");
  for (const std::size_t block : {2, 3}) {
    EXPECT_EQ(read.blocks[block].branch_scale.values, Vector::Constant(1, 0.125));
    EXPECT_EQ(read.blocks[block].branch_scale.role, ScaleRole::parameter);
    EXPECT_EQ(read.blocks[block].names.at("branch_scale"), "layers.1.resweight");
  }
  named(tensors, "layers.0.resweight").shape = {};
  EXPECT_EQ(parsed(tensors, "rezero-rztx").blocks.size(), 4u);
}

TEST(Checkpoint, HeadsOfAnyWidthAndGroups) {
  SmallModel model;
  model.features = 6, model.queries = 16, model.keys = 8;
  CheckpointSettings settings = two_heads();
  settings.heads = 4;
  const Checkpoint read = parsed(state_dict("llama", model), "llama:rope=500", settings);
  EXPECT_EQ(read.blocks[0].attention.heads, 4);
  EXPECT_EQ(read.blocks[0].attention.kv_heads, 2);
  EXPECT_EQ(*read.blocks[0].attention.rope, 500);
  EXPECT_EQ(read.facts.kv_heads, 2);
}

TEST(Checkpoint, HeadsThatDoNotFit) {
  CheckpointSettings settings = two_heads();
  settings.heads = std::nullopt;
  EXPECT_MESSAGE(refusal<UsageError>(state_dict("gpt2"), "gpt2", settings), "give --heads H");
  settings.heads = 3;
  EXPECT_EQ(refusal<UsageError>(state_dict("gpt2"), "gpt2", settings),
            "checkpoint 'm': --heads 3 does not divide the 4 features");
  settings.heads = 4;  // of width 1
  EXPECT_MESSAGE(refusal<UsageError>(state_dict("llama"), "llama", settings),
                 "rotary positions need an even width");
  SmallModel model;
  model.queries = 12, model.keys = 8;
  settings.heads = 3;  // of width 4: 2 key heads
  EXPECT_MESSAGE(refusal<UsageError>(state_dict("llama", model), "llama", settings),
                 "--heads 3 gives 3 heads for 2 of keys and values, which is no divisor of it");
  settings.heads = 1;
  EXPECT_MESSAGE(refusal<UsageError>(state_dict("llama", model), "llama", settings),
                 "heads of width 12, which does not divide the 8 outputs of the key projection");
}

TEST(Checkpoint, RotaryFrequenciesTellHeadsAndBase) {
  SmallModel model;
  model.queries = 8, model.keys = 4;
  std::vector<Tensor> tensors = state_dict("llama", model);
  CheckpointSettings settings = two_heads();
  settings.heads = std::nullopt;
  tensors.push_back({"rotary_emb.inv_freq", {2}, {1, 0.01}});  // heads of width 4, base 10000
  const Checkpoint read = parsed(tensors, "llama", settings);
  EXPECT_EQ(read.facts.heads, 2);
  EXPECT_EQ(read.facts.kv_heads, 1);
  EXPECT_EQ(read.facts.outside, std::vector<std::string>{"rotary_emb.inv_freq"});
  settings.heads = 4;
  EXPECT_MESSAGE(refusal<UsageError>(tensors, "llama", settings),
                 "heads of width 2, but 'rotary_emb.inv_freq' is for heads of width 4");
  settings.heads = 2;
  EXPECT_MESSAGE(refusal<UsageError>(tensors, "llama:rope=500", settings), "(give rope=10000)");
  tensors.back().values = {0.5, 0.01};
  EXPECT_MESSAGE(refusal<UsageError>(tensors, "llama", settings), "number 0 of 'rotary_emb.inv_freq' is 0.5");
  EXPECT_MESSAGE(refusal<UsageError>(tensors, "llama", settings), "scaled frequencies cannot be expressed");
}

TEST(Checkpoint, MissingAndLeftOverNamesAreListed) {
  std::vector<Tensor> tensors = state_dict("torch-encoder");
  drop(tensors, "layers.1.norm2.weight");
  EXPECT_EQ(refusal<IoError>(tensors, "torch-encoder"),
            "checkpoint 'm', layout torch-encoder: 1 tensor is missing: 'layers.1.norm2.weight'");
  add(tensors, "layers.0.norm3.weight", {4});
  EXPECT_EQ(refusal<IoError>(tensors, "torch-encoder"),
            "checkpoint 'm', layout torch-encoder: 1 tensor is missing: 'layers.1.norm2.weight'; 1 tensor is "
            "left over: 'layers.0.norm3.weight'");
  tensors = state_dict("torch-encoder");
  for (const char* name : {"emb.weight", "pos.a", "pos.b", "fc.weight", "fc.bias"}) add(tensors, name, {2});
  EXPECT_EQ(
      refusal<IoError>(tensors, "torch-encoder"),
      "checkpoint 'm', layout torch-encoder: 5 tensors are left over: 'emb.weight', 'fc.bias', 'fc.weight' "
      "and 2 more (if they are not part of the stack, give --leave-out emb,fc,pos)");
  CheckpointSettings settings = two_heads();
  settings.leave_out = {"emb", "fc.", "pos.a", "pos.b"};
  EXPECT_EQ(parsed(tensors, "torch-encoder", settings).facts.left_out.size(), 5u);
  settings.leave_out.emplace_back("po");
  EXPECT_MESSAGE(refusal<UsageError>(tensors, "torch-encoder", settings), "--leave-out 'po' names no tensor");
}

TEST(Checkpoint, OptionalTensorsAreInAllLayersOrInNone) {
  std::vector<Tensor> tensors = state_dict("torch-encoder");
  drop(tensors, "layers.1.linear1.bias");
  EXPECT_MESSAGE(refusal<IoError>(tensors, "torch-encoder"), "1 tensor is missing: 'layers.1.linear1.bias'");
  drop(tensors, "layers.0.linear1.bias");
  EXPECT_EQ(parsed(tensors, "torch-encoder").blocks[1].weights.at(Role::up).bias, nullptr);
  drop(tensors, "norm.weight");
  EXPECT_MESSAGE(refusal<IoError>(tensors, "torch-encoder"), "1 tensor is missing: 'norm.weight'");
}

TEST(Checkpoint, TensorsOutsideTheStackAreDeclared) {
  SmallModel model;
  model.prefix = "transformer.";
  std::vector<Tensor> tensors = state_dict("gpt2", model);
  for (const char* name : {"transformer.wte.weight", "transformer.wpe.weight", "lm_head.weight",
                           "transformer.h.0.attn.bias", "transformer.h.1.attn.masked_bias"})
    add(tensors, name, {1});
  const Checkpoint read = parsed(tensors, "gpt2");
  EXPECT_EQ(read.facts.outside.size(), 5u);
  EXPECT_EQ(read.facts.final_norm,
            (std::vector<std::string>{"transformer.ln_f.bias", "transformer.ln_f.weight"}));
  add(tensors, "other.wte.weight", {1});
  EXPECT_MESSAGE(refusal<IoError>(tensors, "gpt2"), "left over: 'other.wte.weight'");
}

TEST(Checkpoint, ShapesThatDoNotFitNameBothTensors) {
  std::vector<Tensor> tensors = state_dict("torch-encoder");
  Tensor& up = named(tensors, "layers.1.linear2.weight");
  up.shape = {4, 5}, up.values.resize(20);
  EXPECT_EQ(refusal<IoError>(tensors, "torch-encoder"),
            "checkpoint 'm': tensor 'layers.1.linear2.weight' has shape (4, 5), which is not d × h, d = 4 by "
            "'layers.0.self_attn.in_proj_weight', h = 6 by 'layers.1.linear1.weight'");
  up.shape = {6, 4}, up.values.resize(24);
  EXPECT_MESSAGE(refusal<IoError>(tensors, "torch-encoder"), "(its axes are swapped)");
  EXPECT_MESSAGE(refusal<IoError>(state_dict("gpt2:stored=linear"), "gpt2"),
                 "give --layout gpt2:stored=linear");
  EXPECT_MESSAGE(refusal<IoError>(state_dict("gpt2"), "gpt2:stored=linear"),
                 "give --layout gpt2:stored=conv1d");
  tensors = state_dict("gpt2");
  named(tensors, "h.0.ln_1.weight").shape = {2, 2};
  EXPECT_MESSAGE(refusal<IoError>(tensors, "gpt2"), "'h.0.ln_1.weight' has shape (2, 2), which is not d");
  named(tensors, "h.0.ln_1.weight") = {"h.0.ln_1.weight", {0}, {}};
  EXPECT_MESSAGE(refusal<IoError>(tensors, "gpt2"), "'h.0.ln_1.weight' has shape (0), which is not d");
}

TEST(Checkpoint, HiddenWidthsMayDiffer) {
  std::vector<Tensor> tensors = state_dict("llama");
  for (const char* name : {"layers.1.mlp.gate_proj", "layers.1.mlp.up_proj"}) {
    Tensor& weight = named(tensors, name + std::string(".weight"));
    weight.shape = {5, 4}, weight.values.resize(20);
    Tensor& bias = named(tensors, name + std::string(".bias"));
    bias.shape = {5}, bias.values.resize(5);
  }
  Tensor& down = named(tensors, "layers.1.mlp.down_proj.weight");
  down.shape = {4, 5}, down.values.resize(20);
  EXPECT_EQ(parsed(tensors, "llama").facts.hidden, (std::vector<Index>{6, 5}));
}

TEST(Checkpoint, TheLayoutThatFitsIsSuggested) {
  for (const Layout& right : layouts())
    for (const Layout& wrong : layouts()) {
      if (right.name == wrong.name) continue;
      const std::string message =
          refusal<UsageError>(state_dict(std::string(right.name)), std::string(wrong.name));
      EXPECT_MESSAGE(message, "(the names fit --layout " + std::string(right.name) + ")");
    }
  std::vector<Tensor> nothing;
  add(nothing, "conv1.weight", {2});
  EXPECT_EQ(
      refusal<IoError>(nothing, "gpt2"),
      "checkpoint 'm', layout gpt2: no tensor has a name of this layout, such as 'h.0.attn.c_attn.weight'");
  EXPECT_MESSAGE(refusal<IoError>({}, "llama"), "no tensor has a name of this layout");
}

TEST(Checkpoint, PrefixesMayLookLikeRows) {
  for (const char* prefix : {"{layer}.", "layers.0.", "h.", "a.layers.1.b.", "..", "."}) {
    SmallModel model;
    model.prefix = prefix;
    for (const Layout& layout : layouts())
      EXPECT_EQ(parsed(state_dict(std::string(layout.name), model), std::string(layout.name)).facts.prefix,
                prefix)
          << layout.name;
  }
}

TEST(Checkpoint, OneGroupOfLayers) {
  SmallModel encoder, decoder;
  encoder.prefix = "model.encoder.", decoder.prefix = "model.decoder.";
  std::vector<Tensor> tensors = state_dict("torch-encoder", encoder);
  for (const Tensor& tensor : state_dict("torch-encoder", decoder)) tensors.push_back(tensor);
  EXPECT_EQ(refusal<UsageError>(tensors, "torch-encoder"),
            "checkpoint 'm', layout torch-encoder: 2 groups of layers have names of this layout: "
            "'model.decoder.layers.', 'model.encoder.layers.' (one must be left, as after --leave-out "
            "model.encoder)");
  std::vector<Tensor> with_cross_attention = tensors;
  add(with_cross_attention, "model.decoder.layers.0.norm3.weight", {4});
  EXPECT_MESSAGE(refusal<UsageError>(with_cross_attention, "torch-encoder"), "--leave-out model.decoder)");
  CheckpointSettings settings = two_heads();
  settings.leave_out = {"model.decoder"};
  EXPECT_EQ(parsed(tensors, "torch-encoder", settings).facts.prefix, "model.encoder.");
}

TEST(Checkpoint, GapsInTheNumbersOfLayers) {
  SmallModel model;
  model.layers = 4;
  std::vector<Tensor> tensors = state_dict("llama", model);
  rename(tensors, "layers.1.", "layers.9.");
  EXPECT_EQ(refusal<IoError>(tensors, "llama"),
            "checkpoint 'm', layout llama: layers 1, 4, 5 and 3 more are missing, of 0 to 9");
  rename(tensors, "layers.9.", "layers.999999999.");
  EXPECT_MESSAGE(refusal<IoError>(tensors, "llama"), "and 999999993 more are missing");
  for (const char* number : {"01", "9999999999", "-1", "1x", ""}) {
    tensors = state_dict("llama", model);
    rename(tensors, "layers.3.", "layers." + std::string(number) + ".");
    EXPECT_MESSAGE(refusal<IoError>(tensors, "llama"), "are left over");
  }
}

TEST(Checkpoint, NumbersThatAreNone) {
  std::vector<Tensor> tensors = state_dict("gpt2");
  add(tensors, "h.0.attn.masked_bias", {});
  std::string bytes = safetensors_bytes({}, tensors);
  // The last tensor is not read, the one before it is.
  bytes.replace(bytes.size() - 8, 8, std::string("\0\0\0\0\0\0\xf0\xff", 8));
  EXPECT_EQ(parse_checkpoint(bytes, "m", LayoutSpec("gpt2"), two_heads()).blocks.size(), 4u);
  bytes.replace(bytes.size() - 16, 8, std::string("\0\0\0\0\0\0\xf8\x7f", 8));
  EXPECT_MESSAGE(message_of([&] { parse_checkpoint(bytes, "m", LayoutSpec("gpt2"), two_heads()); }),
                 "has a NaN at index");
}

TEST(Checkpoint, OtherTypesAreReadNowhere) {
  std::vector<Tensor> tensors = state_dict("rezero-rztx");
  const std::string bytes = safetensors_bytes({}, tensors), dtype = "\"F64\"";
  const auto with_type = [&](const std::string& name, const std::string& type) {
    std::string changed = bytes;
    const std::size_t at = changed.find(dtype, changed.find("\"" + name + "\""));
    return changed.replace(at, dtype.size(), type);
  };
  EXPECT_EQ(
      message_of([&] {
        parse_checkpoint(with_type("layers.0.resweight", "\"I64\""), "m", LayoutSpec("rezero-rztx"),
                         two_heads());
      }),
      "checkpoint 'm': tensor 'layers.0.resweight' has dtype I64 (numbers are read from F64, F32, F16 and "
      "BF16)");
  add(tensors, "steps", {1});
  std::string counted = safetensors_bytes({}, tensors);
  counted.replace(counted.find(dtype, counted.find("\"steps\"")), dtype.size(), "\"I64\"");
  CheckpointSettings settings = two_heads();
  settings.leave_out = {"steps"};
  EXPECT_EQ(parse_checkpoint(counted, "m", LayoutSpec("rezero-rztx"), settings).blocks.size(), 4u);
}

TEST(Checkpoint, MemoryIsAskedForBeforeItIsUsed) {
  const std::string bytes = safetensors_bytes({}, state_dict("gpt2"));
  std::vector<Real> asked;
  parse_checkpoint(bytes, "m", LayoutSpec("gpt2"), two_heads(),
                   [&](Real needed) { asked.push_back(needed); });
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_GE(asked[0], static_cast<Real>(bytes.size()));
  EXPECT_GT(asked[1], asked[0]);
  EXPECT_THROW(
      parse_checkpoint(bytes, "m", LayoutSpec("gpt2"), two_heads(), [](Real) { throw MemoryError("no"); }),
      MemoryError);
}

TEST(Checkpoint, MutationsAndTruncations) {
  SmallModel model;
  model.layers = 1, model.features = 1, model.queries = 1, model.keys = 1, model.hidden = 1;
  model.optional = false;
  CheckpointSettings settings = two_heads();
  settings.heads = 1;
  const std::string bytes = safetensors_bytes({}, state_dict("rezero-rztx", model));
  const auto parse = [&](const std::string& hostile) {
    try {
      parse_checkpoint(hostile, "m", LayoutSpec("rezero-rztx"), settings);
    } catch (const UsageError& error) {
      throw IoError(error.what());
    }
  };
  expect_every_truncation_refused(bytes, parse);
  expect_mutations_survived(bytes, 300, parse);  // the length and some entries; the others are alike
}

}  // namespace
}  // namespace rezero
