// The nstf dialect: attributes, interfaces and operations. The .td files in this folder document them.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "support/OperandOrder.h"

#include "dialects/nstf/Dialect.h.inc"
#include "dialects/nstf/Enums.h.inc"

#include "dialects/nstf/AttributeInterfaces.h.inc"
#include "dialects/nstf/Interfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nstf/Attrs.h.inc"

namespace nstf {
class ReturnOp;
} // namespace nstf

#define GET_OP_CLASSES
#include "dialects/nstf/Ops.h.inc"
