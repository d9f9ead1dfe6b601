// A compiled kernel as the runtime's format says it: arguments, geometry, registers.
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

/// The type of the value in an argument; not for the control block.
mlir::RankedTensorType getValueType(const KernelVariant &variant, const LaunchInfo::Argument &argument);

/// Waves on a SIMD that is full of the kernel's workgroups, and what keeps more away.
support::Occupancy getOccupancy(const KernelVariant &variant, const Target &target);

/// Precondition: code has been generated.
manifest::Kernel describeKernel(const KernelVariant &variant, const Target &target);

} // namespace nstf
