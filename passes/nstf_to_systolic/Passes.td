// From a kernel region to a tile program.
#ifndef NSTF_PASSES_NSTF_TO_SYSTOLIC_PASSES
#define NSTF_PASSES_NSTF_TO_SYSTOLIC_PASSES

include "mlir/Pass/PassBase.td"

def FillTemplatePass : Pass<"nstf-to-systolic-fill-template"> {
  let summary = "puts an nstf.kernel's sizes, buffers and elementwise ops into its template";
  let description = [{
    An `nstf.part` holds one `nstf.kernel` and beside it the template that was chosen for it. The template's kernel
    takes the name of the nstf.kernel; its parameters become those of the part's binding, and the tuning and the
    schedule of its choice go over the template's defaults. In a module of both, as one writes it to try a template, the
    binding is made here, with `nstf.max_tokens` for a `?`, and these are the nstf.kernel's `nstf.tuning` and
    `nstf.schedule`. Buffers get the element types of what is bound to them; the parameter OPERAND becomes the type of the
    products' operands. Elementwise ops after the anchor, and
    a bias, go into the slot @epilogue; what they read beyond the tile becomes a buffer more. The nstf.kernel is erased.

    The kernel's `launch`, which named the template's buffers, then says which operand or result of the step each is, and
    which extents grow with the tokens of a step. `systolic.per_token` says of an argument that it ends with the
    launch's tokens, because the tensor in it has a leading `?`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::nstf::systolic::SystolicDialect"];
}

#endif
