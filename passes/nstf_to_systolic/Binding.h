// How a kernel region fits a template: which value is which of the template's buffers, and what its extents are.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"

namespace nstf {

struct TemplateBinding {
  /// A buffer of the template, by its name, and the value of the region that lives in it.
  struct Buffer {
    llvm::StringRef name;
    mlir::Value value;
  };
  struct Parameter {
    llvm::StringRef name;
    int64_t value;
    int64_t perToken = 0; ///< rows for each token, where the extent grows with the tokens of a step
  };

  mlir::Operation *anchor = nullptr; ///< null for a region of elementwise ops alone
  mlir::Value tile;                  ///< what the template hands to its epilogue
  llvm::SmallVector<Buffer> buffers; ///< without the buffer "y", which holds the region's result
  mlir::Type operandType;            ///< of matrix products; null where the template has none
  llvm::SmallVector<Parameter> parameters;
};

/// Templates' names for what a region's operation computes: "matmul" and "matvec" for linear, else the op's own name;
/// "elementwise" for elementwise ops, kv_append, last_row and first_row.
llvm::SmallVector<llvm::StringRef> getTemplateNames(KernelOp kernel);

/// The binding of a region to a template. `maxTokens` stands for a leading `?`. An error on the kernel where there is
/// no template for it.
mlir::FailureOr<TemplateBinding> bindTemplate(KernelOp kernel, llvm::StringRef templateName, int64_t maxTokens);

/// Says of the template's buffer at `argument` that it ends with the launch's tokens, where the tensor in it has a row
/// for each of them (`systolic.per_token`).
void setElementsPerToken(systolic::KernelOp program, unsigned argument, mlir::RankedTensorType tensor);

} // namespace nstf
