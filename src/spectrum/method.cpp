#include "rezero/spectrum/method.h"

namespace rezero {

#define REZERO_ENTRY(name) SpectrumMethod method_##name();
#include "spectrum/methods/methods.def"

const Registry<SpectrumMethod>& spectrum_methods() {
  static const Registry<SpectrumMethod> registry("spectrum method", {
#define REZERO_ENTRY(name) method_##name(),
#include "spectrum/methods/methods.def"
                                                                    });
  return registry;
}

}  // namespace rezero
