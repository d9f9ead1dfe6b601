// What a template loads from a matrix that stands in memory as planes of codes: made in registers, where it was loaded.
#pragma once

#include "passes/nstf_to_systolic/Binding.h"

namespace nstf {

/// The buffers of `matrix`, an operand of the template's buffer `name`: the first has that name and holds the codes.
llvm::SmallVector<TemplateBinding::Buffer> getPlaneBuffers(llvm::StringRef name, DequantizeOp matrix);

/// Turns each load of the program's buffer `name` into loads of the planes of `matrix` and what makes its elements of
/// them. The buffer becomes that of the codes; the other planes get buffers behind it. Precondition: the program has
/// its final parameters, and no !systolic.operand any more.
mlir::LogicalResult decodeLoads(systolic::KernelOp program, llvm::StringRef name, DequantizeOp matrix);

} // namespace nstf
