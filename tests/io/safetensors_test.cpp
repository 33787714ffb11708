#include "rezero/io/safetensors.h"

#include <sys/stat.h>

#include <cmath>
#include <thread>

#include "io/io_support.h"

namespace rezero {
namespace {

/// A file with any header: length field, JSON, data.
std::string container(const std::string& json, const std::string& data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>((json.size() >> (8 * i)) & 0xff);
  return bytes + json + data;
}

std::string refusal(const std::string& json, std::size_t data_bytes) {
  return message_of([&] { parse_safetensors(container(json, std::string(data_bytes, '\0')), "file 'x'"); });
}

std::string small_file() {
  return safetensors_bytes({{"format", "rezero-stack"}, {"note", "é\n"}},
                           {{"b", {2, 3}, {1, 2, 3, 4, 5, 6}}, {"a", {}, {-0.5}}, {"none", {0, 4}, {}}});
}

TEST(Safetensors, RoundTrip) {
  const SafetensorsFile file = parse_safetensors(small_file(), "x");
  EXPECT_EQ(file.metadata(), (Metadata{{"format", "rezero-stack"}, {"note", "é\n"}}));
  EXPECT_EQ(*file.find_metadata("format"), "rezero-stack");
  EXPECT_EQ(file.find_metadata("version"), nullptr);
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.tensor("b").shape, (std::vector<Index>{2, 3}));
  EXPECT_EQ(file.tensor("b").values, (std::vector<Real>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(file.tensor("a").values, std::vector<Real>{-0.5});
  EXPECT_TRUE(file.tensor("none").values.empty());
  EXPECT_EQ(file.find("c"), nullptr);
  EXPECT_EQ(message_of([&] { file.tensor("c\n"); }), "x: there is no tensor 'c\\x0a'");
  file.require_finite();
}

TEST(Safetensors, BytesAreThoseOfTheFormat) {
  const std::string json =
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})";
  const std::string padded = json + std::string((8 - json.size() % 8) % 8, ' ');
  EXPECT_EQ(safetensors_bytes({{"k", "v"}}, {{"a", {1}, {1.0}}}),
            container(padded, std::string("\0\0\0\0\0\0\xf0\x3f", 8)));
  EXPECT_EQ(safetensors_bytes({}, {}), container("{}      ", ""));
}

TEST(Safetensors, StreamedFileEqualsBytes) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a.safetensors");
  SafetensorsWriter writer(file, {{"k", "v"}}, {{"a", {2}}, {"b", {1, 1}}});
  writer.append({1, 2});
  writer.append({3});
  writer.finish();
  file.commit();
  EXPECT_EQ(slurp(folder / "a.safetensors"),
            safetensors_bytes({{"k", "v"}}, {{"a", {2}, {1, 2}}, {"b", {1, 1}, {3}}}));
  EXPECT_EQ(read_safetensors(folder / "a.safetensors").tensor("b").values, std::vector<Real>{3});
}

TEST(Safetensors, NarrowTypesBecomeDoublesExactly) {
  const std::string json = R"({"s":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                           R"("h":{"dtype":"F16","shape":[4],"data_offsets":[8,16]},)"
                           R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[16,20]}})";
  // 0.1f, -2^-149; 1/3 in half, the least subnormal, -65504, -0; 3.140625, -2^-133 in bfloat16.
  const std::string data("\xcd\xcc\xcc\x3d\x01\x00\x00\x80\x55\x35\x01\x00\xff\xfb\x00\x80\x49\x40\x01\x80",
                         20);
  const SafetensorsFile file = parse_safetensors(container(json, data), "x");
  EXPECT_EQ(file.tensor("s").values, (std::vector<Real>{0.1f, -std::ldexp(1.0, -149)}));
  EXPECT_EQ(file.tensor("h").values, (std::vector<Real>{0.333251953125, std::ldexp(1.0, -24), -65504, -0.0}));
  EXPECT_TRUE(std::signbit(file.tensor("h").values[3]));
  EXPECT_EQ(file.tensor("b").values, (std::vector<Real>{3.140625, -std::ldexp(1.0, -133)}));
}

TEST(Safetensors, EntriesInAnyOrder) {
  const std::string json = R"({"b":{"data_offsets":[8,16],"shape":[1],"dtype":"F64"},)"
                           R"("a":{"shape":[],"dtype":"F64","data_offsets":[0,8]},"__metadata__":{}}   )";
  EXPECT_EQ(refusal(json, 16), "");
}

TEST(Safetensors, NotFiniteValuesAreNamed) {
  std::vector<Real> values(18, 1.0);
  const auto message = [&](const std::string& eight_bytes) {
    std::string bytes = safetensors_bytes({}, {{"blocks.0.branch.up.weight", {3, 6}, values}});
    bytes.replace(bytes.size() - 8, 8, eight_bytes);
    const SafetensorsFile file = parse_safetensors(bytes, "file 'x'");
    return message_of([&] { file.require_finite(); });
  };
  EXPECT_EQ(message(std::string("\0\0\0\0\0\0\xf8\x7f", 8)),
            "file 'x': tensor 'blocks.0.branch.up.weight' has a NaN at index 17");
  EXPECT_MESSAGE(message(std::string("\0\0\0\0\0\0\xf0\xff", 8)), "an infinity at index 17");
  const std::string halves = R"({"h":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})";
  EXPECT_MESSAGE(message_of([&] {
                   parse_safetensors(container(halves, std::string("\0\0\0\x7c", 4)), "x").tensor("h");
                 }),
                 "an infinity at index 1");
}

TEST(Safetensors, LyingLengths) {
  std::string bytes = small_file();
  for (const char high : {'\x80', '\x7f', '\xff'}) {
    bytes[7] = high;
    EXPECT_MESSAGE(message_of([&] { parse_safetensors(bytes, "x"); }), "at most 100 MB are read");
  }
  EXPECT_MESSAGE(message_of([] { parse_safetensors(std::string("\x10\0\0\0\0\0\0\0{}", 10), "x"); }),
                 "the header claims 16 bytes, but only 2 follow");
  EXPECT_MESSAGE(message_of([] { parse_safetensors("", "x"); }), "not a safetensors file");
  EXPECT_MESSAGE(message_of([] { parse_safetensors(std::string(16, '\0'), "x"); }),
                 "does not begin with '{'");
}

TEST(Safetensors, OffsetsMustFitTheShape) {
  const auto entry = [](const std::string& shape, const std::string& offsets) {
    return R"({"a":{"dtype":"F64","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  EXPECT_EQ(refusal(entry("[2]", "[0,16]"), 16), "");
  EXPECT_EQ(refusal(entry("[2]", "[0,8]"), 8),
            "file 'x': header: a.data_offsets: they hold 8 bytes, but shape 2 of F64 takes 16");
  EXPECT_MESSAGE(refusal(entry("[2]", "[16,0]"), 16), "the end 0 lies before the begin 16");
  EXPECT_MESSAGE(refusal(entry("[2]", "[-8,8]"), 16),
                 "a.data_offsets[0]: expected a whole number of at least 0");
  EXPECT_MESSAGE(refusal(entry("[2]", "[0,16,16]"), 16), "expected two offsets");
  EXPECT_MESSAGE(refusal(entry("[-2]", "[0,16]"), 16), "a.shape[0]: expected a whole number");
  EXPECT_MESSAGE(refusal(entry("[1.5]", "[0,16]"), 16), "a.shape[0]: expected a whole number");
  EXPECT_MESSAGE(refusal(entry("[2]", "[0,18446744073709551615]"), 16), "a.data_offsets[1]");
  EXPECT_MESSAGE(refusal(entry("[9223372036854775807]", "[0,16]"), 16),
                 "a.shape: the number of bytes overflows");
  EXPECT_MESSAGE(refusal(entry("[4294967296,4294967296]", "[0,0]"), 0), "overflows");
  EXPECT_MESSAGE(refusal(entry("[4294967296,4294967296,0]", "[0,0]"), 0), "overflows");
  EXPECT_MESSAGE(refusal(entry("[1000000000000]", "[0,8000000000000]"), 16),
                 "the tensors take 8000000000000 bytes, but only 16 follow the header");
  EXPECT_MESSAGE(refusal(entry("[2]", "[0,16]"), 17), "1 bytes follow the last tensor");
  std::string axes = "[1";
  for (int i = 0; i < 64; ++i) axes += ",1";
  EXPECT_MESSAGE(refusal(entry(axes + "]", "[0,8]"), 8), "more than 64 axes");
}

TEST(Safetensors, OverlapsAndHoles) {
  const auto two = [](const std::string& first, const std::string& second) {
    return R"({"a":{"dtype":"F64","shape":[1],"data_offsets":)" + first +
           R"(},"b":{"dtype":"F64","shape":[1],"data_offsets":)" + second + "}}";
  };
  EXPECT_EQ(refusal(two("[8,16]", "[0,8]"), 16), "");
  EXPECT_EQ(refusal(two("[0,8]", "[0,8]"), 8), "file 'x': tensor 'b' overlaps tensor 'a'");
  EXPECT_MESSAGE(refusal(two("[0,8]", "[4,12]"), 12), "tensor 'b' overlaps tensor 'a'");
  EXPECT_EQ(refusal(two("[0,8]", "[12,20]"), 20), "file 'x': a hole of 4 bytes before tensor 'b'");
  EXPECT_MESSAGE(refusal(two("[8,16]", "[16,24]"), 24), "a hole of 8 bytes before tensor 'a'");
}

TEST(Safetensors, HeaderFields) {
  EXPECT_MESSAGE(refusal(R"({"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", 8),
                 "header: a.dtype: unknown dtype 'I64' (known: F64, F32, F16, BF16)");
  EXPECT_MESSAGE(refusal(R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8],"shap":0}})", 8),
                 "unknown key 'shap' (known: dtype, shape, data_offsets). Did you mean 'shape'?");
  EXPECT_MESSAGE(refusal(R"({"a":{"dtype":"F64","data_offsets":[0,8]}})", 8),
                 "header: a: the key 'shape' is missing");
  EXPECT_MESSAGE(refusal(R"({"a":{},"a":{}})", 0),
                 "the header is not valid JSON (duplicate key 'a' in the top level)");
  EXPECT_MESSAGE(refusal(R"({"__metadata__":{"k":1}})", 0),
                 "__metadata__.k: expected a string, found the number 1");
  EXPECT_MESSAGE(refusal(R"({"":{"dtype":"F64","shape":[],"data_offsets":[0,8]}})", 8),
                 "a tensor without a name");
  EXPECT_MESSAGE(refusal(R"({"a":3})", 0), "header: a: expected an object");
  EXPECT_MESSAGE(refusal("[]", 0), "does not begin with '{'");
  EXPECT_MESSAGE(refusal("{\"a\":" + std::string(100000, '['), 0), "nesting deeper than 64");
  EXPECT_MESSAGE(refusal(R"({"a.b\u001b[0m":3})", 0), "['a.b\\x1b[0m']");
}

TEST(Safetensors, FilesAndPipesGiveTheSameRefusals) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  const std::string good = small_file();
  for (const std::string& bytes :
       {good, good + "x", good.substr(0, good.size() - 1), good.substr(0, 40), good.substr(0, 3)}) {
    spill(folder / "file", bytes);
    std::thread writer([&] { spill(folder / "fifo", bytes); });
    const std::string piped = message_of([&] { read_safetensors(folder / "fifo"); });
    writer.join();
    EXPECT_EQ(message_of([&] { read_safetensors(folder / "file"); }).empty(), bytes == good);
    EXPECT_EQ(piped.empty(), bytes == good) << piped;
  }
  EXPECT_MESSAGE(message_of([&] { read_safetensors(folder / "file", 2); }), "not a safetensors file");
  spill(folder / "file", good);
  EXPECT_MESSAGE(message_of([&] { read_safetensors(folder / "file", good.size() - 1); }),
                 "the limit for the file is");
  EXPECT_EQ(message_of([&] { read_safetensors(folder / "file", good.size()); }), "");
}

TEST(Safetensors, WhatCannotBeWritten) {
  const auto message = [](const Metadata& metadata, const std::vector<Tensor>& tensors) {
    return message_of<Error>([&] { safetensors_bytes(metadata, tensors); });
  };
  EXPECT_MESSAGE(message({}, {{"a", {2}, {1}}}), "tensor 'a' has 1 numbers, its shape is 2");
  EXPECT_MESSAGE(message({}, {{"a", {2}, {1, std::nan("")}}}), "tensor 'a' has a NaN at index 1");
  EXPECT_MESSAGE(message({}, {{"a", {}, {1}}, {"a", {}, {1}}}), "two tensors are named 'a'");
  EXPECT_MESSAGE(message({}, {{"__metadata__", {}, {1}}}), "cannot be the name of a tensor");
  EXPECT_MESSAGE(message({}, {{"\xff", {}, {1}}}), "is not UTF-8");
  EXPECT_MESSAGE(message({{"k", "\xff"}}, {}), "is not UTF-8");
  EXPECT_MESSAGE(message({{"k", ""}, {"k", ""}}, {}), "given twice");
  EXPECT_MESSAGE(message({}, {{"a", {INT64_MAX}, {1}}}), "too large for a file");
}

TEST(Safetensors, MutationsAndTruncations) {
  const std::string bytes = small_file();
  const auto parse = [](const std::string& hostile) { parse_safetensors(hostile, "x").require_finite(); };
  expect_every_truncation_refused(bytes, parse);
  const std::string one = safetensors_bytes({{"k", "v"}}, {{"a", {2}, {1, 2}}});
  expect_mutations_survived(one, one.size(), parse);
}

TEST(Safetensors, ManyTensors) {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 20000; ++i) tensors.push_back({"blocks." + std::to_string(i) + ".w", {1}, {Real(i)}});
  const SafetensorsFile file = parse_safetensors(safetensors_bytes({}, tensors), "x");
  EXPECT_EQ(file.tensor("blocks.12345.w").values, std::vector<Real>{12345});
}

}  // namespace
}  // namespace rezero
