#pragma once
/// An axis of named values with parameters: the schemes, activations or initializers of a plan.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rezero/core/swept_spec.h"
#include "rezero/core/text.h"
#include "rezero/model/scheme.h"
#include "rezero/model/stack_spec.h"

namespace rezero {

/// The values of one numeric parameter.
struct SweptParam {
  std::string name;
  std::vector<Real> values;  ///< distinct; two or more
  std::string text;          ///< as in a plan: `0.5:2.5:0.1`, `0.1,0.3`
};

/// The common part of all entries of registries: name and declared parameters.
inline const Entry& entry_of(const SchemeSpec& spec) {
  return spec.scheme();
}
inline const Entry& entry_of(const Initializer& initializer) {
  return initializer.kind();
}
inline const Entry& entry_of(const Activation& activation) {
  return activation.kind();
}

/// `gaussian:sigma_w=0.5:2.5:0.1:sigma_b=0,1`: the product of the values of its swept parameters, in the
/// order in which the parameters are declared, with the last varying fastest; or a single value.
template <class T>
class AxisEntry {
 public:
  /// A single value.
  AxisEntry(T value) : base_(std::move(value)) {}
  /// `spec`: with the first value of each swept parameter. UsageError as T's constructor gives it.
  AxisEntry(NamedSpec spec, std::vector<SweptParam> swept)
      : base_(spec), spec_(std::move(spec)), swept_(std::move(swept)) {}

  const T& base() const { return base_; }  ///< with the first values of all swept parameters
  T& base() { return base_; }              ///< to fill in series, which all values share
  const std::vector<SweptParam>& swept() const { return swept_; }

  std::size_t points() const {  ///< of the whole product
    std::size_t count = 1;
    for (const SweptParam& param : swept_) count *= param.values.size();
    return count;
  }
  /// Point i of the product, made as T's constructor makes it from a text with those numbers.
  T point(std::size_t i) const;

  /// Only these points of the product, ascending; at least one.
  void keep(std::vector<std::uint32_t> points) { kept_ = std::move(points); }
  std::size_t size() const { return kept_.empty() ? points() : kept_.size(); }
  T operator[](std::size_t i) const { return point(kept_.empty() ? i : kept_[i]); }

  /// The text from which the entry can be made again.
  std::string canonical() const {
    return canonical_spec(entry_of(base_).name, base_.params(), [this](const ParamValue& value) {
      for (const SweptParam& param : swept_)
        if (param.name == value.name) return &param.text;
      return value.is_default ? nullptr : &value.text;
    });
  }

 private:
  T base_;
  NamedSpec spec_;
  std::vector<SweptParam> swept_;    ///< in the order of declaration
  std::vector<std::uint32_t> kept_;  ///< empty: all
};

template <class T>
T AxisEntry<T>::point(std::size_t i) const {
  if (swept_.empty()) return base_;
  NamedSpec spec = spec_;
  for (auto param = swept_.rbegin(); param != swept_.rend(); ++param) {
    for (auto& [name, text] : spec.params)
      if (name == param->name) text = shortest(param->values[i % param->values.size()]);
    i /= param->values.size();
  }
  T value(spec);
  if constexpr (std::is_same_v<T, SchemeSpec>)
    for (std::size_t p = 0; p < value.params().values().size(); ++p)
      value.params().values()[p].series = base_.params().values()[p].series;
  return value;
}

/// The values of all entries, in order. Values are made on demand, so that a grid takes no more memory than
/// the numbers along its sides. T: SchemeSpec, Activation, Initializer.
template <class T>
class Axis {
 public:
  Axis() = default;
  Axis(std::initializer_list<T> values) {
    for (const T& value : values) add(value);
  }

  void add(AxisEntry<T> entry) {
    const std::size_t end = size() + entry.size();
    entries_.push_back(std::move(entry));
    ends_.push_back(end);
  }
  template <class... Args>
  void emplace_back(Args&&... args) {
    add(T(std::forward<Args>(args)...));
  }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  T operator[](std::size_t i) const {
    std::size_t e = 0, last = ends_.size() - 1;
    while (e < last) {
      const std::size_t middle = (e + last) / 2;
      i < ends_[middle] ? last = middle : e = middle + 1;
    }
    return entries_[e][e == 0 ? i : i - ends_[e - 1]];
  }
  T front() const { return (*this)[0]; }

  const std::vector<AxisEntry<T>>& entries() const { return entries_; }
  std::vector<AxisEntry<T>>& entries() { return entries_; }  ///< to fill in the series of their bases

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = T;

    Iterator(const Axis* axis, std::size_t i) : axis_(axis), i_(i) {}
    T operator*() const { return (*axis_)[i_]; }
    Iterator& operator++() { return ++i_, *this; }
    Iterator operator++(int) { return {axis_, i_++}; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.i_ == b.i_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.i_ != b.i_; }

   private:
    const Axis* axis_;
    std::size_t i_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  std::vector<AxisEntry<T>> entries_;
  std::vector<std::size_t> ends_;  ///< of each entry, the index of the value after its last one
};

}  // namespace rezero
