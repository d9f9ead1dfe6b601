// The type in which memory holds the operands of matrix products, and the reason for the choice (--precision=auto).
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/nstf/Precision.h"

#include <optional>
#include <string>

namespace nstf {

struct PrecisionChoice {
  Precision type = Precision::F32;
  std::string reason; ///< "most bytes of matrices are bf16"
};

/// Returns `asked` if it is set. With --precision=auto it is the type in which most bytes of the weights' matrices are
/// stored, if the weights are known; else the type that the model's config.json names ("dtype" of nstf.model); else
/// f32. f64 is computed in f32. For a quantised checkpoint it is the 16-bit type that config.json names, else f16. If
/// linears are quantised, to the format `quantize`, it is a 16-bit type: f16 instead of f32.
PrecisionChoice choosePrecision(mlir::ModuleOp model, std::optional<Precision> asked, llvm::StringRef quantize = "");

} // namespace nstf
