/// Malformed stack files and arrays: one line, exit 3, no crash. REZERO_TEST_FUZZ=N sets the number of
/// mutations.

#include <cstring>
#include <functional>
#include <random>

#include "cli/cli_support.h"

namespace rezero {
namespace {

/// The parts of a stack file.
struct Parts {
  Json header;
  Json spec;
  std::string data;
};

std::string file_of(const std::string& header, const std::string& data) {
  std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

std::string file_of(const Parts& parts) {
  Json header = parts.header;
  header["__metadata__"]["spec"] = parts.spec.dump();
  return file_of(header.dump(), parts.data);
}

Parts taken_apart(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  Parts parts;
  parts.header = Json::parse(bytes.substr(8, length));
  parts.spec = Json::parse(parts.header["__metadata__"]["spec"].get<std::string>());
  parts.data = bytes.substr(8 + length);
  return parts;
}

std::string good_file(const std::string& path, const std::string& family = "mlp") {
  EXPECT_EQ(ran({"export", "--scheme", "residual", "--family", family, "--init", "torch-default", "--depth",
                 "2", "--width", "3", "-o", path})
                .code,
            0);
  return slurp(path);
}

class HostileStack : public testing::Test {
 protected:
  HostileStack() : path_(folder_ / "x.safetensors"), good_(good_file(path_)) {}

  void expect_refused(const std::string& bytes, const std::string& part) {
    spill(path_, bytes);
    for (const char* command : {"", "verify"}) {
      Args args = {"--stack", path_};
      if (*command) args.insert(args.begin(), command);
      const std::string line = refused(args, 3);
      EXPECT_TRUE(contains(line, part)) << "expected '" << part << "' in: " << line;
      EXPECT_TRUE(contains(line, "x.safetensors")) << line;
    }
  }

  void expect_refused(const std::function<void(Parts&)>& change, const std::string& part) {
    Parts parts = taken_apart(good_);
    change(parts);
    expect_refused(file_of(parts), part);
  }

  TemporaryFolder folder_;
  std::string path_, good_;
};

using CliHostileStack = HostileStack;

TEST_F(CliHostileStack, TheUnchangedFileIsRead) {
  spill(path_, file_of(taken_apart(good_)));
  EXPECT_EQ(ran({"--stack", path_}).code, 0);
}

TEST_F(CliHostileStack, CutAnywhere) {
  for (std::size_t size = 0; size < good_.size(); size += size < 64 ? 1 : 37)
    expect_refused(good_.substr(0, size), "");
  expect_refused(good_ + "x", "follow the last tensor");
}

TEST_F(CliHostileStack, LyingHeader) {
  std::string bytes = good_;
  bytes[7] = '\x7f';
  expect_refused(bytes, "at most 100 MB");
  expect_refused(file_of("[]", ""), "does not begin with '{'");
  expect_refused(file_of("{}", ""), "'format' is missing");
  expect_refused(file_of("{\"a\":" + std::string(1000, '[') + std::string(1000, ']') + "}", ""),
                 "deeper than 64");
  expect_refused(file_of("{\"a\":1,\"a\":1}", ""), "duplicate key");
  expect_refused([](Parts& p) { p.header["input"]["shape"] = {4611686018427387904, 4}; }, "overflows");
  expect_refused([](Parts& p) { p.header["input"]["shape"] = {-1, 3}; }, "input.shape[0]");
  expect_refused([](Parts& p) { p.header["input"]["dtype"] = "I64"; }, "dtype");
  expect_refused([](Parts& p) { p.header["input"]["data_offsets"] = {8, 32}; }, "a hole of 8 bytes");
  expect_refused([](Parts& p) { p.header["input"]["extra"] = 1; }, "extra");
  expect_refused([](Parts& p) { p.header["__metadata__"]["format"] = "pt"; }, "rezero-stack");
  expect_refused([](Parts& p) { p.header["__metadata__"]["version"] = "2"; }, "version");
  expect_refused([](Parts& p) { p.header["__metadata__"]["note"] = 3; }, "note");
}

TEST_F(CliHostileStack, WrongSpec) {
  expect_refused([](Parts& p) { p.spec["blcks"] = 1; }, "Did you mean 'blocks'?");
  expect_refused([](Parts& p) { p.spec.erase("blocks"); }, "'blocks' is missing");
  expect_refused([](Parts& p) { p.spec["blocks"] = Json::array(); }, "at least one block");
  expect_refused([](Parts& p) { p.spec["state"]["features"] = 0; }, "state.features");
  expect_refused([](Parts& p) { p.spec["state"]["features"] = 4; }, "input");
  expect_refused([](Parts& p) { p.spec["state"]["features"] = 1e300; }, "state.features");
  expect_refused([](Parts& p) { p.spec["state"]["positions"] = 1LL << 40; }, "positions");
  expect_refused([](Parts& p) { p.spec["state"]["height"] = 2; }, "height");
  expect_refused([](Parts& p) { p.spec["blocks"][1]["branch"]["kind"] = "mpl"; }, "Did you mean 'mlp'?");
  expect_refused([](Parts& p) { p.spec["blocks"][1]["branch"]["activation"] = "rleu"; },
                 "blocks[1].branch.activation");
  expect_refused([](Parts& p) { p.spec["blocks"][1]["branch"].erase("activation"); }, "activation");
  expect_refused([](Parts& p) { p.spec["blocks"][0]["skip_scale"] = "tensr"; }, "blocks[0].skip_scale");
  expect_refused([](Parts& p) { p.spec["blocks"][0]["branch_scale"] = "tensor"; }, "blocks.0.branch_scale");
  expect_refused(
      [](Parts& p) { p.spec["blocks"][0]["branch_scale"] = nullptr, p.spec["blocks"][0]["mix"] = "gate"; },
      "blocks[0].mix");
  expect_refused([](Parts& p) { p.spec["blocks"][0]["pre_norm"] = {{"kind", "lyer_norm"}}; }, "pre_norm");
  expect_refused([](Parts& p) { p.spec["blocks"].push_back(p.spec["blocks"][0]); }, "blocks.2.");
  expect_refused([](Parts& p) { p.spec["blocks"].erase(1); }, "is not part of the stack");
  expect_refused([](Parts& p) { p.header["__metadata__"].erase("spec"), p.spec = nullptr; }, "spec");
  expect_refused(file_of(
                     [this] {
                       Json header = taken_apart(good_).header;
                       header["__metadata__"]["spec"] = "{\"state\": " + std::string(200, '[');
                       return header.dump();
                     }(),
                     taken_apart(good_).data),
                 "deeper than 64");
}

/// A key that the kind does not have used to be dropped: `activation` of a linear branch was, so the spectrum
/// was that of another network.
TEST_F(CliHostileStack, KeysThatTheKindHasNot) {
  const auto refuse = [this](const char* family, const char* key, const Json& value, const std::string& why) {
    good_ = good_file(path_, family);
    expect_refused([&](Parts& p) { p.spec["blocks"][1]["branch"][key] = value; },
                   std::string("blocks[1].branch.") + key + ": " + why);
  };
  refuse("linear", "activation", "relu",
         "a branch of kind 'linear' has no activation (kinds with one: dense,");
  refuse("linear", "slope", 0.1, "a branch of kind 'linear' has no slope");
  refuse("attention", "activation", "gelu", "a branch of kind 'attention' has no activation");
  refuse("attention", "padding", "zero",
         "a branch of kind 'attention' has no padding (kinds with one: conv)");
  for (const char* key :
       {"heads", "kv_heads", "causal", "scale", "rope", "qk_norm", "order", "norm", "stride"})
    refuse("mlp", key, 1, std::string("a branch of kind 'mlp' has no ") + key);
  refuse("mlp", "slope", 0.1, "activation 'relu' takes no parameters");
  refuse("dense", "inner_norm", {{"kind", "rms_norm"}}, "a branch of kind 'dense' has no inner_norm");
}

TEST_F(CliHostileStack, KeysThatTheNormHasNot) {
  const auto refuse = [this](const char* key, const Json& norm, const std::string& why) {
    expect_refused([&](Parts& p) { p.spec["blocks"][0][key] = norm; }, std::string("blocks[0].") + key + why);
  };
  refuse("pre_norm", {{"kind", "l2_norm"}, {"eps", 1e-3}}, ".eps: a norm of kind 'l2_norm' has no eps");
  refuse("post_norm", {{"kind", "rms_norm"}, {"groups", 1}},
         ".groups: a norm of kind 'rms_norm' has no groups");
  refuse("branch_norm", {{"kind", "rms_norm"}, {"alpha", 1}}, ": unknown key 'alpha'");
  refuse("post_activation_slope", 0.1, ": there is no post_activation");
  expect_refused(
      [](Parts& p) {
        p.spec["blocks"][0]["post_activation"] = "tanh", p.spec["blocks"][0]["post_activation_slope"] = 0.1;
      },
      "blocks[0].post_activation_slope: activation 'tanh' takes no parameters");
}

/// Writers that fill in every key use null, or the default eps, for keys without effect.
TEST_F(CliHostileStack, KeysThatAskForNothingMayStand) {
  Parts parts = taken_apart(good_);
  parts.spec["blocks"][0]["branch"]["heads"] = nullptr;
  parts.spec["blocks"][0]["pre_norm"] = {{"kind", "l2_norm"}, {"eps", 1e-5}, {"groups", nullptr}};
  spill(path_, file_of(parts));
  EXPECT_EQ(ran({"--stack", path_}).code, 0);
}

TEST_F(CliHostileStack, WhatVersionOneHasNot) {
  expect_refused(
      [](Parts& p) {
        p.spec["final_norm"] = {{"kind", "layer_norm"}};
      },
      "unknown key 'final_norm'");
  expect_refused([](Parts& p) { p.spec["blocks"][0]["mix"] = "normalized_lerp"; },
                 "blocks[0].mix: unknown mix 'normalized_lerp' (known: additive, gated)");
}

TEST_F(CliHostileStack, WrongTensors) {
  expect_refused([](Parts& p) { p.header["blocks.0.branch.up.weight"]["shape"] = {9}; },
                 "blocks.0.branch.up.weight");
  expect_refused(
      [](Parts& p) {
        p.header["blocks.0.branch.down.bias"]["shape"] = {1, 3};
      },
      "blocks.0.branch.down.bias");
  expect_refused(
      [](Parts& p) {
        p.header["blocks.0.branch.sideways.weight"] = p.header["blocks.0.branch.up.weight"];
        p.header.erase("blocks.0.branch.up.weight");
      },
      "blocks.0.branch.up.weight");
  expect_refused(
      [](Parts& p) {
        p.header["blocks.0.\u009b31m\x1b"] = p.header["blocks.0.branch.up.bias"];
        p.header.erase("blocks.0.branch.up.bias");
      },
      "\\xc2\\x9b31m\\x1b");
}

TEST_F(CliHostileStack, NumbersThatAreNotFiniteAreNamed) {
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    Parts parts = taken_apart(good_);
    const auto begin = parts.header["blocks.1.branch.down.weight"]["data_offsets"][0].get<std::size_t>();
    std::memcpy(parts.data.data() + begin + 5 * 8, &value, 8);
    expect_refused(file_of(parts), "tensor 'blocks.1.branch.down.weight'");
    expect_refused(file_of(parts), "at index 5");
  }
}

// ---- other files

TEST(CliHostileFiles, InputArrays) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npy";
  const auto npy = [](std::string header, const std::string& data) {
    header.append(117 - header.size(), ' ');
    header += '\n';
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + data;
  };
  const std::string four(32, '\0');
  spill(path, npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }", four));
  ASSERT_EQ(ran({"--input", path, "--width", "4"}).code, 0);
  const auto expect = [&path](const std::string& bytes, const std::string& part) {
    spill(path, bytes);
    const std::string line = refused({"--input", path, "--width", "4"}, 3);
    EXPECT_TRUE(contains(line, part) && contains(line, "x.npy")) << line;
  };
  expect("", "");
  expect("\x93NUMPY", "");
  expect(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }", four.substr(1)), "31 follow");
  expect(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 8), }", four),
         "overflows");
  expect(npy("{'descr': '|O', 'fortran_order': False, 'shape': (4,), }", four), "dtype");
  expect(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), 'x': 1}", four), "unknown key");
  expect(npy("__import__('os').system('x')", four), "not one that NumPy writes");
  spill(path, npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }", four));
  EXPECT_TRUE(contains(refused({"--input", path, "--width", "5"}, 2), "the stack takes"));
}

TEST(CliHostileFiles, SeriesOfAlphas) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.json";
  const auto expect = [&path](const std::string& text, int code) {
    spill(path, text);
    refused({"--scheme", "rezero:alphas=" + path, "--width", "4"}, code);
  };
  for (const char* text : {"", "{}", "[", "[1,]", "[\"1\"]", "[NaN]", "[1e999]", "[[1]]", "[null]", "[1] 2"})
    expect(text, 3);
  expect("[]", 2);
  spill(path, "[0.1, 0.2]");
  const std::string line = refused({"--scheme", "rezero:alphas=" + path, "--depth", "3", "--width", "4"}, 2);
  EXPECT_TRUE(contains(line, "holds 2 numbers")) << line;
}

// ---- mutations

std::size_t mutations() {
  const char* wanted = std::getenv("REZERO_TEST_FUZZ");
  return wanted ? std::stoul(wanted) : 1500;
}

TEST_F(CliHostileStack, RandomMutationsNeverCrash) {
  std::mt19937_64 random(20240601);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string interesting = "\"{}[]:,0-9eE.\\\xff\x00\x80n\x1b";
  std::map<int, int> codes;
  for (std::size_t i = 0; i < mutations(); ++i) {
    std::string bytes = good_;
    for (std::size_t k = 1 + below(3); k > 0; --k) {
      const std::size_t at = below(4) == 0 ? below(12) : below(bytes.size());
      switch (below(5)) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes[at] = interesting[below(interesting.size())];
          break;
        case 2:
          bytes.erase(at, 1 + below(8));
          break;
        case 3:
          bytes.insert(at, bytes.substr(below(bytes.size()), below(40)));
          break;
        default:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      }
    }
    spill(path_, bytes);
    const Ran got = ran({below(2) ? "verify" : "--stack", "--stack", path_, "-q"});
    const Ran run = got.code == 2 ? ran({"--stack", path_, "-q"}) : got;
    EXPECT_TRUE(run.code == 0 || run.code == 1 || run.code == 3 || run.code == 4) << run.code << run.err;
    if (run.code == 3) {
      EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
    }
    EXPECT_FALSE(contains(run.err, "internal error")) << run.err;
    ++codes[run.code];
  }
  EXPECT_GT(codes[3], 0);
}

}  // namespace
}  // namespace rezero
