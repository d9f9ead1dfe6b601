// The systolic dialect in C++: dialect, attributes, types and ops.
#pragma once

#include "dialects/systolic/Digit.h"
#include "dialects/systolic/LaunchArgument.h"
#include "dialects/systolic/PlanAction.h"
#include "dialects/systolic/ScheduleHash.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/systolic/Dialect.h.inc"
#include "dialects/systolic/Enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/systolic/Attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/systolic/Types.h.inc"
#define GET_OP_CLASSES
#include "dialects/systolic/Ops.h.inc"

namespace nstf::systolic {

/// The type of a value that is a tile; null for other values.
inline mlir::RankedTensorType getTileType(mlir::Value value) {
  return mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
}

/// The layout of a tile type; null if it has none (yet).
inline FragmentAttr getFragment(mlir::Type type) {
  auto tile = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tile ? mlir::dyn_cast_or_null<FragmentAttr>(tile.getEncoding()) : FragmentAttr();
}

/// The axes of a buffer; null if the type is not a buffer.
inline AxesAttr getBufferAxes(mlir::Type type) {
  auto buffer = mlir::dyn_cast<mlir::MemRefType>(type);
  return buffer ? mlir::dyn_cast_or_null<AxesAttr>(buffer.getMemorySpace()) : AxesAttr();
}

/// Whether this type is a buffer: a memref of static shape, rank 1 or 2, not empty, with one axis for each dimension.
inline bool isBuffer(mlir::Type type) {
  AxesAttr axes = getBufferAxes(type);
  if (!axes)
    return false;
  auto buffer = mlir::cast<mlir::MemRefType>(type);
  return buffer.hasStaticShape() && buffer.getNumElements() > 0 && buffer.getRank() >= 1 && buffer.getRank() <= 2 &&
         size_t(buffer.getRank()) == axes.getNames().size();
}

/// The dimension of a load's or store's tile that runs along the rows of its buffer.
template <typename Access> unsigned getRowDim(Access access) { return access.getTransposed() ? 1 : 0; }

/// The argument attribute of a buffer whose size depends on the launch's tokens: its elements for each token
/// (kernel_c7).
constexpr llvm::StringLiteral perTokenAttributeName = "systolic.per_token";

/// The argument attributes of a buffer of which each request of a step has its own copy, of the argument's type, one
/// copy after the other: unit attributes. Copies are ordered by request or by slot (kernel_c13).
constexpr llvm::StringLiteral perRequestAttributeName = "systolic.per_request";
constexpr llvm::StringLiteral perSlotAttributeName = "systolic.per_slot";

/// The argument attribute of a buffer stored in blocks: its #systolic.packed (kernel_c10).
constexpr llvm::StringLiteral packedAttributeName = "systolic.packed";

/// The type in which the matrix cores accumulate products of this type.
mlir::Type getAccumulatorType(mlir::Type operand);

/// The parameter that gives the type of a template's `!systolic.operand`.
constexpr llvm::StringLiteral operandParameterName = "OPERAND";

/// On the operation around a lowered kernel: its #systolic.geometry.
constexpr llvm::StringLiteral geometryAttributeName = "systolic.geometry";
/// On a lowered kernel, if a compute unit holds one of its workgroups at a time: an i64, the first workgroup that no
/// other follows on its compute unit.
constexpr llvm::StringLiteral lastRoundAttributeName = "systolic.last_round";
/// On a convert_layout of a product's operand for which no LDS was left: a unit attribute.
constexpr llvm::StringLiteral unstagedAttributeName = "systolic.unstaged";
/// On a kernel: the names of the optional passes that were run.
constexpr llvm::StringLiteral passesAttributeName = "systolic.passes";
/// On an scf.for: its #systolic.plan.
constexpr llvm::StringLiteral planAttributeName = "systolic.plan";
/// On an scf.for that was rewritten according to its plan: a unit attribute.
constexpr llvm::StringLiteral pipelinedAttributeName = "systolic.pipelined";
/// On a lowered loop that contains products, directly or in an inner loop: a unit attribute.
constexpr llvm::StringLiteral productsAttributeName = "systolic.products";

} // namespace nstf::systolic
