#include "io/json_cursor.h"

#include "io/io_support.h"
#include "io/strict_json.h"
#include "rezero/core/named_spec.h"

namespace rezero {
namespace {

const nlohmann::ordered_json& document() {
  static const auto parsed = parse_strict_json(
      R"({"blocks":[{},{"branch":{"kind":"mpl","heads":2.0}}],"scale":-0.5,"big":18446744073709551615,)"
      R"("none":null,"flag":true,"numbers":[1,2.5,-3],"mixed":[1,"x"],"a b":{"c":1},"text":"a\nb"})",
      "plan 'x'");
  return parsed;
}
JsonCursor top() {
  return JsonCursor(document(), "plan 'x'");
}

TEST(JsonCursor, ReadsEveryType) {
  EXPECT_EQ(top().at("scale").real(), -0.5);
  EXPECT_TRUE(top().at("flag").boolean());
  EXPECT_EQ(top().at("text").string(), "a\nb");
  EXPECT_EQ(top().at("blocks").elements().size(), 2u);
  EXPECT_EQ(top().at("numbers").reals(), (std::vector<Real>{1, 2.5, -3}));
  EXPECT_EQ(top().at("blocks").elements()[1].at("branch").at("heads").integer(), 2);
  EXPECT_EQ(top().members().size(), 9u);
}

TEST(JsonCursor, PathsLeadToTheField) {
  const JsonCursor kind = top().at("blocks").elements()[1].at("branch").at("kind");
  EXPECT_EQ(kind.path(), "blocks[1].branch.kind");
  EXPECT_EQ(top().at("a b").at("c").path(), "['a b'].c");
  EXPECT_EQ(message_of([&] { kind.real(); }),
            "plan 'x': blocks[1].branch.kind: expected a number, found the string 'mpl'");
  EXPECT_EQ(
      message_of([&] {
        kind.one_of("branch kind", {"mlp", "glu"});
      }),
      "plan 'x': blocks[1].branch.kind: unknown branch kind 'mpl' (known: mlp, glu). Did you mean 'mlp'?");
}

TEST(JsonCursor, AbsentAndNull) {
  EXPECT_FALSE(top().find("absent"));
  EXPECT_FALSE(top().optional("absent"));
  EXPECT_TRUE(top().find("none")->is_null());
  EXPECT_FALSE(top().optional("none"));
  EXPECT_EQ(message_of([] { top().at("blocks").elements()[0].at("branch"); }),
            "plan 'x': blocks[0]: the key 'branch' is missing");
}

TEST(JsonCursor, UnknownKeys) {
  const JsonCursor branch = top().at("blocks").elements()[1].at("branch");
  EXPECT_EQ(message_of([&] { branch.only({"kind", "heads"}); }), "");
  EXPECT_MESSAGE(message_of([&] {
                   branch.only({"kinds", "heads"});
                 }),
                 "unknown key 'kind' (known: kinds, heads)");
}

TEST(JsonCursor, WrongTypesAndRanges) {
  EXPECT_MESSAGE(message_of([] { top().string(); }), "plan 'x': expected a string, found an object");
  EXPECT_MESSAGE(message_of([] { top().at("text").boolean(); }), "found the string 'a\\x0ab'");
  EXPECT_MESSAGE(message_of([] { top().at("scale").integer(); }),
                 "scale: expected a whole number, found the number -0.5");
  EXPECT_MESSAGE(message_of([] { top().at("big").integer(); }), "found the number 18446744073709551615");
  EXPECT_MESSAGE(message_of([] { top().at("numbers").elements()[0].integer(2); }),
                 "numbers[0]: expected a whole number of at least 2");
  EXPECT_MESSAGE(message_of([] { top().at("numbers").elements()[0].integer(2, 3); }),
                 "from 2 to 3, found the number 1");
  EXPECT_MESSAGE(message_of([] { top().at("scale").real_between(0, 1); }),
                 "a number from 0 to 1, found the number -0.5");
  EXPECT_MESSAGE(message_of([] { top().at("mixed").reals(); }), "mixed[1]: expected a number");
  EXPECT_MESSAGE(message_of([] { top().at("flag").elements(); }), "expected an array, found true");
  EXPECT_MESSAGE(message_of([] { top().at("flag").find("x"); }), "expected an object");
}

TEST(JsonCursor, UsageErrorsGetThePath) {
  EXPECT_EQ(top().at("text").resolve([](const std::string& text) { return text.size(); }), 3u);
  EXPECT_MESSAGE(
      message_of([] {
        top().at("text").resolve([](const std::string& text) { return parse_real(text, "scale"); });
      }),
      "plan 'x': text: scale 'a\\x0ab' is not a number");
}

TEST(JsonCursor, InfinityInADocumentMadeByHand) {
  const nlohmann::ordered_json made = {{"a", HUGE_VAL}};
  EXPECT_MESSAGE(message_of([&] { JsonCursor(made, "x").at("a").real(); }), "a: expected a finite number");
}

}  // namespace
}  // namespace rezero
