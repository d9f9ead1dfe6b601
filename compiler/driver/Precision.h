// Which type memory holds the operands of matrix products in, and why: what --precision=auto comes to.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace nstf {

struct Precision {
  std::string type;   ///< f32, f16 or bf16
  std::string reason; ///< "most bytes of matrices are bf16"
};

/// `asked` is a type or "auto". That is the type that most bytes of the weights' matrices are stored in, where they are
/// known; else what the model's config.json names ("dtype" of nstf.model); else f32. f64 computes in f32.
Precision choosePrecision(mlir::ModuleOp model, llvm::StringRef asked);

} // namespace nstf
