// The code types to which rows and caches may be quantised: an option of passes, and nstfc's --activations.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

namespace nstf {

/// The type of "i8" or "e4m3fnuz"; null for an unknown name.
mlir::Type parseCodeType(llvm::StringRef name, mlir::MLIRContext *context);
/// The same for an option of a pass on `module`, where an unknown name is an error.
mlir::FailureOr<mlir::Type> requireCodeType(llvm::StringRef name, mlir::ModuleOp module);
/// All names that parseCodeType accepts, for a message.
llvm::StringRef getCodeTypeNames();

} // namespace nstf
