// What a device computes with, as values of the reference.
#pragma once

#include "compiler/reference/Tensor.h"
#include "nstf/Npy.h"

namespace nstf::reference {

/// Numbers and codes, each by its value.
std::vector<float> toFloats(const runtime::HostTensor &tensor);

/// The same; whole numbers as they are, as words of codes have more digits than an f32.
Tensor toTensor(const runtime::HostTensor &tensor);

} // namespace nstf::reference
