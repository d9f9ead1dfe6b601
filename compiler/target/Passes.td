// The pass that sets the target.
#ifndef NSTF_COMPILER_TARGET_PASSES
#define NSTF_COMPILER_TARGET_PASSES

include "mlir/Pass/PassBase.td"

def SetTargetPass : Pass<"nstf-set-target", "::mlir::ModuleOp"> {
  let summary = "sets a target's facts as an attribute of the module";
  let description = [{
    Passes read the facts from the attribute `nstf.target`. With this pass they run on their own on files that do not
    spell out the chip's facts. In a compilation nstf-select-kernels sets the attribute.

    (* example filepath=test/compiler/target/set-target.mlir *)
  }];
  let options = [Option<"target", "target", "std::string", "\"gfx942\"", "name, alias or .yaml file">];
}

#endif
