#include "config/axis_text.h"

#include <algorithm>

#include "rezero/config/list.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::detail {
namespace {

bool is_list(const std::string& value) {
  return value.find_first_of(",:") != std::string::npos;
}

}  // namespace

SweptText read_lists(const NamedSpec& spec, const rezero::Entry& kind, const std::string& owner) {
  SweptText read{spec, {}};
  for (const ParamInfo& info : kind.params)
    for (auto& [name, value] : read.base.params) {
      if (name != info.name || !is_list(value)) continue;
      const std::string what = "parameter '" + name + "' of " + owner;
      if (info.kind != ParamKind::real && info.kind != ParamKind::real_or_choice) {
        if (value.find(':') == std::string::npos) continue;  // a path with a comma, or an unknown word
        throw UsageError(what + " is not a number, so it has no range ('" + printable(value) + "')");
      }
      RealList list = parse_real_list(value, what);
      value = shortest(list.values.front());
      if (list.values.size() > 1) read.swept.push_back({name, std::move(list.values), std::move(list.text)});
    }
  return read;
}

std::size_t countable_points(const std::vector<SweptParam>& swept, const std::string& text) {
  Real points = 1;
  for (const SweptParam& param : swept) points *= static_cast<Real>(param.values.size());
  if (points > static_cast<Real>(longest_list))
    throw UsageError("'" + printable(text) + "' has " + shortest(points) + " values, more than " +
                     std::to_string(longest_list) + " (use larger steps)");
  return static_cast<std::size_t>(points);
}

void require_countable_axis(std::size_t values, std::string_view option) {
  if (values > longest_list)
    throw UsageError(std::string(option) + " has more than " + std::to_string(longest_list) +
                     " values (use larger steps)");
}

}  // namespace rezero::detail
