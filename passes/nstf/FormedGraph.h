// The form of a graph after nstf-form-kernels, on which later passes and the package writer rely.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "mlir/IR/BuiltinOps.h"

namespace nstf {

/// The one graph of a module; an error on the module if there is none.
mlir::FailureOr<GraphOp> getGraph(mlir::ModuleOp module);

/// The memory of a step's operand or result.
struct Storage {
  enum Kind {
    Input,  ///< buffer of the graph's argument `index`
    Output, ///< buffer of the graph's result `index`
    Symbol, ///< the weight or state `symbol`
    Arena   ///< the arena, at the offset in the defining step
  } kind;
  unsigned index = 0;
  mlir::FlatSymbolRefAttr symbol;
};

/// The storage of a value of a formed graph: results that are states updated in place are followed back to the state.
/// Precondition: verifyFormed succeeded.
Storage getStorage(mlir::Value value, mlir::SymbolTableCollection &symbols);

/// Emits an error unless
/// - the graph holds `get`, `step` and `return` only,
/// - every result of the graph is the result of a step, different from the others, and no state updated in place,
/// - a value that a step writes in place is a state, and nothing else uses its old value.
mlir::LogicalResult verifyFormed(GraphOp graph);

} // namespace nstf
