// Converts a device's tensors to values of the reference.
#pragma once

#include "compiler/reference/Tensor.h"
#include "nstf/Npy.h"

namespace nstf::reference {

/// The values of numbers and codes.
std::vector<float> toFloats(const runtime::HostTensor &tensor);

/// The same in float64. Whole numbers are exact: words of codes have more digits than f32.
Tensor toTensor(const runtime::HostTensor &tensor);

} // namespace nstf::reference
