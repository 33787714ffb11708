#pragma once
/// The window of a convolution or a pooling, from the attributes that they share.

#include "parts.h"

namespace rezero::graph::operator_parts {

/// Defaults, auto_pad and ceil_mode resolved, in the sense of the ONNX specification. `kernel`: of the
/// weights, or empty to read the attribute kernel_shape. ShapeError for images without spatial axes, for
/// sizes that are not positive, and for windows that do not fit.
Window window_of(const Call& call, const Dims& image_dims, Dims kernel = {});

}  // namespace rezero::graph::operator_parts
