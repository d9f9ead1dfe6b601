// The binding of a kernel region to a template: the value in each of the template's buffers, and the template's
// extents.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"

namespace nstf {

struct TemplateBinding {
  /// A buffer of the template, by its name, and the value of the region that it holds.
  struct Buffer {
    std::string name;
    mlir::Value value;
  };
  struct Parameter {
    llvm::StringRef name;
    int64_t value;
    int64_t perToken = 0; ///< rows for each token, if the extent grows with the tokens of a step
    int64_t atLeast = 0;  ///< lower bound of the extent

    /// The value for steps of up to `tokens`.
    int64_t getValue(int64_t tokens) const { return perToken ? std::max(atLeast, perToken * tokens) : value; }
  };

  mlir::Value tile;                  ///< the value that the template passes to its epilogue
  llvm::SmallVector<Buffer> buffers; ///< without the buffer "y", which holds the region's first result
  mlir::Type operandType;            ///< type of the operands of matrix products; null if the template has none
  llvm::SmallVector<Parameter> parameters;
  llvm::SmallVector<Parameter> facts; ///< facts for tuning rows beside the parameters; no template has them
  llvm::SmallVector<std::pair<llvm::StringRef, float>> numbers; ///< parameters that are f32
};

/// Builds the binding of one operation to one of its templates, with the names that the template's header documents.
class TemplateBinder {
public:
  TemplateBinder(mlir::Operation *anchor, llvm::StringRef templateName, int64_t maxTokens);

  llvm::StringRef getTemplateName() const { return templateName; }

  /// For a value that a DequantizeOp of the region computes, its planes are bound.
  void addBuffer(llvm::StringRef name, mlir::Value value);
  void addParameter(llvm::StringRef name, int64_t value) { binding.parameters.push_back({name, value}); }
  /// Adds an f32 parameter.
  void addParameter(llvm::StringRef name, const llvm::APFloat &value) {
    binding.numbers.push_back({name, float(value.convertToDouble())});
  }
  /// Sets the extent along the rows, which determines the launch, and the parameter ROWS: 0 if there is one row for
  /// each token, else the number of rows. Only the first extent of a template is set this way.
  void addRows(llvm::StringRef name, mlir::Value value, int64_t factor = 1);

  /// Binds a template that reads x [M, N] row by row.
  void bindRows(mlir::Value x);
  /// Binds the template `elementwise`, which computes the rows of one value from rows of another.
  void bindCopy(mlir::Value from, mlir::Value to);

  /// Rows of a tensor; a leading `?` counts as the maximum.
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

/// Attaches the interface TemplateOp to every operation that can have a kernel of its own, when the dialect is loaded.
void registerTemplateOps(mlir::DialectRegistry &registry);

/// The templates that can compute a region's operation: "matvec" and "matmul" for linear, "elementwise" for chains of
/// elementwise ops, "generic" for tensor code. Without a template it is the operation's own name, which bindTemplate
/// rejects.
llvm::SmallVector<llvm::StringRef> getTemplateNames(KernelOp kernel);

/// The binding of a region to a template. `maxTokens` replaces a leading `?`. An error on the kernel if the template
/// cannot compute it.
mlir::FailureOr<TemplateBinding> bindTemplate(KernelOp kernel, llvm::StringRef templateName, int64_t maxTokens);

/// Converts the binding to its attribute, and back; `tokens` is the maxTokens of the binding, `requests` the number of
/// requests that a launch serves.
BindingAttr getBindingAttr(const TemplateBinding &binding, KernelOp kernel, llvm::StringRef templateName,
                           int64_t tokens, int64_t requests = 1);
TemplateBinding readBinding(BindingAttr attribute, KernelOp kernel);

/// Whether a kernel treats each request of a step separately: it reads positions, caches or the last row.
bool worksByRequest(KernelOp kernel);

/// Whether a kernel's value is a cache; each request has its own.
bool isCache(mlir::Value value);

/// Marks the template's buffer at `argument` with `systolic.per_token` if its tensor has a row for each of the launch's
/// tokens.
void setElementsPerToken(systolic::KernelOp program, unsigned argument, mlir::RankedTensorType tensor);

} // namespace nstf
