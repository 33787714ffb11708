#include "rezero/init/initializer.h"

#include <gtest/gtest.h>

#include <set>

#include "rezero/core/error.h"

namespace rezero {
namespace {

Initializer make(const char* text) {
  return Initializer(parse_named_spec(text));
}
StreamKey key_of(std::uint64_t seed) {
  return stream_key(seed, StreamRole::weight);
}

std::string error_of(const char* text) {
  try {
    make(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Initializer, AliasesAndPresetsResolveToOneCanonicalName) {
  for (const char* text : {"he", "kaiming", "he-normal", "kaiming-normal"})
    EXPECT_EQ(make(text).canonical(), "he");
  for (const char* text :
       {"he:law=uniform", "kaiming:law=uniform", "he-uniform", "kaiming-uniform", "he-uniform:law=uniform"})
    EXPECT_EQ(make(text).canonical(), "he:law=uniform");
  EXPECT_EQ(make("glorot").canonical(), "xavier");
  EXPECT_EQ(make("glorot-uniform:gain=2").canonical(), "xavier:law=uniform:gain=2");
  EXPECT_EQ(make("lecun-uniform").canonical(), "lecun:law=uniform");
  EXPECT_EQ(make("he:gain=auto:mode=fan_out").canonical(), "he:mode=fan_out:gain=auto");
}

TEST(Initializer, CanonicalTextResolvesToItself) {
  for (const InitializerKind& kind : initializers())
    EXPECT_EQ(make(std::string(kind.name).c_str()).canonical(), kind.name);
  for (const auto& [name, text] : initializer_presets()) {
    const std::string once = make(std::string(name).c_str()).canonical();
    EXPECT_EQ(make(once.c_str()).canonical(), once) << name << " " << text;
  }
}

TEST(Initializer, ContradictingAPresetNamesBoth) {
  EXPECT_EQ(
      error_of("he-normal:law=uniform"),
      "initializer 'he-normal' has law=normal, but 'law=uniform' was given: write 'he:law=uniform' or leave "
      "it out");
  EXPECT_NE(error_of("glorot-uniform:law=normal").find("'xavier:law=normal'"), std::string::npos);
  EXPECT_NE(error_of("he-normal:law=gauss").find("law=gauss"), std::string::npos);
  EXPECT_EQ(error_of("he-normal:law=normal"), "no error");
}

TEST(Initializer, UnknownNamesGetASuggestionFromNamesAliasesAndPresets) {
  for (const auto& [wrong, right] : {std::pair<const char*, const char*>{"xaver", "xavier"},
                                     {"kaimng", "kaiming"},
                                     {"he-unifrom", "he-uniform"},
                                     {"torch-defualt", "torch-default"}}) {
    const std::string message = error_of(wrong);
    EXPECT_NE(message.find("unknown initializer '" + std::string(wrong) + "'"), std::string::npos) << message;
    EXPECT_NE(message.find("Did you mean '" + std::string(right) + "'?"), std::string::npos) << message;
  }
}

TEST(Initializer, BadParametersAreRefused) {
  for (const char* bad :
       {"he:gain=-1", "he:gain=automatic", "he:mode=fan", "he:std=1", "lecun:gain=1", "normal:std=-0.1",
        "gaussian:sigma_w=-1", "gaussian:sigma_b=-1", "gaussian:sigma_w=inf", "trunc-normal:std=nan",
        "torch-default:law=normal", "orthogonal:gain=x", "ones", "zeros"})
    EXPECT_NE(error_of(bad), "no error") << bad;
}

TEST(Initializer, BiasesArePresentForGaussianWithSigmaBAndTorchDefaultOnly) {
  for (const char* text :
       {"he", "xavier", "lecun", "orthogonal", "gaussian", "gaussian:sigma_b=0", "normal", "trunc-normal"}) {
    EXPECT_FALSE(make(text).has_bias()) << text;
    EXPECT_EQ(make(text).bias({4, 3}, key_of(1)), Vector::Zero(4)) << text;
  }
  for (const char* text : {"gaussian:sigma_b=0.5", "torch-default"}) {
    EXPECT_TRUE(make(text).has_bias()) << text;
    const Vector bias = make(text).bias({4, 3}, key_of(1));
    ASSERT_EQ(bias.size(), 4);
    EXPECT_GT(bias.cwiseAbs().minCoeff(), 0) << text;
  }
}

TEST(Initializer, ShapesAreFanOutByFanInAndDrawsRepeat) {
  for (const InitializerKind& kind : initializers()) {
    const Initializer init = make(std::string(kind.name).c_str());
    const Matrix w = init.weight({6, 4}, key_of(2));
    EXPECT_EQ(w.rows(), 6) << kind.name;
    EXPECT_EQ(w.cols(), 4) << kind.name;
    EXPECT_EQ(w, init.weight({6, 4}, key_of(2))) << kind.name;
    EXPECT_NE(w, init.weight({6, 4}, key_of(3))) << kind.name;
    EXPECT_THROW(init.weight({0, 4}, key_of(2)), std::logic_error) << kind.name;
  }
}

TEST(Initializer, NoPresetHidesAName) {
  std::set<std::string_view> names;
  for (const InitializerKind& kind : initializers()) {
    names.insert(kind.name);
    names.insert(kind.aliases.begin(), kind.aliases.end());
  }
  for (const auto& preset : initializer_presets())
    EXPECT_TRUE(names.insert(preset.first).second) << preset.first;
}

}  // namespace
}  // namespace rezero
