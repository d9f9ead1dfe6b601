// Which type memory holds the operands of matrix products in, and why: what --precision=auto comes to.
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

/// `asked`, or where nobody asks (--precision=auto) the type that most bytes of the weights' matrices are stored in,
/// where they are known; else what the model's config.json names ("dtype" of nstf.model); else f32. f64 computes in
/// f32. Of a quantised checkpoint it is the 16-bit type that config.json names, else f16. Where linears are quantised,
/// to the format `quantize`, it is a 16-bit type: f16 for f32.
PrecisionChoice choosePrecision(mlir::ModuleOp model, std::optional<Precision> asked, llvm::StringRef quantize = "");

} // namespace nstf
