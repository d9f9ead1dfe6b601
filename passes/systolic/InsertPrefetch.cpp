// systolic-insert-prefetch: rewrites each loop of products according to its plan (Passes.td).
#include "dialects/nstf/Target.h"
#include "passes/systolic/CheckPlan.h"
#include "passes/systolic/LoadAhead.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"
#include "passes/systolic/ProductPipeline.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_INSERTPREFETCHPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

struct InsertPrefetchPass : nstf::systolic::impl::InsertPrefetchPassBase<InsertPrefetchPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<nstf::TargetView> target = nstf::TargetView::require(kernel);
    const LoopAnalysis &loops = getAnalysis<LoopAnalysis>();
    if (failed(target) || failed(requireArray(kernel)) || failed(requirePlanned(loops)))
      return signalPassFailure();
    LoopResources resources(kernel, *target);
    bool changes = false;
    for (const ProductLoop &product : loops.getLoops()) {
      auto plan = product.loop->getAttrOfType<PlanAttr>(planAttributeName);
      if (product.loop->hasAttr(pipelinedAttributeName))
        continue;
      if (std::string fault = findFault(plan, product, resources); !fault.empty()) {
        product.loop->emitError() << fault;
        return signalPassFailure();
      }
      if (plan.isAsItStands()) {
        product.loop->setAttr(pipelinedAttributeName, UnitAttr::get(&getContext()));
        continue;
      }
      changes = true;
      if (product.findMoreThanSums().empty())
        makePipeline(product, kernel, plan);
      else
        moveLoadsAhead(product, plan);
    }
    if (!changes)
      markAllAnalysesPreserved();
  }
};

} // namespace
