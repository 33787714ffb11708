#pragma once
/// Differences between two JSON documents: numbers with a tolerance, everything else exactly. Modelled on
/// celeritas' JsonComparer.

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rezero {

class JsonComparer {
 public:
  using Json = nlohmann::ordered_json;

  /// Numbers a, b agree if |a − b| ≤ relative·max(|a|, |b|) + absolute.
  JsonComparer(double relative, double absolute) : relative_(relative), absolute_(absolute) {}

  /// `path: expected …, found …`, at most twenty; empty: equal. Keys must be in the same order.
  std::vector<std::string> differences(const Json& expected, const Json& found) {
    found_.clear();
    compare("$", expected, found);
    return found_;
  }

 private:
  void note(const std::string& path, const std::string& expected, const std::string& found) {
    if (found_.size() < 20) found_.push_back(path + ": expected " + expected + ", found " + found);
  }

  bool close(double a, double b) const {
    return a == b || std::abs(a - b) <= relative_ * std::max(std::abs(a), std::abs(b)) + absolute_;
  }

  void compare(const std::string& path, const Json& a, const Json& b) {
    if (a.is_number() && b.is_number()) {
      if (!close(a.get<double>(), b.get<double>())) note(path, a.dump(), b.dump());
    } else if (a.type() != b.type()) {
      note(path, a.type_name(), b.type_name());
    } else if (a.is_object()) {
      compare_objects(path, a, b);
    } else if (a.is_array()) {
      if (a.size() != b.size())
        return note(path, std::to_string(a.size()), std::to_string(b.size()) + " elements");
      for (std::size_t i = 0; i < a.size(); ++i) compare(path + "[" + std::to_string(i) + "]", a[i], b[i]);
    } else if (a != b) {
      note(path, a.dump(), b.dump());
    }
  }

  void compare_objects(const std::string& path, const Json& a, const Json& b) {
    const auto keys = [](const Json& object) {
      std::string text;
      for (const auto& item : object.items()) text += item.key() + " ";
      return text;
    };
    if (keys(a) != keys(b)) return note(path, "keys " + keys(a), keys(b));
    for (const auto& item : a.items()) compare(path + "." + item.key(), item.value(), b.at(item.key()));
  }

  double relative_, absolute_;
  std::vector<std::string> found_;
};

}  // namespace rezero
