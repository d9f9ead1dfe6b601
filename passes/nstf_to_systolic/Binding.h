// How a kernel region fits a template: which value is which of the template's buffers, and what its extents are.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"

namespace nstf {

struct TemplateBinding {
  /// A buffer of the template, by its name, and the value of the region that lives in it.
  struct Buffer {
    std::string name;
    mlir::Value value;
  };
  struct Parameter {
    llvm::StringRef name;
    int64_t value;
    int64_t perToken = 0; ///< rows for each token, where the extent grows with the tokens of a step
    int64_t atLeast = 0;  ///< what it is for few tokens

    /// The value for steps of up to `tokens`.
    int64_t getValue(int64_t tokens) const { return perToken ? std::max(atLeast, perToken * tokens) : value; }
  };

  mlir::Value tile;                  ///< what the template hands to its epilogue
  llvm::SmallVector<Buffer> buffers; ///< without the buffer "y", which holds the region's first result
  mlir::Type operandType;            ///< of matrix products; null where the template has none
  llvm::SmallVector<Parameter> parameters;
  llvm::SmallVector<Parameter> facts; ///< what tuning rows may ask about beside the parameters; no template has them
  llvm::SmallVector<std::pair<llvm::StringRef, float>> numbers; ///< parameters that are f32
};

/// Writes the binding of one operation to one of its templates, in the names that the template's header explains.
class TemplateBinder {
public:
  TemplateBinder(mlir::Operation *anchor, llvm::StringRef templateName, int64_t maxTokens);

  llvm::StringRef getTemplateName() const { return templateName; }

  /// Of a value that a DequantizeOp of the region makes, its planes are bound.
  void addBuffer(llvm::StringRef name, mlir::Value value);
  void addParameter(llvm::StringRef name, int64_t value) { binding.parameters.push_back({name, value}); }
  /// An f32.
  void addParameter(llvm::StringRef name, const llvm::APFloat &value) {
    binding.numbers.push_back({name, float(value.convertToDouble())});
  }
  /// The extent along the rows, which decides the launch, and with it ROWS: 0 for one row a token, else how many. Only
  /// the first extent of a template does.
  void addRows(llvm::StringRef name, mlir::Value value, int64_t factor = 1);

  /// A template that reads x [M, N] row by row.
  void bindRows(mlir::Value x);
  /// The template `elementwise`, which makes the rows of one value from rows of another.
  void bindCopy(mlir::Value from, mlir::Value to);

  /// Rows of a tensor, with the most there can be for a leading `?`.
  int64_t getRows(mlir::Value value) const;
  static mlir::RankedTensorType getType(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }

  TemplateBinding binding;

private:
  llvm::StringRef templateName;
  int64_t maxTokens;
};

} // namespace nstf

#include "passes/nstf_to_systolic/TemplateOp.h.inc"

namespace nstf {

/// Makes every operation that has a kernel of its own a TemplateOp, once the dialect is loaded.
void registerTemplateOps(mlir::DialectRegistry &registry);

/// Templates for what a region's operation computes: "matvec" and "matmul" for linear, "elementwise" for chains of
/// elementwise ops, "generic" for tensor code; its own name where there is none, which bindTemplate refuses.
llvm::SmallVector<llvm::StringRef> getTemplateNames(KernelOp kernel);

/// The binding of a region to a template. `maxTokens` stands for a leading `?`. An error on the kernel where there is
/// no template for it.
mlir::FailureOr<TemplateBinding> bindTemplate(KernelOp kernel, llvm::StringRef templateName, int64_t maxTokens);

/// The binding as the IR holds it, and back; `tokens` are the maxTokens it was made with, `requests` those that a
/// launch serves.
BindingAttr getBindingAttr(const TemplateBinding &binding, KernelOp kernel, llvm::StringRef templateName,
                           int64_t tokens, int64_t requests = 1);
TemplateBinding readBinding(BindingAttr attribute, KernelOp kernel);

/// Whether a kernel works on each request of a step by itself: it asks for positions, caches or the last row.
bool worksByRequest(KernelOp kernel);

/// Whether a kernel's value is a cache, of which each request has its own.
bool isCache(mlir::Value value);

/// Says of the template's buffer at `argument` that it ends with the launch's tokens, where the tensor in it has a row
/// for each of them (`systolic.per_token`).
void setElementsPerToken(systolic::KernelOp program, unsigned argument, mlir::RankedTensorType tensor);

} // namespace nstf
