// systolic-widen-stores: stores results in whole segments of memory (Passes.td).
//
// BEFORE  systolic.store %sum, %Y[…] : tensor<256x256xf32, #acc>, !Y
// AFTER   %rounded = arith.truncf %sum
//         %array = systolic.view %lds : !operands -> !systolic.lds<1 x 64x256xf16, …>
//         %rows = systolic.convert_layout %rounded through %array : … -> tensor<256x256xf16, #rows>
//         systolic.store %rows, %Y[…]
//
// If an epilogue loads tiles of the result's shape, the conversion precedes these loads, so that they are as wide.
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Rounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/analysis/LdsLayout.h"
#include "passes/analysis/Loops.h"
#include "passes/analysis/Operands.h"
#include "passes/analysis/StoreLayout.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"
#include "passes/systolic/RowAccess.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

namespace nstf::systolic {
#define GEN_PASS_DEF_WIDENSTORESPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;
using nstf::support::LdsDirection;

namespace {

FragmentAttr turned(FragmentAttr layout, bool transposed) { return transposed ? layout.transpose() : layout; }

/// The type of a tile in another layout.
RankedTensorType withLayout(RankedTensorType tile, FragmentAttr layout) {
  return RankedTensorType::get(tile.getShape(), tile.getElementType(), layout);
}

/// The ops of the store's block that compute the stored tile, up to values that cannot be recomputed in another layout
/// (the roots).
struct Cone {
  llvm::SetVector<Value> roots;
  bool loadsTiles = false; ///< loads tiles of the result's rank

  explicit Cone(StoreOp store) : block(store->getBlock()), rank(getTileType(store.getTile()).getRank()) {
    visit(store.getTile());
  }

private:
  Block *block;
  int64_t rank;
  DenseSet<Value> visited;

  void visit(Value tile) {
    if (!visited.insert(tile).second)
      return;
    Operation *op = tile.getDefiningOp();
    if (!op || op->getBlock() != block || !isMadeAnew(op)) {
      roots.insert(tile);
      return;
    }
    loadsTiles |= isa<LoadOp>(op) && getTileType(tile).getRank() == rank;
    for (Value operand : op->getOperands())
      if (getTileType(operand))
        visit(operand);
  }

public:
  static bool isMadeAnew(Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return !load.getRows() && !load.getCols() && !load.getAt();
    // A broadcast along a whole dimension is possible in any layout.
    auto broadcast = dyn_cast<BroadcastOp>(op);
    bool repeatsAll =
        broadcast && (!broadcast.getEach() || getTileType(broadcast.getSource()).getDimSize(broadcast.getDim()) == 1);
    return isElementwise(op) || isFreeToClone(op) || repeatsAll;
  }
};

/// Whether a tile is a sum of products of type `operand` and nothing else. A NaN of such a bf16 sum has no bits in its
/// lower half, so rounding by addition keeps it a NaN.
bool isSumOfProducts(Value tile, Type operand) {
  MmaOp product = findLastProduct(tile);
  return product && getTileType(product.getA()).getElementType() == operand;
}

/// Recomputes tiles in another layout, from a root that was converted.
class Remaker {
public:
  Remaker(Value root, Value converted) { made[{root, getFragment(converted.getType())}] = converted; }

  Value make(Value tile, FragmentAttr layout) {
    if (Value there = made.lookup({tile, layout}))
      return there;
    Operation *op = tile.getDefiningOp();
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (getTileType(operand))
        mapping.map(operand, make(operand, getOperandLayout(op, layout)));
    Operation *clone = OpBuilder(op).clone(*op, mapping);
    Value result = clone->getResult(0);
    result.setType(withLayout(getTileType(result), layout));
    if (auto constant = dyn_cast<arith::ConstantOp>(clone))
      constant.setValueAttr(
          cast<SplatElementsAttr>(constant.getValue()).resizeSplat(cast<ShapedType>(result.getType())));
    replaced.push_back(op);
    return made[{tile, layout}] = result;
  }

  /// Erases ops without uses.
  void clean() {
    for (Operation *op : llvm::reverse(replaced))
      if (isOpTriviallyDead(op))
        op->erase();
  }

private:
  static FragmentAttr getOperandLayout(Operation *op, FragmentAttr layout) {
    auto broadcast = dyn_cast<BroadcastOp>(op);
    return broadcast ? broadcast.getSourceLayout(layout) : layout;
  }

  llvm::DenseMap<std::pair<Value, Attribute>, Value> made;
  SmallVector<Operation *> replaced; ///< operands before their users
};

/// A layout that stores well, and the LDS arrays that lead to it.
struct Exchange {
  FragmentAttr layout; ///< along the rows of memory
  LdsType array;
  StoreCost store;
  int64_t rounds, conflicts, clocks;
  bool crossesWaves;
};

struct WidenStoresPass : nstf::systolic::impl::WidenStoresPassBase<WidenStoresPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<nstf::TargetView> found = nstf::TargetView::require(kernel);
    if (failed(found) || failed(requireWaveSize(kernel)) || failed(requireLayouts(kernel)) ||
        failed(requirePipelined(getAnalysis<LoopAnalysis>())) || failed(requireNoScratch(kernel)))
      return signalPassFailure();
    noteRun(getOperation(), getArgument());
    costs = Costs(*found);
    if (!kernel.getArray() || !kernel.getArray()->hasCell())
      return;
    SmallVector<StoreOp> stores;
    kernel.walk([&](StoreOp store) { stores.push_back(store); });
    for (StoreOp store : stores)
      if (getTileType(store.getTile()).getRank() == 2 && !store.getRows() && getFragment(store.getTile().getType()))
        widen(store);
  }

private:
  Costs costs;

  void widen(StoreOp store) {
    StoredTile stored = describe(store);
    FragmentAttr layout = turned(getFragment(store.getTile().getType()), store.getTransposed());
    StoreCost cost = getStoreCost(layout, stored, costs);
    SmallVector<Value> arrays = getFreeArrays(store);
    if (arrays.empty())
      return refuse(store, cost, "no LDS is free");
    Cone cone(store);
    bool isFirst = cone.loadsTiles && cone.roots.size() == 1;
    Type elementType = isFirst ? getTileType(cone.roots[0]).getElementType() : getNarrowType(store);
    std::optional<Exchange> best = choose(layout, stored, elementType, arrays);
    if (!best)
      return refuse(store, cost, "no layout with longer runs goes through the LDS that is free");
    int64_t waves = getOperation().getArray()->getNumWaves(), before = waves * cost.clocks;
    if (best->clocks >= before)
      return refuse(store, cost,
                    "through LDS they take " + std::to_string(best->clocks) + " clocks a workgroup, as they are " +
                        std::to_string(before));
    if (isFirst) {
      Value root = cone.roots[0], converted = convert(root, store, *best, arrays);
      Remaker remaker(root, converted);
      store.getTileMutable().assign(remaker.make(store.getTile(), turned(best->layout, store.getTransposed())));
      remaker.clean();
    } else {
      store.getTileMutable().assign(convert(store.getTile(), store, *best, arrays));
    }
    auto options = remark::RemarkOpts::name("Stores").category(getArgument()).function(getOperation().getSymName());
    remark::passed(store.getLoc(), options)
        << ("stores of " + std::to_string(best->store.laneBytes) + " bytes a lane, " +
            std::to_string(best->store.bytesOfSegment()) + " of a segment, instead of " +
            std::to_string(cost.laneBytes) + ", " + std::to_string(cost.bytesOfSegment()) +
            (isFirst ? "; the epilogue's loads too" : ""))
        << remark::metric("bytes_before", cost.laneBytes) << remark::metric("bytes", best->store.laneBytes)
        << remark::metric("clocks_before", before) << remark::metric("clocks", best->clocks)
        << remark::metric("rounds", best->rounds) << remark::metric("lds", best->array.getSizeInBytes())
        << remark::metric("conflicts", best->conflicts);
  }

  void refuse(StoreOp store, const StoreCost &cost, const std::string &why) {
    auto options = remark::RemarkOpts::name("Stores").category(getArgument()).function(getOperation().getSymName());
    remark::missed(store.getLoc(), options) << ("stores of " + std::to_string(cost.laneBytes) + " bytes a lane, " +
                                                std::to_string(cost.bytesOfSegment()) + " of a segment, stay: " + why);
  }

  StoredTile describe(StoreOp store) {
    auto buffer = cast<MemRefType>(store.getBuffer().getType());
    SmallVector<int64_t, 2> shape(getTileType(store.getTile()).getShape());
    if (store.getTransposed())
      std::swap(shape[0], shape[1]);
    unsigned bits = buffer.getElementTypeBitWidth();
    int64_t widest = std::max<int64_t>(1, 128 / bits);
    int64_t width = RowAccess::get(widest, bits, buffer.getDimSize(1), KnownIndex::of(store.getIndices()[1])).width;
    if (!store.getLimits().empty() && getConstantIntValue(store.getLimits()[1]) != buffer.getDimSize(1))
      width = std::gcd(width, getDivisor(store.getLimits()[1]));
    return {shape, bits, width};
  }

  /// The element type that goes through LDS: the tile's, or the buffer's if this is narrower. Only a store can round to
  /// integers.
  static Type getNarrowType(StoreOp store) {
    Type tile = getTileType(store.getTile()).getElementType();
    Type memory = cast<MemRefType>(store.getBuffer().getType()).getElementType();
    bool isNarrower = isa<FloatType>(memory) && memory.getIntOrFloatBitWidth() < tile.getIntOrFloatBitWidth();
    return isNarrower ? memory : tile;
  }

  /// LDS arrays that are unused from the store on, the largest first. Arrays that systolic.stage fills are excluded,
  /// because each of their buffers is an allocation of its own.
  SmallVector<Value> getFreeArrays(StoreOp store) {
    KernelOp kernel = getOperation();
    SmallVector<Value> arrays;
    if (store->getBlock() != &kernel.getBody().front())
      return arrays;
    for (BlockArgument argument : kernel.getArguments()) {
      auto isBefore = [&](Operation *user) {
        Operation *ancestor = store->getBlock()->findAncestorOpInBlock(*user);
        // A view by an earlier store has its own barriers.
        return isa<ViewOp>(user) || (!isa<StageOp>(user) && ancestor != store && ancestor->isBeforeInBlock(store));
      };
      if (isa<LdsType>(argument.getType()) && llvm::all_of(argument.getUsers(), isBefore))
        arrays.push_back(argument);
    }
    llvm::stable_sort(arrays, [](Value left, Value right) { return getBytes(left) > getBytes(right); });
    return arrays;
  }

  static int64_t getBytes(Value array) { return cast<LdsType>(array.getType()).getSizeInBytes(); }

  /// The exchange with the lowest cost in clocks of the address unit and LDS for a workgroup.
  std::optional<Exchange> choose(FragmentAttr from, const StoredTile &stored, Type elementType,
                                 ArrayRef<Value> arrays) {
    std::optional<Exchange> best;
    int64_t waves = getOperation().getArray()->getNumWaves();
    for (FragmentAttr to : getStoreLayouts(from, stored, *getOperation().getWaveSize())) {
      Exchange exchange{to, {}, getStoreCost(to, stored, costs), 1, 0, 0, from.getWave() != to.getWave()};
      std::optional<SmallVector<int64_t, 2>> part = findPart(from, to, stored, elementType, getBytes(arrays.front()));
      if (!part)
        continue;
      RoundDigits rounds = *findRounds(from, to, stored.shape, *part);
      for (const Digit &digit : rounds)
        exchange.rounds *= digit.count;
      unsigned bits = elementType.getIntOrFloatBitWidth();
      LdsTileAccess write{LdsDirection::Write, splitIntoRounds(from, rounds, 2).part, *part, bits};
      LdsTileAccess read{LdsDirection::Read, splitIntoRounds(to, rounds, 2).part, *part, bits};
      SwizzleAttr swizzle = chooseSwizzle(write, read, costs);
      LdsCost in = getCost(write, swizzle, costs), out = getCost(read, swizzle, costs);
      exchange.conflicts = exchange.rounds * (in.conflictClocks + out.conflictClocks);
      exchange.clocks = costs.getExchangeClocks() + waves * exchange.store.clocks +
                        waves * exchange.rounds * (in.clocks() + out.clocks()) / costs.getLdsPorts();
      Builder builder(&getContext());
      auto axes =
          AxesAttr::get(&getContext(), {builder.getI64IntegerAttr((*part)[0]), builder.getI64IntegerAttr((*part)[1])});
      exchange.array = LdsType::get(&getContext(), /*buffers=*/1, *part, elementType,
                                    swizzle ? Attribute(swizzle) : builder.getUnitAttr(), axes);
      if (!best || exchange.clocks < best->clocks)
        best = exchange;
    }
    return best;
  }

  /// The largest part of the tile that fits and that divides into rounds; whole rows are preferred to pieces of rows.
  static std::optional<SmallVector<int64_t, 2>> findPart(FragmentAttr from, FragmentAttr to, const StoredTile &stored,
                                                         Type elementType, int64_t bytes) {
    int64_t tileBytes = stored.shape[0] * stored.shape[1] * elementType.getIntOrFloatBitWidth() / 8;
    for (int64_t rounds = llvm::divideCeil(tileBytes, bytes); rounds <= from.getNumRegisters(); ++rounds)
      for (int64_t alongRow = 1; alongRow <= rounds; ++alongRow) {
        if (rounds % alongRow || stored.shape[1] % alongRow || stored.shape[0] % (rounds / alongRow))
          continue;
        SmallVector<int64_t, 2> part = {stored.shape[0] / (rounds / alongRow), stored.shape[1] / alongRow};
        if (findRounds(from, to, stored.shape, part))
          return part;
      }
    return std::nullopt;
  }

  /// Converts `tile` to the exchange's type and layout.
  Value convert(Value tile, StoreOp store, const Exchange &exchange, ArrayRef<Value> arrays) {
    OpBuilder builder(store);
    if (Operation *op = tile.getDefiningOp(); op && tile != store.getTile())
      builder.setInsertionPointAfter(op);
    Location loc = store.getLoc();
    RankedTensorType from = getTileType(tile);
    Type elementType = exchange.array.getElementType();
    if (elementType != from.getElementType()) {
      from = RankedTensorType::get(from.getShape(), elementType, from.getEncoding());
      auto rounded = arith::TruncFOp::create(builder, loc, from, tile);
      if (elementType.isBF16() && isSumOfProducts(tile, elementType))
        rounded.setFastmathAttr(arith::FastMathFlagsAttr::get(&getContext(), arith::FastMathFlags::nnan));
      tile = rounded;
    }
    // A second array lets waves write one part while others read the previous one.
    SmallVector<Value> views;
    for (Value array : arrays)
      if (views.empty() || (views.size() == 1 && exchange.rounds > 1 && exchange.crossesWaves &&
                            getBytes(array) >= exchange.array.getSizeInBytes()))
        views.push_back(ViewOp::create(builder, loc, exchange.array, array));
    RankedTensorType to = withLayout(from, turned(exchange.layout, store.getTransposed()));
    return ConvertLayoutOp::create(builder, loc, to, tile, views, store.getTransposed());
  }
};

} // namespace
