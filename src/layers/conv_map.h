#pragma once
/// The linear part of a convolution.

#include "rezero/layers/conv.h"

namespace rezero {

/// As Conv, without bias; sizes must fit. 1 × 1 kernels with stride 1 give a positionwise map.
LinearMapPtr conv_map(const MatrixPtr& W, const ImageSpec& image, const ConvSpec& spec);

}  // namespace rezero
