// What nstf-form-kernels leaves and later passes, the package writer among them, rely on.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "mlir/IR/BuiltinOps.h"

namespace nstf {

/// The one graph of a module; an error on the module where there is none.
mlir::FailureOr<GraphOp> getGraph(mlir::ModuleOp module);

/// Where the bytes of a step's operand or result are.
struct Storage {
  enum Kind {
    Input,  ///< buffer of the graph's argument `index`
    Output, ///< buffer of the graph's result `index`
    Symbol, ///< the weight or state `symbol`
    Arena   ///< the arena, at the offset the defining step says
  } kind;
  unsigned index = 0;
  mlir::FlatSymbolRefAttr symbol;
};

/// The storage of a value of a formed graph: follows results that are states updated in place back to the state.
/// Precondition: verifyFormed succeeded.
Storage getStorage(mlir::Value value, mlir::SymbolTableCollection &symbols);

/// Emits an error unless
/// - the graph holds `get`, `step` and `return` only,
/// - every result of the graph is the result of a step, different from the others, and no state updated in place,
/// - what a step writes in place is a state, and nothing else uses its old value.
mlir::LogicalResult verifyFormed(GraphOp graph);

} // namespace nstf
