#include "config/names.h"

#include <utility>

#include "config/words.h"
#include "rezero/spectrum/method.h"

namespace rezero::detail {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

ValuesMode values_mode(std::string_view word) {
  return lookup<ValuesMode>("values mode", word, {ValuesMode::linear, ValuesMode::log10, ValuesMode::none});
}

CotangentLaw cotangent_law(std::string_view word) {
  return lookup<CotangentLaw>("cotangent", word, {CotangentLaw::random, CotangentLaw::ones});
}

std::string_view spectrum_method_name(std::string_view word) {
  if (same_but_for_case(word, "auto")) return "auto";
  if (const SpectrumMethod* method = spectrum_methods().find(word)) return method->name;
  std::vector<std::string_view> known = {"auto"}, aliases;
  for (const SpectrumMethod& method : spectrum_methods()) {
    known.push_back(method.name);
    aliases.insert(aliases.end(), method.aliases.begin(), method.aliases.end());
  }
  throw UsageError(unknown_name_message(spectrum_methods().kind(), word, known, aliases));
}

InputLaw input_law(std::string_view text) {
  if (ends_with(text, ".npy")) return InputLaw::values;
  for (const InputLaw law : {InputLaw::normal, InputLaw::sphere, InputLaw::ones})
    if (same_but_for_case(to_string(law), text)) return law;
  throw UsageError(unknown_name_message("input", text, {"normal", "sphere", "ones", "FILE.npy"}));
}

}  // namespace rezero::detail
