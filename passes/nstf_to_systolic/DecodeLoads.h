// Decodes a matrix of planes of codes in registers, where a template loads it.
#pragma once

#include "passes/nstf_to_systolic/Binding.h"

namespace nstf {

/// The buffers of `matrix`, which is bound to the template's buffer `name`: the first has that name and holds the
/// codes.
llvm::SmallVector<TemplateBinding::Buffer> getPlaneBuffers(llvm::StringRef name, DequantizeOp matrix);

/// Replaces each load of the program's buffer `name` by loads of the planes of `matrix` and computations that decode
/// them. The buffer becomes the buffer of the codes; the buffers of the other planes follow it. Precondition: the
/// program has its final parameters and no !systolic.operand.
mlir::LogicalResult decodeLoads(systolic::KernelOp program, llvm::StringRef name, DequantizeOp matrix);

} // namespace nstf
