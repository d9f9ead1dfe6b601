// How an operation meets its kernel templates. The dialect knows nothing of them: models are attached from outside
// (bindings/).
#ifndef NSTF_PASSES_NSTF_TO_SYSTOLIC_TEMPLATEOP
#define NSTF_PASSES_NSTF_TO_SYSTOLIC_TEMPLATEOP

include "mlir/IR/OpBase.td"

def NSTF_TemplateOp : OpInterface<"TemplateOp"> {
  let cppNamespace = "::nstf";
  let description = [{
    The op can be the anchor of a kernel: the first op of its region, whose template computes it. Elementwise ops behind it
    go into the template's slot.
  }];
  let methods = [
    InterfaceMethod<"The templates that compute the op (templates/kernels/NAME.mlir); the op's own name unless said.",
        "::llvm::SmallVector<::llvm::StringRef>", "getTemplateNames", (ins), "",
        "return {$_op->getName().stripDialect()};">,
    InterfaceMethod<"Says which value is in which buffer of the template, and its extents and switches.",
        "::mlir::LogicalResult", "bindTemplate", (ins "::nstf::TemplateBinder &":$binder)>];
}

#endif
