// From a kernel region to a tile program.
#ifndef NSTF_PASSES_NSTF_TO_SYSTOLIC_PASSES
#define NSTF_PASSES_NSTF_TO_SYSTOLIC_PASSES

include "mlir/Pass/PassBase.td"

def FillTemplatePass : Pass<"nstf-to-systolic-fill-template"> {
  let summary = "fills an nstf.kernel's sizes, buffers and elementwise ops into its template";
  let description = [{
    An `nstf.part` holds one `nstf.kernel` and the template that was chosen for it. The template's kernel takes the name
    of the nstf.kernel. Its parameters are set from the part's binding; the tuning and the schedule of the part's choice
    override the template's defaults. A plain module of an nstf.kernel and a template, as written to try a template, has
    neither binding nor choice. There the pass computes the binding, with `nstf.max_tokens` for a `?`, and the
    attributes `nstf.tuning` and `nstf.schedule` of the nstf.kernel replace the choice.

    Buffers get the element types of the values bound to them. The parameter OPERAND becomes the type of the products'
    operands. Elementwise ops after the anchor, and a bias, go into the slot @epilogue; each value that they read
    besides the tile becomes an additional buffer. The nstf.kernel is erased.

    The kernel's `launch`, which named the template's buffers, then maps each of them to an operand or result of the
    step, and lists the extents that grow with the tokens of a step. `systolic.per_token` marks an argument whose size
    depends on the launch's tokens, because its tensor has a leading `?`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::nstf::systolic::SystolicDialect"];
}

#endif
