#include "compiler/compress/FoldScales.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;

WeightOp nstf::compress::findOwnWeight(Value operand) {
  auto get = operand ? operand.getDefiningOp<GetOp>() : GetOp();
  if (!get || !get->hasOneUse())
    return {};
  auto module = get->getParentOfType<ModuleOp>();
  for (GraphOp graph : module.getOps<GraphOp>())
    for (GetOp other : graph.getBody().getOps<GetOp>())
      if (other != get && other.getSymbol() == get.getSymbol())
        return {};
  auto weight = module.lookupSymbol<WeightOp>(get.getSymbol());
  return weight && !weight.getGenerator() && !weight.getPlane() ? weight : WeightOp();
}

/// The site whose result is `value`, if it has no bias and `value` has no other use.
static std::optional<size_t> findMaker(const LinearSites &sites, Value value) {
  if (!value.hasOneUse())
    return std::nullopt;
  for (size_t i = 0; i < sites.sites.size(); ++i)
    if (LinearOp op = sites.sites[i].op; op.getResult() == value && op->getNumOperands() == 2)
      return i;
  return std::nullopt;
}

std::optional<FoldTarget> nstf::compress::findFoldTarget(const LinearSites &sites, const SiteInput &input) {
  Value value = input.value;
  size_t readers = std::distance(value.use_begin(), value.use_end());
  if (readers != input.sites.size())
    return std::nullopt;
  Operation *maker = value.getDefiningOp();
  if (auto norm = dyn_cast_or_null<RmsNormOp>(maker)) {
    WeightOp weight = findOwnWeight(norm->getOperand(1));
    if (weight && cast<RankedTensorType>(weight.getType()).getNumElements() == input.columns)
      return FoldTarget{weight, {}, {}};
  }
  if (auto norm = dyn_cast_or_null<LayerNormOp>(maker)) {
    bool hasBias = norm->getNumOperands() > 2;
    WeightOp weight = findOwnWeight(norm->getOperand(1));
    WeightOp bias = hasBias ? findOwnWeight(norm->getOperand(2)) : WeightOp();
    if (weight && bool(bias) == hasBias)
      return FoldTarget{weight, bias, {}};
  }
  if (isa_and_nonnull<SwigluOp, MulOp>(maker))
    for (unsigned operand : {1u, 0u}) // swiglu is linear in its second operand only
      if (operand == 1 || isa<MulOp>(maker))
        if (std::optional<size_t> site = findMaker(sites, maker->getOperand(operand)))
          return FoldTarget{{}, {}, site};
  if (auto attention = dyn_cast_or_null<AttentionOp>(maker);
      attention && attention.getHeads() == attention.getKvHeads()) {
    Value values = attention->getOperand(2);
    if (auto append = values.getDefiningOp<KvAppendOp>(); append && append->hasOneUse())
      values = append->getOperand(0);
    if (std::optional<size_t> site = findMaker(sites, values))
      return FoldTarget{{}, {}, site};
  }
  return std::nullopt;
}
