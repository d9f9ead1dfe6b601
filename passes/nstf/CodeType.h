// The code types to which rows and caches may be quantised: an option of passes, and nstfc's --activations.
#pragma once

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"

namespace nstf {

/// The type of "i8" or "e4m3fnuz"; null for an unknown name.
mlir::Type parseCodeType(llvm::StringRef name, mlir::MLIRContext *context);
/// All names that parseCodeType accepts, for a message.
llvm::StringRef getCodeTypeNames();

} // namespace nstf
