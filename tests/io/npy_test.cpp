#include "rezero/io/npy.h"

#include <cmath>

#include "io/io_support.h"

namespace rezero {
namespace {

/// A file of any version with any header.
std::string npy(const std::string& header, const std::string& data, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  return bytes + header + data;
}

std::string dictionary(const std::string& descr, const std::string& shape,
                       const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }   \n";
}

std::vector<Real> values_of(const std::string& descr, const std::string& data, const std::string& shape) {
  return parse_npy(npy(dictionary(descr, shape), data), "x").values;
}

std::string refusal(const std::string& bytes) {
  return message_of([&] { parse_npy(bytes, "file 'x'"); });
}

TEST(Npy, RoundTrip) {
  for (const NpyArray& array :
       {NpyArray{{}, {2.5}}, NpyArray{{3}, {1, 2, 3}}, NpyArray{{2, 3}, {1, 2, 3, 4, 5, -0.1}},
        NpyArray{{0}, {}}, NpyArray{{1, 2, 1}, {1e-320, 1e308}}}) {
    const NpyArray back = parse_npy(npy_bytes(array), "x");
    EXPECT_EQ(back.shape, array.shape);
    EXPECT_EQ(back.values, array.values);
  }
  EXPECT_EQ(message_of<ShapeError>([] {
              npy_bytes({{2}, {1}});
            }),
            "1 numbers do not make an array of shape 2");
}

// As numpy.save writes array([1.5]): magic, version, length 118, the dictionary padded to 128 bytes.
TEST(Npy, BytesAreThoseOfNumPy) {
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }";
  EXPECT_EQ(npy_bytes({{1}, {1.5}}), npy(header + std::string(117 - header.size(), ' ') + "\n",
                                         std::string("\0\0\0\0\0\0\xf8\x3f", 8)));
}

TEST(Npy, Dtypes) {
  EXPECT_EQ(values_of("<f4", "\xcd\xcc\xcc\x3d", "(1,)"), std::vector<Real>{0.1f});
  EXPECT_EQ(values_of(">f4", "\x3d\xcc\xcc\xcd", "(1,)"), std::vector<Real>{0.1f});
  EXPECT_EQ(values_of(">f8", std::string("\x3f\xf8\0\0\0\0\0\0", 8), "()"), std::vector<Real>{1.5});
  EXPECT_EQ(values_of("<f2", std::string("\x00\x3c\xff\x7b", 4), "(2,)"), (std::vector<Real>{1, 65504}));
  EXPECT_EQ(values_of("|i1", "\xff\x02", "(2,)"), (std::vector<Real>{-1, 2}));
  EXPECT_EQ(values_of("|u1", "\xff\x02", "(2,)"), (std::vector<Real>{255, 2}));
  EXPECT_EQ(values_of("<i2", "\xfe\xff", "(1,)"), std::vector<Real>{-2});
  EXPECT_EQ(values_of(">u4", std::string("\x80\0\0\x01", 4), "(1,)"), std::vector<Real>{2147483649.0});
  EXPECT_EQ(values_of("<i8", std::string("\0\0\0\0\0\0\0\x80", 8), "(1,)"),
            std::vector<Real>{-std::ldexp(1.0, 63)});
  EXPECT_EQ(values_of("<u8", std::string("\0\0\0\0\0\0\0\x80", 8), "(1,)"),
            std::vector<Real>{std::ldexp(1.0, 63)});
}

TEST(Npy, IntegersKeepAllDigitsOrAreRefused) {
  const auto bytes = [](const std::string& descr, const std::string& data) {
    return npy(dictionary(descr, "(1,)"), data);
  };
  EXPECT_MESSAGE(refusal(bytes("<u8", std::string(8, '\xff'))),
                 "file 'x': the integer 18446744073709551615 is not a double");
  EXPECT_MESSAGE(refusal(bytes("<i8", std::string(7, '\xff') + "\x7f")), "the integer 9223372036854775807");
  EXPECT_MESSAGE(refusal(bytes("<i8", std::string("\1\0\0\0\0\0\x20\0", 8))), "the integer 9007199254740993");
}

TEST(Npy, FortranOrder) {
  std::string data;
  for (char value = 0; value < 24; ++value) data += value;
  const NpyArray array = parse_npy(npy(dictionary("|u1", "(2, 3, 4)", "True"), data), "x");
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 3; ++j)
      for (Index k = 0; k < 4; ++k)
        EXPECT_EQ(array.values[static_cast<std::size_t>((i * 3 + j) * 4 + k)],
                  static_cast<Real>(i + 2 * (j + 3 * k)));
  EXPECT_TRUE(parse_npy(npy(dictionary("|u1", "(2, 0, 4)", "True"), ""), "x").values.empty());
}

TEST(Npy, Versions) {
  for (int major : {1, 2, 3})
    EXPECT_EQ(parse_npy(npy(dictionary("|u1", "(1,)"), "\x07", major), "x").values, std::vector<Real>{7});
  for (int major : {0, 4})
    EXPECT_MESSAGE(refusal(npy(dictionary("|u1", "(1,)"), "\x07", major)), "is unknown");
  EXPECT_EQ(refusal("PK\x03\x04 archive"), "file 'x': no .npy file");
}

TEST(Npy, SizesThatLie) {
  EXPECT_EQ(refusal(npy(dictionary("<f8", "(2,)"), std::string(8, '\0'))),
            "file 'x': shape 2 takes 16 bytes, but 8 follow the header");
  EXPECT_MESSAGE(refusal(npy(dictionary("<f8", "(1,)"), std::string(9, '\0'))),
                 "takes 8 bytes, but 9 follow");
  EXPECT_MESSAGE(refusal(npy(dictionary("<f8", "(9223372036854775807,)"), "")), "the shape overflows");
  EXPECT_MESSAGE(refusal(npy(dictionary("<f8", "(4294967296, 4294967296)"), "")), "the shape overflows");
  EXPECT_MESSAGE(refusal(npy(dictionary("<f8", "(9223372036854775808,)"), "")), "an axis that is too long");
  EXPECT_MESSAGE(refusal(npy(dictionary("<f8", "(1000000000000,)"), "")), "takes 8000000000000 bytes");
  EXPECT_MESSAGE(refusal(std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{}", 14)),
                 "claims 4294967295 bytes, but only 2 follow");
}

TEST(Npy, HeadersThatNumPyDoesNotWrite) {
  const auto header = [](const std::string& text) { return refusal(npy(text, std::string(8, '\0'))); };
  const std::string order = "'fortran_order': False, ", shape = "'shape': (1,)";
  EXPECT_EQ(header("{\"shape\": (1,), \"descr\": \"<f8\", \"fortran_order\": False}"), "");
  EXPECT_MESSAGE(header("{" + order + shape + "}"), "'descr' is missing");
  EXPECT_MESSAGE(header("{'descr': '<f8', " + order + "}"), "'shape' is missing");
  EXPECT_MESSAGE(header("{'descr': '<f8', " + order + order + shape + "}"), "'fortran_order' is given twice");
  EXPECT_MESSAGE(header("{'descr': '<f8', 'x\x1b': 1, " + order + shape + "}"), "unknown key 'x\\x1b'");
  EXPECT_MESSAGE(header("{'descr': '<f8', " + order + "'shape': (1)}"), "expected ','");
  EXPECT_MESSAGE(header("{'descr': '<f8', " + order + "'shape': (-1,)}"), "expected the length of an axis");
  EXPECT_MESSAGE(header("{'descr': '<f8', " + order + "'shape': (,)}"), "expected the length of an axis");
  EXPECT_MESSAGE(header("{'descr': '<f8', 'fortran_order': 0, " + shape + "}"), "expected True or False");
  EXPECT_MESSAGE(header("{'descr': '<f8', " + order + shape + "} x"), "text after the dictionary");
  EXPECT_MESSAGE(header("{'descr': '<f8"), "a string without end");
  EXPECT_MESSAGE(header(""), "expected '{'");
  EXPECT_MESSAGE(header("{'descr': [('a', '<f8')], " + order + shape + "}"), "an array of records");
  for (const char* descr : {"<c16", "|b1", "|O", "<U3", "|f8", "=f8", "f8", "<f1", "<f16", ""})
    EXPECT_MESSAGE(refusal(npy(dictionary(descr, "(1,)"), "")), "cannot read an array of dtype");
  std::string axes = "(1";
  for (int i = 0; i < 64; ++i) axes += ", 1";
  EXPECT_MESSAGE(header(dictionary("<f8", axes + ")")), "more than 64 axes");
}

TEST(Npy, NotFiniteValuesAreNamed) {
  EXPECT_EQ(refusal(npy(dictionary("<f4", "(2,)"), std::string("\0\0\0\0\0\0\xc0\x7f", 8))),
            "file 'x' has a NaN at index 1");
  EXPECT_MESSAGE(refusal(npy(dictionary("<f2", "(1,)"), std::string("\0\xfc", 2))), "an infinity at index 0");
}

TEST(Npy, ReadsFiles) {
  const TemporaryFolder folder;
  spill(folder / "a.npy", npy_bytes({{2}, {1, 2}}));
  EXPECT_EQ(read_npy(folder / "a.npy").values, (std::vector<Real>{1, 2}));
  EXPECT_MESSAGE(message_of([&] { read_npy(folder / "a.npy", 100); }), "the limit is 100 bytes");
}

TEST(Npy, MutationsAndTruncations) {
  const std::string bytes = npy(dictionary("<f8", "(2, 1)"), std::string(16, '\0'));
  const auto parse = [](const std::string& hostile) { parse_npy(hostile, "x"); };
  expect_every_truncation_refused(bytes, parse);
  expect_mutations_survived(bytes, bytes.size(), parse);
}

}  // namespace
}  // namespace rezero
