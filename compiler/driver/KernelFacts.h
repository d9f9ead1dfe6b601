// Describes a compiled kernel in the runtime's format: arguments, geometry, registers.
#pragma once

#include "compiler/driver/KernelPlan.h"
#include "compiler/target/Target.h"
#include "nstf/Manifest.h"
#include "support/Occupancy.h"

namespace nstf {

/// Throw std::runtime_error for a type that a package cannot hold.
manifest::ElementType getElementType(mlir::Type type);
manifest::ElementType getElementType(mlir::RankedTensorType type);
manifest::Shape getShape(mlir::RankedTensorType type);

/// The type of an argument's value; not for the control block.
mlir::RankedTensorType getValueType(const KernelVariant &variant, const LaunchInfo::Argument &argument);

/// The occupancy of a compute unit on which only this kernel runs.
support::Occupancy getOccupancy(const KernelVariant &variant, const Target &target);

/// Precondition: code has been generated.
manifest::Kernel describeKernel(const KernelVariant &variant, const Target &target);

} // namespace nstf
