#include "rezero/core/named_spec.h"

#include <gtest/gtest.h>

#include "rezero/core/error.h"

namespace rezero {
namespace {

const std::vector<ParamInfo> infos = {{"alpha", ParamKind::real, "0.1", "branch scale"},
                                      {"law", ParamKind::choice, "normal", "law", {"normal", "uniform"}},
                                      {"p", ParamKind::real, "0.5", "power", {}, 0.0}};

Params resolve(const char* text) {
  return resolve_params(parse_named_spec(text), infos, "scheme 'x'");
}

std::string error_of(const char* text) {
  try {
    resolve(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(NamedSpec, DefaultsAreFilledIn) {
  const Params params = resolve("x");
  EXPECT_EQ(params.real("alpha"), 0.1);
  EXPECT_EQ(params.text("law"), "normal");
  EXPECT_FALSE(params.given("alpha"));
}

TEST(NamedSpec, WrittenValuesWinAndCanonicalTextIsShortest) {
  const Params params = resolve("x:law=uniform:alpha=1e-3");
  EXPECT_EQ(params.real("alpha"), 1e-3);
  EXPECT_EQ(canonical_spec("x", params), "x:alpha=0.001:law=uniform");
}

TEST(NamedSpec, ValuesWrittenAtTheirDefaultLeaveNoTrace) {
  const Params params = resolve("x:alpha=.10:law=normal");
  EXPECT_EQ(canonical_spec("x", params), "x");
  EXPECT_TRUE(params.given("alpha"));
}

TEST(NamedSpec, WordsAreMatchedWithoutCase) {
  EXPECT_EQ(canonical_spec("x", resolve("x:law=Uniform")), "x:law=uniform");
}

TEST(NamedSpec, BadTextIsRefusedByName) {
  EXPECT_EQ(error_of("x:alpa=1"),
            "unknown parameter 'alpa' of scheme 'x' (known: alpha, law, p). Did you mean 'alpha'?");
  for (const char* bad :
       {"x:alpha=nan", "x:alpha=1e400", "x:alpha=1x", "x:alpha=", "x:alpha", "x:=1", "", ":a=1",
        "x:alpha=1:alpha=2", "x:law=other", "x:p=-1", "x:alpha=0x10", "x:alpha=+-1", "x:alpha=inf"})
    EXPECT_NE(error_of(bad), "no error") << bad;
}

TEST(NamedSpec, NumbersReadBackExactly) {
  for (const Real value : {0.1, 1e-300, 5e-324, 1.7976931348623157e308, -0.5, 1.0 / 3})
    EXPECT_EQ(parse_real(shortest(value), "value"), value);
  EXPECT_EQ(parse_real("-.2", "value"), -0.2);
  EXPECT_EQ(parse_real("+3", "value"), 3);
  EXPECT_THROW(parse_integer("9223372036854775808", "value"), UsageError);
  EXPECT_THROW(parse_integer("1.5", "value"), UsageError);
}

}  // namespace
}  // namespace rezero
