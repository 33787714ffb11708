#include "rezero/model/wiring.h"

#include <algorithm>

namespace rezero {

bool Wiring::positively_homogeneous() const {
  return std::all_of(std::begin(norm_places), std::end(norm_places),
                     [this](const NormPlace& place) {
                       const NormSpec& norm = this->*place.at;
                       return !norm || norm.positively_homogeneous();
                     }) &&
         std::all_of(std::begin(activation_places), std::end(activation_places),
                     [this](const ActivationPlace& place) {
                       const std::optional<Activation>& activation = this->*place.at;
                       return !activation || activation->homogeneous();
                     });
}

}  // namespace rezero
