#pragma once
/// A resolved sweep. Everything in it affects the numbers; threads, paths and formats are not part of it.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rezero/analysis/axis.h"
#include "rezero/analysis/check.h"
#include "rezero/core/words.h"
#include "rezero/model/stack.h"

namespace rezero {

struct Recipe;  // analysis/recipe.h

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

/// A file whose content affects the numbers; reports contain its hash.
struct InputFile {
  std::string path;
  std::string sha256;
};

/// What selects a stack from a graph, besides the file: as options have it.
struct GraphInput {
  std::string from, to;                  ///< names of tensors, resolved
  std::vector<std::string> feeds, dims;  ///< NAME=FILE and NAME=SIZE
  std::optional<std::string> block_pattern;
  std::uint64_t seed = 0;          ///< of Dropout masks and of a random input
  std::vector<std::string> masks;  ///< nodes that drew one
};

/// How a checkpoint was read as a stack: what its layout needs beside the file, as options have it, and what
/// was found.
struct CheckpointInput {
  std::string layout;                   ///< NAME:P=V
  Index heads = 1, positions = 1;       ///< resolved
  bool causal = false;                  ///< asked for; a layout may be causal by itself
  std::string activation;               ///< resolved
  std::vector<std::string> leave_out;   ///< as written
  std::uint64_t seed = 0;               ///< of a random input
  std::vector<std::string> outside;     ///< tensors that are not part of the stack
  std::vector<std::string> left_out;    ///< tensors that leave_out names
  std::vector<std::string> final_norm;  ///< tensors of the norm after it
};

/// Several inputs of a stack, each a sample of the data: one after another in one vector, as a file has them.
struct SampleList {
  std::shared_ptr<const Vector> numbers;
  Index count = 0;

  Index size() const { return numbers->size() / count; }  ///< of one sample
  Vector operator[](Index i) const { return numbers->segment(i * size(), size()); }
};

/// One of the files of a plan with its stack: a network at one point of its training.
struct StackFile {
  InputFile file;
  StackPtr stack;  ///< with its input; of several, the first
  std::optional<SampleList> samples = {};
  std::shared_ptr<const Recipe> recipe = {};  ///< that of the analysis, about the blocks of this file
};

/// Stacks read from files, instead of random ones. Their blocks have equal shapes, and all have equally many
/// samples, or none.
struct StackInput {
  std::vector<StackFile> files;  ///< at least one
  Real reading_bytes = 0;        ///< peak memory of reading: the file, its header, the numbers as doubles
  bool own_input = true;         ///< false: `inputs` or SweepPlan::input replaces it
  std::vector<std::string> inputs = {};  ///< paths of the inputs: one for all files, or one for each
  std::optional<GraphInput> graph = {};  ///< for --onnx
  std::optional<CheckpointInput> checkpoint = {};  ///< for --checkpoint

  const StackFile& first() const { return files.front(); }
  /// 0: a single input, which is no axis.
  Index samples() const { return first().samples ? first().samples->count : 0; }
};

/// The part of J that is analyzed: ∂x_L[of] / ∂x_0[wrt]; all positions if absent.
struct TokenView {
  std::optional<Index> wrt, of;
};

struct AnalysisOptions {
  std::string method = "auto";
  Index top = 0, bottom = 0;
  ValuesMode values = ValuesMode::linear;
  bool profile = false;
  bool final_norm = false;  ///< a norm after the stack, applied at each reported depth
  TokenView view;
  CotangentLaw cotangent = CotangentLaw::random;
  bool theory = false;                   ///< predictions beside measurements
  std::vector<CheckSpec> checks;         ///< verify only; empty for the analysis
  bool spectrum = true;                  ///< false when no check needs singular values
  std::shared_ptr<const Recipe> recipe;  ///< verify only: --expect-scheme
  /// Only weights are looked at: nothing passes through the stack.
  bool is_recipe_alone() const { return recipe && checks.empty(); }
  /// Bytes that the plan may use. The limit affects how spectra are computed (route.h), and so their last
  /// digits. Without it, the memory of the machine only decides whether the plan is run.
  std::optional<Real> max_memory;
};

/// Axes: scheme × width × activation × init × seed × depth, with the last varying fastest. If `stack` is set,
/// checkpoint × sample × depth (blocks); only depths and analysis are used.
struct SweepPlan : GeometryOptions {
  Axis<SchemeSpec> schemes;
  const Family* family = nullptr;
  std::vector<Index> depths;  ///< ascending, distinct
  std::vector<Index> widths;
  Real hidden_ratio = 1;
  Axis<Activation> activations;
  Axis<Initializer> initializers;  ///< empty: each scheme starts as its source does
  bool tied = false;
  std::vector<std::uint64_t> seeds;
  InputSpec input;
  std::vector<InputFile> files;  ///< --input, alphas: the files read, with their hashes
  std::optional<StackInput> stack;
  AnalysisOptions analysis;
};

/// One of the stacks of a plan.
StackSpec stack_spec(const SweepPlan& plan, const SchemeSpec& scheme, Index width,
                     const Activation& activation, const Initializer& initializer);

/// Shapes and sizes of the stacks of that width, which do not depend on the other axes.
RandomGeometryPtr geometry_of(const SweepPlan& plan, Index width);

/// The initializers chosen by the user, or that of the scheme's source: over tokens and images the source's
/// own, otherwise he.
Axis<Initializer> initializers_of(const SweepPlan& plan, const SchemeSpec& scheme);
/// Their number, which is the same for every scheme, and one of them.
std::size_t initializer_count(const SweepPlan& plan);
Initializer initializer_of(const SweepPlan& plan, const SchemeSpec& scheme, std::size_t i = 0);
/// All initializers of the plan, each once.
Axis<Initializer> distinct_initializers(const SweepPlan& plan);

}  // namespace rezero
