#include "config/names.h"

#include <utility>

#include "rezero/spectrum/method.h"

namespace rezero::detail {

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
  if (ends_with(text, ".npy") || ends_with(text, ".pb")) return InputLaw::values;
  std::vector<std::string_view> known = choices<InputLaw>();
  for (const std::string_view word : known)
    if (same_but_for_case(word, text)) return lookup<InputLaw>(text);
  known.push_back("FILE.npy");
  throw UsageError(unknown_name_message(words<InputLaw>.kind, text, known));
}

}  // namespace rezero::detail
