// The interface between an operation and its kernel templates. The dialect does not depend on templates: external
// models implement the interface (bindings/).
#ifndef NSTF_PASSES_NSTF_TO_SYSTOLIC_TEMPLATEOP
#define NSTF_PASSES_NSTF_TO_SYSTOLIC_TEMPLATEOP

include "mlir/IR/OpBase.td"

def NSTF_TemplateOp : OpInterface<"TemplateOp"> {
  let cppNamespace = "::nstf";
  let description = [{
    The op can be the anchor of a kernel: the first op of its region, which the kernel's template computes. The
    elementwise ops after it go into the template's slot.
  }];
  let methods = [
    InterfaceMethod<"The templates that can compute the op (templates/kernels/NAME.mlir); by default the op's name.",
        "::llvm::SmallVector<::llvm::StringRef>", "getTemplateNames", (ins), "",
        "return {$_op->getName().stripDialect()};">,
    InterfaceMethod<"Binds values to the buffers of the template, and sets its extents and switches.",
        "::mlir::LogicalResult", "bindTemplate", (ins "::nstf::TemplateBinder &":$binder)>];
}

#endif
