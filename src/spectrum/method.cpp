#include "rezero/spectrum/method.h"

namespace rezero {

#define REZERO_SPECTRUM_METHOD(name) SpectrumMethod name##_method();
#include "spectrum/methods/methods.def"
#undef REZERO_SPECTRUM_METHOD

const Registry<SpectrumMethod>& spectrum_methods() {
  static const Registry<SpectrumMethod> registry("spectrum method", {
#define REZERO_SPECTRUM_METHOD(name) name##_method(),
#include "spectrum/methods/methods.def"
#undef REZERO_SPECTRUM_METHOD
                                                                    });
  return registry;
}

}  // namespace rezero
