#pragma once
/// Typed reading of a parsed JSON document; every failure is an IoError with the path of the bad field:
/// `plan 'x.json': blocks[2].branch.kind: expected a string, found the number 3`.
/// Private: for the stack file's spec and for plans.

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rezero/core/error.h"
#include "rezero/core/types.h"
#include "rezero/core/words.h"

namespace rezero {

/// A place in a document. The document must outlive it.
class JsonCursor {
 public:
  /// The top level of a document; messages call it `what`.
  JsonCursor(const nlohmann::ordered_json& document, std::string_view what);

  const nlohmann::ordered_json& json() const { return *node_; }
  const std::string& path() const { return path_; }  ///< empty at the top level
  bool is_null() const { return node_->is_null(); }
  bool is_string() const { return node_->is_string(); }
  bool is_number() const { return node_->is_number(); }
  bool is_array() const { return node_->is_array(); }
  bool is_object() const { return node_->is_object(); }

  // Values. The parser rejects infinite numbers; one in a document made by other means is refused here.
  const std::string& string() const;
  bool boolean() const;
  Real real() const;  ///< a finite number; an integer is rounded to double, as any literal is
  Real real_between(Real lowest, Real highest) const;  ///< both included
  /// A whole number, both bounds included. Any notation that is exactly whole is accepted, such as 3.0 and
  /// 3e0.
  std::int64_t integer(std::int64_t lowest = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t highest = std::numeric_limits<std::int64_t>::max()) const;
  /// One of several words; `kind` describes them, as in unknown_name_message.
  const std::string& one_of(std::string_view kind, const std::vector<std::string_view>& known) const;
  /// One of the words of a closed set.
  template <class T>
  T word() const {
    return lookup<T>(one_of(words<T>.kind, choices<T>()));
  }
  /// f(string()), where f may throw UsageError (a registry's at(), parse_named_spec, …).
  template <class F>
  auto resolve(F&& f) const {
    try {
      return f(string());
    } catch (const UsageError& error) {
      fail(error.what());
    }
  }

  // Objects.
  /// Every key must be among `known`; the error suggests a similar one. Call it first, once for each object.
  void only(const std::vector<std::string_view>& known) const;
  JsonCursor at(std::string_view key) const;                   ///< must exist
  std::optional<JsonCursor> find(std::string_view key) const;  ///< absent if the key is; null is a value
  /// absent if the key is, or if the value is null
  std::optional<JsonCursor> optional(std::string_view key) const;
  std::vector<std::pair<std::string, JsonCursor>> members() const;

  // Arrays.
  std::vector<JsonCursor> elements() const;
  std::vector<Real> reals() const;  ///< finite numbers

  /// Throws the IoError: what, path, problem.
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  JsonCursor(const nlohmann::ordered_json& node, std::string path, const std::string& what)
      : node_(&node), path_(std::move(path)), what_(what) {}
  void expect(bool fits, std::string_view expected) const;

  const nlohmann::ordered_json* node_;
  std::string path_;
  std::string what_;
};

}  // namespace rezero
