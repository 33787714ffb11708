#pragma once
/// The linear part of a convolution.

#include "rezero/layers/conv.h"

namespace rezero {

/// As Conv without bias; sizes must fit. Kernels of 1 × 1 and stride 1 are a map at each position.
LinearMapPtr conv_map(const MatrixPtr& W, const ImageSpec& image, const ConvSpec& spec);

}  // namespace rezero
