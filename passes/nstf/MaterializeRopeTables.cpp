// nstf-materialize-rope-tables: gives all ropes of equal frequencies and scale one precomputed table (Passes.td).
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace nstf {
#define GEN_PASS_DEF_MATERIALIZEROPETABLESPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

struct MaterializeRopeTablesPass : nstf::impl::MaterializeRopeTablesPassBase<MaterializeRopeTablesPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> graph = getGraph(getOperation());
    if (failed(graph))
      return signalPassFailure();

    llvm::MapVector<RopeTableAttr, SmallVector<RopeOp>> users;
    for (RopeOp rope : graph->getBody().getOps<RopeOp>())
      if (!rope.getTable())
        users[RopeTableAttr::get(&getContext(), rope.getInvFreqAttr(), rope.getScaleAttr())].push_back(rope);

    SymbolTable symbols(getOperation());
    for (auto &[formula, ropes] : users) {
      WeightOp table = getTable(formula, *graph, symbols);
      // One `get` before the first rope serves all of them.
      OpBuilder builder(ropes.front());
      auto value = GetOp::create(builder, ropes.front().getLoc(), table.getType(), table.getSymName());
      for (RopeOp rope : ropes)
        rope.getTableMutable().assign(value);
      remark::passed(ropes.front().getLoc(),
                     remark::RemarkOpts::name("RopeTable").category(getArgument()).function(table.getSymName()))
          << "one table for all ropes of these frequencies" << remark::metric("ropes", int64_t(ropes.size()))
          << remark::metric("bytes", cast<RankedTensorType>(table.getType()).getNumElements() * 4);
    }
  }

  // The weight with this formula: one that the module has already, or a new one before the graph.
  WeightOp getTable(RopeTableAttr formula, GraphOp graph, SymbolTable &symbols) {
    auto type = RankedTensorType::get({static_cast<int64_t>(graph.getContext()), formula.getWidth()},
                                      Float32Type::get(&getContext()));
    for (WeightOp weight : getOperation().getOps<WeightOp>())
      if (weight.getGeneratorAttr() == formula && weight.getType() == type)
        return weight;
    OpBuilder builder(graph);
    auto weight = WeightOp::create(builder, graph.getLoc(), "rope_table", type);
    weight.setGeneratorAttr(formula);
    symbols.insert(weight); // Renames the weight if its name is taken.
    return weight;
  }
};

} // namespace
