#pragma once
/// What to do: a resolved sweep. Everything in it is part of the numbers; threads, paths and formats are not.

#include <optional>
#include <string>
#include <vector>

#include "rezero/analysis/check.h"
#include "rezero/core/words.h"
#include "rezero/model/stack.h"

namespace rezero {

enum class ValuesMode { linear, log10, none };
template <>
inline constexpr auto words<ValuesMode> = closed_set<ValuesMode>("values mode",
                                                                 {{ValuesMode::linear, "linear"},
                                                                  {ValuesMode::log10, "log10"},
                                                                  {ValuesMode::none, "none"}});
enum class CotangentLaw { random, ones };
template <>
inline constexpr auto words<CotangentLaw> =
    closed_set<CotangentLaw>("cotangent", {{CotangentLaw::random, "random"}, {CotangentLaw::ones, "ones"}});

/// A file whose content defines numbers: reports repeat its hash.
struct InputFile {
  std::string path;
  std::string sha256;
};

/// A stack read from a file, in place of a random one.
struct StackInput {
  InputFile file;
  StackPtr stack;
  Real reading_bytes = 0;  ///< that reading took at most: the file, its header, the numbers as doubles
};

/// The part of J that is analyzed: ∂x_L[of] / ∂x_0[wrt], all positions where absent.
struct TokenView {
  std::optional<Index> wrt, of;
};

struct AnalysisOptions {
  std::string method = "auto";
  Index top = 0, bottom = 0;
  ValuesMode values = ValuesMode::linear;
  bool profile = false;
  bool final_norm = false;  ///< a norm after the stack, applied to what each reported depth sees
  TokenView view;
  CotangentLaw cotangent = CotangentLaw::random;
  std::vector<CheckSpec> checks;  ///< verify only; empty for the analysis
  bool spectrum = true;           ///< false when no check needs singular values
};

/// Axes: scheme × width × activation × init × seed × depth, the last fastest. With `stack` set, only depths
/// (blocks) and analysis are used.
struct SweepPlan {
  std::vector<SchemeSpec> schemes;
  const Family* family = nullptr;
  std::vector<Index> depths;  ///< ascending, distinct
  std::vector<Index> widths;
  Real hidden_ratio = 1;
  TokenSpec tokens;
  ConvNetSpec conv;
  std::vector<Activation> activations;
  std::vector<Initializer> initializers;  ///< empty: each scheme starts as its source does
  bool tied = false;
  std::vector<std::uint64_t> seeds;
  InputSpec input;
  std::vector<InputFile> files;  ///< --input, alphas: what was read, with its hash
  std::optional<StackInput> stack;
  AnalysisOptions analysis;
};

/// What the user asked for, or what the scheme's source starts from: over tokens and images its own law, he
/// elsewhere.
std::vector<Initializer> initializers_of(const SweepPlan& plan, const SchemeSpec& scheme);
/// All that occur in the plan, each once.
std::vector<Initializer> distinct_initializers(const SweepPlan& plan);

}  // namespace rezero
