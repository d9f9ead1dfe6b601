// What passes ask of an operation without knowing which one it is.
#ifndef NSTF_INTERFACES
#define NSTF_INTERFACES

include "mlir/IR/OpBase.td"

def NSTF_ElementwiseOp : OpInterface<"ElementwiseOp"> {
  let cppNamespace = "::nstf";
  let description = [{
    Element [i, j] of the one result depends on element [i, j] of each operand and on nothing else, and all types are
    equal (of `convert` all but the element type). So the op can move into the slot of whatever kernel makes one of its
    operands.
  }];
  let methods = [InterfaceMethod<
      [{Whether it is so of this operand. If not, the operand is a table of which row i of the result takes the row of
        its position, and comes from memory.}],
      "bool", "isByElement", (ins "unsigned":$operand), "", "return true;">];
}

#endif
