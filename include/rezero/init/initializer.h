#pragma once
/// Weight initializers: the distributions of weights and biases, drawn from addressed streams.

#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/named_spec.h"
#include "rezero/core/registry.h"
#include "rezero/init/entry_law.h"
#include "rezero/random/key.h"

namespace rezero {

/// The place of a weight, for distributions that treat attention differently.
enum class WeightPlace { feed_forward, attention_input, attention_output };

/// The weight to be drawn. W is out × (in·taps), with y = W x for one tap. For a convolution, W holds the
/// numbers of an out × in × kh × kw tensor, row by row.
struct WeightContext {
  Index out = 0;
  Index in = 0;
  Real activation_gain = 1;  ///< the gain of the activation, for `gain=auto`
  WeightPlace place = WeightPlace::feed_forward;
  Index taps = 1;  ///< kernel entries kh·kw, odd

  Index rows() const { return out; }
  Index cols() const { return in * taps; }
  Index fan_in() const { return in * taps; }    ///< inputs per output
  Index fan_out() const { return out * taps; }  ///< outputs per input
};

/// One named distribution. `std` below is the standard deviation of an entry. Aliases are plain synonyms
/// (kaiming); presets like he-uniform are resolved separately.
struct InitializerKind : Entry {
  std::string_view formula;
  EntryLaw (*law)(const WeightContext&, const Params&) = nullptr;       ///< of a weight's entries
  EntryLaw (*bias_law)(const WeightContext&, const Params&) = nullptr;  ///< nullptr: no biases
  /// nullptr: independent entries by `law`
  Matrix (*weight)(const WeightContext&, const Params&, const StreamKey&) = nullptr;
  bool (*has_bias)(const Params&) = nullptr;      ///< nullptr: true if `bias_law` is set
  bool (*tied_weights)(const Params&) = nullptr;  ///< all layers share their weights; nullptr: no
  bool (*tied_biases)(const Params&) = nullptr;   ///< all layers share their biases; nullptr: no
  bool factors_a_matrix = false;  ///< each weight is the Q of a QR, at the cost given by haar_orthogonal
  bool fused_attention = false;   ///< queries, keys and values are drawn as one matrix
};

const Registry<InitializerKind>& initializers();
/// Aliases that carry parameters (he-uniform → he:law=uniform, …), for help and did-you-mean.
const std::vector<std::pair<std::string_view, std::string_view>>& initializer_presets();

/// A resolved initializer: a value type, cheap to copy.
class Initializer {
 public:
  /// Resolves a name, alias or preset with its parameters. UsageError as in resolve_params.
  explicit Initializer(const NamedSpec& spec);
  explicit Initializer(std::string_view text) : Initializer(parse_named_spec(text)) {}

  Matrix weight(const WeightContext& context, const StreamKey& key) const;  ///< rows × cols
  Vector bias(const WeightContext& context, const StreamKey& key) const;    ///< out; zero if !has_bias()
  EntryLaw weight_law(const WeightContext& context) const;
  EntryLaw bias_law(const WeightContext& context) const;  ///< zeros if !has_bias()
  bool has_bias() const;
  bool tied_weights() const { return kind_->tied_weights && kind_->tied_weights(params_); }
  bool tied_biases() const { return kind_->tied_biases && kind_->tied_biases(params_); }

  std::string canonical() const;  ///< `he:law=uniform`
  const InitializerKind& kind() const { return *kind_; }
  const Params& params() const { return params_; }

 private:
  const InitializerKind* kind_;
  Params params_;
};

}  // namespace rezero
