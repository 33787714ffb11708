#pragma once
/// Weight initializers: the base law that weights and biases are drawn from, addressed by stream keys.

#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/named_spec.h"
#include "rezero/core/registry.h"
#include "rezero/random/key.h"

namespace rezero {

/// Where a weight stands, for laws that tell attention from the rest.
enum class WeightPlace { feed_forward, attention_input, attention_output };

/// What a draw needs to know about the weight it makes. W is out × (in·taps), y = W x for one tap; of a
/// convolution the numbers of an out × in × kh × kw tensor, row by row.
struct WeightContext {
  Index out = 0;
  Index in = 0;
  Real activation_gain = 1;  ///< the activation's own gain, for `gain=auto`
  WeightPlace place = WeightPlace::feed_forward;
  Index taps = 1;  ///< of the kernel: kh·kw, odd

  Index rows() const { return out; }
  Index cols() const { return in * taps; }
  Index fan_in() const { return in * taps; }    ///< inputs that an output sees
  Index fan_out() const { return out * taps; }  ///< outputs that see an input
};

/// One named law. `std` below is the standard deviation of an entry.
struct InitializerKind {
  std::string_view name;
  std::vector<std::string_view>
      aliases;  ///< plain synonyms (kaiming); presets like he-uniform are resolved apart
  std::string_view summary;
  std::string_view formula;
  std::string_view source;
  std::vector<ParamInfo> params;
  Matrix (*weight)(const WeightContext&, const Params&, const StreamKey&);
  Vector (*bias)(const WeightContext&, const Params&, const StreamKey&);  ///< nullptr: biases are absent
  bool (*has_bias)(const Params&);                                        ///< nullptr: as `bias` is set
  bool (*tied_weights)(const Params&) = nullptr;  ///< every layer has the same weights; nullptr: no
  bool (*tied_biases)(const Params&) = nullptr;   ///< every layer has the same biases; nullptr: no
  bool fused_attention = false;                   ///< queries, keys and values are drawn as one matrix
};

const Registry<InitializerKind>& initializers();
/// Aliases that carry parameters (he-uniform → he:law=uniform, …), for help and did-you-mean.
const std::vector<std::pair<std::string_view, std::string_view>>& initializer_presets();

/// A resolved initializer: a value type, cheap to copy.
class Initializer {
 public:
  /// Resolves a name, alias or preset with its parameters. UsageError as in resolve_params.
  explicit Initializer(const NamedSpec& spec);

  Matrix weight(const WeightContext& context, const StreamKey& key) const;  ///< rows × cols
  Vector bias(const WeightContext& context, const StreamKey& key) const;    ///< out; zero if !has_bias()
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
