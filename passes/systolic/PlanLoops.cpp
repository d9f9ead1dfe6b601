// systolic-plan-loops: plans the order of loads, LDS accesses and products of loops (Passes.td).
#include "dialects/nstf/Target.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Remarks.h"
#include "passes/systolic/ChoosePlan.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"
#include "support/MappedFile.h"

#include <stdexcept>

namespace nstf::systolic {
#define GEN_PASS_DEF_PLANLOOPSPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

struct PlanLoopsPass : nstf::systolic::impl::PlanLoopsPassBase<PlanLoopsPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<nstf::TargetView> target = nstf::TargetView::require(kernel);
    if (failed(target) || failed(requireArray(kernel)) || failed(requireLayouts(kernel)) ||
        failed(requireStaged(kernel)) || failed(givePlans()))
      return signalPassFailure();
    markAnalysesPreserved<LoopAnalysis>();
    LoopResources resources(kernel, *target);
    for (const ProductLoop &product : getAnalysis<LoopAnalysis>().getLoops())
      if (product.loop->hasAttr(planAttributeName) ? failed(check(product, resources))
                                                   : failed(choose(product, resources, *target)))
        return signalPassFailure();
  }

private:
  remark::RemarkOpts options() {
    return remark::RemarkOpts::name("Plan").category(getArgument()).function(getOperation().getSymName());
  }

  /// Gives the loops the plans of the option's file, in the order of the loops.
  LogicalResult givePlans() {
    if (planFile.empty())
      return success();
    SmallVector<PlanAttr> plans;
    try {
      plans = parsePlans(nstf::support::readTextFile(planFile.getValue()));
    } catch (const std::runtime_error &error) {
      return emitError(UnknownLoc::get(&getContext())) << error.what();
    }
    ArrayRef<ProductLoop> loops = getAnalysis<LoopAnalysis>().getLoops();
    if (plans.size() != loops.size())
      return emitError(UnknownLoc::get(&getContext())) << planFile << ": expected a plan for each of " << loops.size()
                                                       << " loops of products but got " << plans.size();
    for (auto [product, plan] : llvm::zip_equal(loops, plans))
      product.loop->setAttr(planAttributeName, plan);
    return success();
  }

  static StringRef skipComments(StringRef text) {
    for (text = text.ltrim(); text.starts_with("//"); text = text.ltrim())
      text = text.drop_until([](char c) { return c == '\n'; });
    return text;
  }

  /// Throws std::runtime_error "FILE:LINE: …".
  SmallVector<PlanAttr> parsePlans(const std::string &text) {
    SmallVector<PlanAttr> plans;
    for (StringRef rest = skipComments(text); !rest.empty(); rest = skipComments(rest)) {
      std::string message;
      int64_t line = 1 + StringRef(text).drop_back(rest.size()).count('\n');
      ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
        if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()); place && message.empty())
          line += place.getLine() - 1;
        message = message.empty() ? diagnostic.str() : message;
      });
      size_t length = 0;
      Attribute parsed = parseAttribute(rest, &getContext(), Type(), &length);
      auto plan = dyn_cast_or_null<PlanAttr>(parsed);
      if (!plan)
        throw std::runtime_error(planFile + ":" + std::to_string(line) + ": " +
                                 (message.empty() ? "expected a #systolic.plan but got another attribute" : message));
      plans.push_back(plan);
      rest = rest.drop_front(length);
    }
    return plans;
  }

  LogicalResult check(const ProductLoop &product, const LoopResources &resources) {
    auto plan = product.loop->getAttrOfType<PlanAttr>(planAttributeName);
    if (std::string fault = findFault(plan, product, resources); !fault.empty())
      return product.loop->emitError() << fault;
    report(product, {plan, "as it was given", ""}, resources);
    return success();
  }

  LogicalResult choose(const ProductLoop &product, const LoopResources &resources, nstf::TargetView target) {
    PlanChoice choice = choosePlan(product, getOperation(), resources, target);
    if (std::string fault = findFault(choice.plan, product, resources); !fault.empty())
      return product.loop->emitError() << "no plan that is right was found: " << fault;
    product.loop->setAttr(planAttributeName, choice.plan);
    if (!choice.refusal.empty())
      remark::missed(product.loop->getLoc(), options()) << choice.refusal;
    else
      report(product, choice, resources);
    return success();
  }

  void report(const ProductLoop &product, const PlanChoice &choice, const LoopResources &resources) {
    const Costs &costs = resources.getCosts();
    int64_t distance = getDistance(choice.plan), clocks = resources.getBlockClocks(product);
    remark::passed(product.loop->getLoc(), options())
        << choice.text << remark::metric("buffers", choice.plan.getBuffers())
        << remark::metric("bytes_in_flight", resources.countBytesInFlight(product, choice.plan))
        << remark::metric("bytes_needed", costs.getBytesNeeded()) << remark::metric("distance", distance)
        << remark::metric("distance_needed", llvm::divideCeil(costs.getMemoryLatency(), clocks))
        << remark::metric("cover", distance * clocks) << remark::metric("cover_needed", costs.getMemoryLatency())
        << remark::metric("lds", resources.countLdsBytes(product, choice.plan))
        << remark::metric("registers", resources.countRegisters(product, choice.plan));
  }
};

} // namespace
