// The target as a pass.
#ifndef NSTF_COMPILER_TARGET_PASSES
#define NSTF_COMPILER_TARGET_PASSES

include "mlir/Pass/PassBase.td"

def SetTargetPass : Pass<"nstf-set-target", "::mlir::ModuleOp"> {
  let summary = "puts a target's facts on the module";
  let description = [{
    The attribute `nstf.target`, which passes read, so that they can run alone on files that don't spell the chip's facts
    out. In a compilation nstf-select-kernels puts it there.

    (* example filepath=test/compiler/target/set-target.mlir *)
  }];
  let options = [Option<"target", "target", "std::string", "\"gfx942\"", "name, alias or .yaml file">];
}

#endif
