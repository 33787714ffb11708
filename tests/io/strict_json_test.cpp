#include "io/strict_json.h"

#include "io/io_support.h"
#include "rezero/core/text.h"

namespace rezero {
namespace {

std::string refusal(std::string_view text) {
  return message_of([&] { parse_strict_json(text, "plan 'x'"); });
}

TEST(StrictJson, KeepsValuesAndOrder) {
  const std::string text =
      R"({"z":[1,-2,2.5,true,null,"é\u00e9\u0000"],"a":{"b":{}},"c":18446744073709551615})";
  const auto document = parse_strict_json(text, "x");
  EXPECT_EQ(document.dump(),
            R"({"z":[1,-2,2.5,true,null,"éé\u0000"],"a":{"b":{}},"c":18446744073709551615})");
  EXPECT_EQ(parse_strict_json(" 3\n", "x"), 3);
}

TEST(StrictJson, DuplicateKeysAreNamedWithTheirPlace) {
  EXPECT_EQ(refusal(R"({"blocks":[{},{"branch":{"kind":1,"kind":2}}]})"),
            "plan 'x' is not valid JSON (duplicate key 'kind' in blocks[1].branch)");
  EXPECT_MESSAGE(refusal(R"({"a":1,"\u0061":2})"), "duplicate key 'a' in the top level");
  EXPECT_EQ(refusal(R"({"a":{"k":1},"b":{"k":1}})"), "");
}

TEST(StrictJson, ManyKeysTakeLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 50000; ++i) text += "\"key" + std::to_string(i) + "\":0,";
  text += "\"last\":0}";
  EXPECT_EQ(parse_strict_json(text, "x").size(), 50001u);
}

TEST(StrictJson, NestingIsBounded) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(refusal(nested(64)), "");
  EXPECT_MESSAGE(refusal(nested(65)), "nesting deeper than 64");
  EXPECT_MESSAGE(refusal(nested(100000)), "nesting deeper than 64");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_MESSAGE(refusal(objects), "nesting deeper than 64");
}

TEST(StrictJson, ValuesAreBounded) {
  StrictJsonOptions options;
  options.max_values = 4;
  EXPECT_EQ(message_of([&] { parse_strict_json("[1,2,3]", "x", options); }), "");
  EXPECT_MESSAGE(message_of([&] { parse_strict_json("[1,2,3,4]", "x", options); }), "more than 4 values");
}

TEST(StrictJson, NumbersOutsideDouble) {
  EXPECT_MESSAGE(refusal(R"({"a":[0,1e400]})"), "the number 1e400 at a[1] is outside the range of double");
  EXPECT_MESSAGE(refusal("-1e99999999999999999999"), "outside the range");
  EXPECT_MESSAGE(refusal("[1e-400]"), "outside the range");
  EXPECT_EQ(parse_strict_json("0.000e-999", "x"), 0.0);
  EXPECT_EQ(parse_strict_json("4.9e-324", "x"), 4.9e-324);
  EXPECT_EQ(parse_strict_json("1.7976931348623157e308", "x"), 1.7976931348623157e308);
}

TEST(StrictJson, LongIntegersLoseNoDigits) {
  EXPECT_EQ(parse_strict_json("9223372036854775807", "x").get<std::int64_t>(), INT64_MAX);
  EXPECT_EQ(parse_strict_json("-9223372036854775808", "x").get<std::int64_t>(), INT64_MIN);
  EXPECT_EQ(parse_strict_json("18446744073709551616", "x"), 18446744073709551616.0);  // 2^64 is a double
  EXPECT_MESSAGE(refusal("{\"seed\":18446744073709551617}"), "at seed has more digits than can be kept");
  EXPECT_MESSAGE(refusal("-9223372036854775809"), "more digits");
}

TEST(StrictJson, NoNumberWords) {
  for (const std::string text : {"NaN", "-NaN", "nan", "Infinity", "-Infinity", "inf"})
    EXPECT_MESSAGE(refusal("[" + text + "]"), "JSON has finite numbers only");
}

TEST(StrictJson, SyntaxErrorsHaveAPlace) {
  EXPECT_MESSAGE(refusal("{\"a\":1,\n \"b\" 2}"), "unexpected '2' at line 2, column 6");
  EXPECT_MESSAGE(refusal("{} x"), "unexpected 'x' at line 1, column 4");
  EXPECT_MESSAGE(refusal("{}}"), "unexpected '}' at line 1, column 3");
  EXPECT_MESSAGE(refusal("[1,]"), "unexpected ']'");
  EXPECT_MESSAGE(refusal("[é]"), "unexpected 'é'");
  EXPECT_MESSAGE(refusal("[1"), "the text ends too early, at line 1, column 3");
  EXPECT_MESSAGE(refusal("\"abc"), "the text ends too early");
  EXPECT_MESSAGE(refusal("\"a\nb\""), "unexpected '\\x0a'");
  EXPECT_MESSAGE(refusal("[1] // c"), "unexpected '/'");
  for (const char* text : {"01", "+1", ".5", "1.", "'a'", "{a:1}", "[1 2]", "\"\\ud800\"", "\"\\x\"", "truE"})
    EXPECT_NE(refusal(text), "") << text;
}

TEST(StrictJson, BytesThatAreNoJsonText) {
  EXPECT_MESSAGE(refusal(""), "it is empty");
  EXPECT_MESSAGE(refusal(" \n"), "it is empty");
  EXPECT_MESSAGE(refusal("\xef\xbb\xbf{}"), "byte order mark");
  EXPECT_MESSAGE(refusal(std::string_view("{}\0junk", 7)), "a zero byte at line 1, column 3");
  EXPECT_MESSAGE(refusal("[\n\"\xff\"]"), "invalid UTF-8 at line 2, column 2");
}

TEST(StrictJson, HostileKeysAreMadePrintable) {
  EXPECT_MESSAGE(refusal("{\"\\u001b[2J\\n\":[{\"a\":1,\"a\":2}]}"), "in ['\\x1b[2J\\x0a'][0]");
}

TEST(StrictJson, Utf8TableOfUnicode) {
  for (const char* good : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xef\xbf\xbf",
                           "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(invalid_utf8_at(good), std::string_view::npos);
  for (const char* bad : {"\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe1\x80",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc2\x41"})
    EXPECT_EQ(invalid_utf8_at(std::string("ab") + bad), 2u);
}

TEST(StrictJson, MutationsAndTruncations) {
  const std::string text = R"({"a":[1,-2.5e3,"x\u00e9é"],"b":{"c":null,"d":true}})";
  const auto parse = [](const std::string& bytes) { parse_strict_json(bytes, "x"); };
  expect_every_truncation_refused(text, parse);
  expect_mutations_survived(text, text.size(), parse);
}

}  // namespace
}  // namespace rezero
