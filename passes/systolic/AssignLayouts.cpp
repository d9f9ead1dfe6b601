// systolic-assign-layouts: assigns a layout to every tile (Passes.td).
//
// BEFORE  %s = systolic.mma %k, %q, %zero : tensor<32x16xf32, #axes<BKV, D>>, … -> tensor<32x16xf32, #axes<BKV, BQ>>
// AFTER   %s = systolic.mma %k, %q, %zero : tensor<32x16xf32, #fragment1>, … -> tensor<32x16xf32, #fragment>
//
// Layouts spread along links. A link is an operation that relates the layouts of its operands and results (elementwise:
// all equal; loop: initial value, carried value, yielded value and result equal; broadcast and reduce: a slice). Each
// seed spreads as far as possible before the next one is placed. The first layout to reach a tile is kept; other
// layouts are converted.
#include "dialects/systolic/Layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/analysis/Operands.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// Whether a tile is the w of a sum of products, or only computed into one.
bool goesIntoDot(Value tile) {
  return llvm::any_of(tile.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto dot = dyn_cast<DotOp>(user))
      return &use == &dot.getWMutable();
    return (isElementwise(user) || isa<UnpackOp>(user)) && goesIntoDot(user->getResult(0));
  });
}

/// The blocked layout along the rows of memory. For a sum of products a wave gets neighbouring rows, because these
/// share words of zeros.
FragmentAttr getLoadLayout(LoadOp load, int64_t waves, int64_t waveSize) {
  RankedTensorType tile = getTileType(load.getResult());
  SmallVector<int64_t> shape(tile.getShape());
  if (load.getTransposed())
    std::swap(shape[0], shape[1]);
  // A lane's part is a number of bytes in memory.
  unsigned bits = cast<MemRefType>(load.getBuffer().getType()).getElementTypeBitWidth();
  PackedAttr packing = findPacking(load.getBuffer());
  FragmentAttr layout = packing && waveSize == 64 ? getPackedLayout(packing, shape, bits, waves) : FragmentAttr();
  // Each word decodes to several elements, so a tile of few words is spread over all waves.
  if (llvm::any_of(load->getUsers(), llvm::IsaPred<UnpackOp>) && !goesIntoDot(load))
    while (bits < 128 && tile.getNumElements() * bits / 128 < waves * waveSize)
      bits *= 2;
  if (!layout)
    layout = getBlockedLayout(load.getContext(), shape, bits, waves, waveSize, goesIntoDot(load));
  return load.getTransposed() ? layout.transpose() : layout;
}

struct AssignLayoutsPass : nstf::systolic::impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  using Base::Base;

  llvm::MapVector<Value, FragmentAttr> layouts;
  SmallVector<Value> worklist;
  KernelOp kernel;
  int64_t conversions;

  void runOnOperation() override {
    kernel = getOperation();
    layouts.clear();
    conversions = 0;
    if (failed(requireArray(kernel)) || failed(requireNoLayouts(kernel)) || failed(checkOperations()))
      return signalPassFailure();
    cloneFreeTiles();
    if (failed(seedProducts()))
      return signalPassFailure();
    seedRest();
    if (failed(applyLayouts()))
      return signalPassFailure();
    if (failed(insertConversions()))
      return signalPassFailure();
    remark::analysis(kernel.getLoc(),
                     remark::RemarkOpts::name("Layouts").category(getArgument()).function(kernel.getSymName()))
        << (std::to_string(conversions) + " layout conversions") << remark::metric("conversions", conversions);
  }

  /// Checks that every op on tiles is one of those that spreadThrough knows; a tile of any other op would get an
  /// arbitrary layout.
  LogicalResult checkOperations() {
    auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
    WalkResult result = kernel.walk([&](Operation *op) {
      bool isKnown = isElementwise(op) || isa<arith::ConstantOp, scf::ForOp>(op) ||
                     isa_and_nonnull<SystolicDialect>(op->getDialect()) ||
                     (isa<scf::YieldOp>(op) && isa<scf::ForOp>(op->getParentOp()));
      if (isKnown || (llvm::none_of(op->getOperandTypes(), isTile) && llvm::none_of(op->getResultTypes(), isTile)))
        return WalkResult::advance();
      op->emitError() << "expected tiles in elementwise ops, scf.for and systolic ops only but got " << op->getName();
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Undoes CSE of constants and coordinates, whose uses may need different layouts.
  void cloneFreeTiles() {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      if (isFreeToClone(op) && !op->use_empty())
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      SmallVector<OpOperand *> uses(llvm::make_pointer_range(op->getUses()));
      for (OpOperand *use : llvm::drop_begin(uses))
        use->set(OpBuilder(op).clone(*op)->getResult(0));
    }
  }

  // Spreading

  void assign(Value value, FragmentAttr layout) {
    if (value && layout && getTileType(value) && layouts.insert({value, layout}).second)
      worklist.push_back(value);
  }

  void assignLoopValue(scf::ForOp loop, unsigned index, FragmentAttr layout) {
    assign(loop.getInitArgs()[index], layout);
    assign(loop.getRegionIterArg(index), layout);
    assign(loop.getYieldedValues()[index], layout);
    assign(loop.getResult(index), layout);
  }

  void assignBranchValue(IfAnyOp branch, unsigned index, FragmentAttr layout) {
    assign(branch.getOtherwise()[index], layout);
    assign(branch.getBody().front().getTerminator()->getOperand(index), layout);
    assign(branch.getResult(index), layout);
  }

  /// Spreads the layout of `value`, which `op` defines (`use` is null) or uses.
  void spreadThrough(Operation *op, Value value, FragmentAttr layout, OpOperand *use) {
    if (isElementwise(op)) {
      for (Value other : op->getOperands())
        assign(other, layout);
      for (Value other : op->getResults())
        assign(other, layout);
      return;
    }
    if (auto product = dyn_cast<MmaOp>(op)) {
      if (!use || use == &product.getAccMutable()) {
        assign(product.getAcc(), layout);
        assign(product.getResult(), layout);
      }
    } else if (auto dot = dyn_cast<DotOp>(op)) {
      // x is loaded once for the workgroup instead of once for each wave, so a loaded x gets no layout from here.
      bool isSums = !use || use == &dot.getAccMutable();
      FragmentAttr w = isSums ? layout.refine(1, dot.getLength()) : use == &dot.getWMutable() ? layout : FragmentAttr();
      if (!w)
        return;
      assign(dot.getW(), w);
      if (!findLoad(dot.getX()))
        assign(dot.getX(), DotOp::getRowLayout(w));
      assign(dot.getAcc(), dot.getSumsLayout(w));
      assign(dot.getResult(), dot.getSumsLayout(w));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (!use)
        assignLoopValue(loop, cast<OpResult>(value).getResultNumber(), layout);
      else if (use->getOperandNumber() >= loop.getNumControlOperands())
        assignLoopValue(loop, use->getOperandNumber() - loop.getNumControlOperands(), layout);
    } else if (auto branch = dyn_cast<IfAnyOp>(op)) {
      if (use && use->getOperandNumber() == 0) // the condition keeps its layout
        return;
      assignBranchValue(branch, use ? use->getOperandNumber() - 1 : cast<OpResult>(value).getResultNumber(), layout);
    } else if (isa<YieldOp>(op)) {
      assignBranchValue(cast<IfAnyOp>(op->getParentOp()), use->getOperandNumber(), layout);
    } else if (isa<scf::YieldOp>(op)) {
      if (auto parent = dyn_cast<scf::ForOp>(op->getParentOp()))
        assignLoopValue(parent, use->getOperandNumber(), layout);
    } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      if (!use)
        assign(broadcast.getSource(), broadcast.getSourceLayout(layout));
      else if (!broadcast.getEach() && getTileType(broadcast.getResult()).getDimSize(broadcast.getDim()) == 1)
        assign(broadcast.getResult(), layout.insertUnitDim(broadcast.getDim()));
    } else if (auto unpack = dyn_cast<UnpackOp>(op)) {
      if (use)
        assign(unpack.getResult(), layout.refine(unpack.getDim(), unpack.getCodesPerWord()));
      else
        assign(unpack.getWords(), unpack.getWordsLayout(layout));
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (use)
        assign(reduce.getResult(), reduce.getResultLayout(layout));
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      if (!use && load.getRows())
        assign(load.getRows(), layout.dropDim(1 - getRowDim(load)));
      if (!use && load.getCols())
        assign(load.getCols(), getColumnSlice(load, layout));
      if (load.getAt()) // `at` gives each element of the tile its index, in the same layout
        assign(use ? load.getResult() : load.getAt(), layout);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (use == &store.getTileMutable() && store.getRows())
        assign(store.getRows(), layout.dropDim(1 - getRowDim(store)));
    }
  }

  static FragmentAttr getColumnSlice(LoadOp load, FragmentAttr layout) {
    return getTileType(load.getResult()).getRank() == 2 ? layout.dropDim(getRowDim(load)) : layout;
  }

  void spread() {
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      FragmentAttr layout = layouts.lookup(value);
      if (Operation *op = value.getDefiningOp())
        spreadThrough(op, value, layout, nullptr);
      else if (auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp()))
        assignLoopValue(loop, cast<BlockArgument>(value).getArgNumber() - loop.getNumInductionVars(), layout);
      for (OpOperand &use : value.getUses())
        spreadThrough(use.getOwner(), value, layout, &use);
    }
  }

  // Seeds

  FragmentAttr wantedLayout(Value value, MmaOperand operand) {
    return getMmaLayout(*kernel.getArray(), operand, getTileType(value).getShape(), *kernel.getWaveSize());
  }

  FragmentAttr wantedSumLayout(SumPartsOp op) {
    if (op.getParts() != kernel.getArray()->getParts())
      return {};
    return getSumLayout(*kernel.getArray(), getTileType(op.getResult()).getShape(), *kernel.getWaveSize());
  }

  LogicalResult seedProducts() {
    SmallVector<MmaOp> products;
    kernel.walk([&](MmaOp op) { products.push_back(op); });
    for (MmaOp op : products)
      if (!wantedLayout(op.getAcc(), MmaOperand::Acc) || !wantedLayout(op.getA(), MmaOperand::A) ||
          !wantedLayout(op.getB(), MmaOperand::B))
        return op.emitOpError() << "expected a product that " << *kernel.getArray() << " divides but got "
                                << op.getA().getType() << " x " << op.getB().getType();
    for (MmaOp op : products)
      assign(op.getResult(), wantedLayout(op.getResult(), MmaOperand::Acc));
    WalkResult result = kernel.walk([&](SumPartsOp op) -> WalkResult {
      FragmentAttr layout = wantedSumLayout(op);
      if (!layout)
        return op.emitOpError() << "expected parts of " << *kernel.getArray() << " but got " << op.getTile().getType();
      assign(op.getResult(), layout);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    spread();
    // A loaded tile keeps the layout that suits memory best, and systolic-stage-operands moves it to the layout of the
    // product. But a tile that only one wave multiplies may be loaded in the layout of the product.
    for (MmaOp op : products)
      for (auto [operand, role] : {std::pair(op.getA(), MmaOperand::A), std::pair(op.getB(), MmaOperand::B)}) {
        LoadOp load = findLoad(operand);
        FragmentAttr layout = wantedLayout(operand, role);
        bool isAlone = isForOneWave(layout), isDirect = load && isAlone && isPacked(load);
        if (FragmentAttr own = load && isAlone && !isDirect ? getOwnLayout(load) : FragmentAttr())
          layouts.insert({load.getResult(), own}); // the ops between load and product have this layout too
        else if (load && !isDirect && !(isAlone && isLoadedOnce(load, op)))
          continue;
        assign(operand, layout);
        if (isDirect)
          remark::passed(load.getLoc(),
                         remark::RemarkOpts::name("Direct").category(getArgument()).function(kernel.getSymName()))
              << "loaded as it is multiplied, in the order of operands";
      }
    spread();
    return success();
  }

  static bool isForOneWave(FragmentAttr layout) {
    return llvm::none_of(layout.getWave(), [](const Digit &digit) { return digit.dim < 0 && digit.count > 1; });
  }

  /// Whether memory holds the tile in operand order, so that a way through LDS would gain nothing.
  static bool isPacked(LoadOp load) { return isPlain(load) && findPacking(load.getBuffer()); }
  static bool isPlain(LoadOp load) { return !load.getRows() && !load.getCols() && !load.getAt(); }

  /// The layout of a load for waves that multiply one run of columns each: along the rows of memory, and only in the
  /// wave's own columns. Null if a wave has too few elements for all its lanes.
  FragmentAttr getOwnLayout(LoadOp load) {
    RankedTensorType tile = getTileType(load.getResult());
    if (!kernel.getArray()->getRuns() || !isPlain(load) || tile.getRank() != 2)
      return {};
    int64_t parts = kernel.getArray()->getParts();
    SmallVector<int64_t> shape(tile.getShape());
    if (load.getTransposed())
      std::swap(shape[0], shape[1]);
    if (shape[1] % parts)
      return {};
    shape[1] /= parts;
    unsigned bits = cast<MemRefType>(load.getBuffer().getType()).getElementTypeBitWidth();
    FragmentAttr share = getBlockedLayout(&getContext(), shape, bits, /*waves=*/1, *kernel.getWaveSize());
    if (llvm::any_of(share.getLane(), [](const Digit &digit) { return digit.dim < 0 && digit.count > 1; }))
      return {};
    auto layout = FragmentAttr::getCanonical(&getContext(), share.getReg(), share.getLane(), {{1, parts, shape[1]}});
    return load.getTransposed() ? layout.transpose() : layout;
  }

  /// Whether the tile is loaded before the loop of its product: a way through LDS would save little, and take LDS.
  static bool isLoadedOnce(LoadOp load, MmaOp product) {
    return !load->getParentOfType<LoopLikeOpInterface>() && product->getParentOfType<LoopLikeOpInterface>();
  }

  /// Seeds the remaining tiles, larger ones first, because they cost most to convert. Loads precede computed tiles, and
  /// a tile of words counts as its codes.
  void seedRest() {
    SmallVector<Value> values;
    kernel.walk([&](Operation *op) {
      for (Value value : op->getResults())
        if (getTileType(value))
          values.push_back(value);
    });
    llvm::stable_sort(values, [](Value left, Value right) {
      auto rank = [](Value value) {
        int64_t elements = getTileType(value).getNumElements();
        for (Operation *user : value.getUsers())
          if (auto unpack = dyn_cast<UnpackOp>(user))
            elements = unpack.getType().getNumElements();
        return std::pair(elements, bool(value.getDefiningOp<LoadOp>()));
      };
      return rank(left) > rank(right);
    });
    for (Value value : values) {
      RankedTensorType tile = getTileType(value);
      int64_t waves = kernel.getArray()->getNumWaves(), waveSize = *kernel.getWaveSize();
      auto load = value.getDefiningOp<LoadOp>();
      assign(value,
             load ? getLoadLayout(load, waves, waveSize)
                  : getBlockedLayout(&getContext(), tile.getShape(), tile.getElementTypeBitWidth(), waves, waveSize));
      spread();
    }
  }

  // Types and conversions

  static RankedTensorType withLayout(RankedTensorType tile, FragmentAttr layout) {
    return RankedTensorType::get(tile.getShape(), tile.getElementType(), layout);
  }

  LogicalResult applyLayouts() {
    for (auto &[value, layout] : layouts) {
      RankedTensorType tile = getTileType(value);
      // RankedTensorType::get does not verify encodings in release builds.
      if (failed(layout.verifyEncoding(tile.getShape(), tile.getElementType(),
                                       [&, loc = value.getLoc()] { return emitError(loc); })))
        return failure();
      value.setType(withLayout(tile, layout));
      if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
        auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
        if (!splat)
          return constant.emitOpError("expected a splat constant for a tile");
        constant.setValueAttr(splat.resizeSplat(cast<ShapedType>(value.getType())));
      }
    }
    return success();
  }

  void convert(OpOperand &use, FragmentAttr layout) { convert(use, layout, use.getOwner()); }

  /// Converts the operand before `place` or earlier.
  void convert(OpOperand &use, FragmentAttr layout, Operation *place) {
    RankedTensorType tile = getTileType(use.get());
    if (!tile || tile.getEncoding() == layout)
      return;
    RankedTensorType wanted = withLayout(tile, layout);
    // A value that a loop does not change is converted before the loop.
    while (auto loop = dyn_cast<scf::ForOp>(place->getParentOp())) {
      if (loop.getRegion().isAncestor(use.get().getParentRegion()))
        break;
      place = loop;
    }
    for (Operation *user : use.get().getUsers())
      if (auto earlier = dyn_cast<ConvertLayoutOp>(user); earlier && earlier.getResult().getType() == wanted &&
                                                          earlier->getBlock() == place->getBlock() &&
                                                          earlier->isBeforeInBlock(place))
        return use.set(earlier);
    OpBuilder builder(place);
    use.set(ConvertLayoutOp::create(builder, use.getOwner()->getLoc(), wanted, use.get()));
    ++conversions;
  }

  /// The place to share x between waves: after all loads, so that they are in flight, and before the first use of a
  /// loaded tile.
  static Operation *getPlaceAfterLoads(DotOp dot) {
    Operation *place = dot;
    while (place->getPrevNode() && !isa<LoadOp, ConvertLayoutOp>(place->getPrevNode()))
      place = place->getPrevNode();
    Operation *x = dot.getX().getDefiningOp();
    return x && x->getBlock() == dot->getBlock() && !x->isBeforeInBlock(place) ? x->getNextNode() : place;
  }

  LogicalResult insertConversions() {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      if (isElementwise(op)) {
        if (FragmentAttr layout = getFragment(op->getResult(0).getType()))
          for (OpOperand &operand : op->getOpOperands())
            convert(operand, layout);
      } else if (auto product = dyn_cast<MmaOp>(op)) {
        convert(product.getAMutable(), wantedLayout(product.getA(), MmaOperand::A));
        convert(product.getBMutable(), wantedLayout(product.getB(), MmaOperand::B));
        convert(product.getAccMutable(), wantedLayout(product.getAcc(), MmaOperand::Acc));
      } else if (auto dot = dyn_cast<DotOp>(op)) {
        FragmentAttr w = getFragment(dot.getW().getType()), sums = dot.getSumsLayout(w);
        if (!sums)
          return dot.emitOpError() << "expected lanes that hold the " << dot.getLength() << " columns of a sum but got "
                                   << dot.getW().getType();
        convert(dot.getXMutable(), DotOp::getRowLayout(w), getPlaceAfterLoads(dot));
        convert(dot.getAccMutable(), sums);
        convertResult(dot, sums);
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
          if (FragmentAttr layout = getFragment(argument.getType())) {
            convert(loop.getInitArgsMutable()[index], layout);
            convert(loop.getBody()->getTerminator()->getOpOperand(index), layout);
          }
      } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
        if (getTileType(broadcast.getSource())) {
          FragmentAttr source = broadcast.getSourceLayout(getFragment(broadcast.getType()));
          if (!source)
            return broadcast.emitOpError() << "expected lanes that hold whole groups of " << broadcast.getRepeats()
                                           << " elements or parts of one but got " << broadcast.getType();
          convert(broadcast.getSourceMutable(), source);
        }
      } else if (auto unpack = dyn_cast<UnpackOp>(op)) {
        if (kernel.getArray()->getRuns())
          if (FragmentAttr wanted = unpack.getWordsLayout(getFragment(unpack.getType())))
            convert(unpack.getWordsMutable(), wanted);
        FragmentAttr words = getFragment(unpack.getWords().getType());
        convertResult(unpack, words.refine(unpack.getDim(), unpack.getCodesPerWord()));
      } else if (auto sum = dyn_cast<SumPartsOp>(op)) {
        convert(sum.getTileMutable(), wantedLayout(sum.getTile(), MmaOperand::Acc));
        convertResult(sum, wantedSumLayout(sum));
      } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
        FragmentAttr layout = reduce.getResultLayout(getFragment(reduce.getTile().getType()));
        if (!layout)
          return reduce.emitOpError() << "expected at least a part for each lane that holds some of a sum but got "
                                      << *reduce.getParts() << " parts of " << reduce.getTile().getType();
        convertResult(reduce, layout);
      } else if (auto branch = dyn_cast<IfAnyOp>(op)) {
        for (auto [index, result] : llvm::enumerate(branch.getResults()))
          if (FragmentAttr layout = getFragment(result.getType())) {
            convert(branch.getOtherwiseMutable()[index], layout);
            convert(branch.getBody().front().getTerminator()->getOpOperand(index), layout);
          }
      } else if (auto load = dyn_cast<LoadOp>(op)) {
        FragmentAttr layout = getFragment(load.getResult().getType());
        for (OpOperand &rows : load.getRowsMutable())
          convert(rows, layout.dropDim(1 - getRowDim(load)));
        for (OpOperand &cols : load.getColsMutable())
          convert(cols, getColumnSlice(load, layout));
        for (OpOperand &at : load.getAtMutable())
          convert(at, layout);
      } else if (auto store = dyn_cast<StoreOp>(op)) {
        for (OpOperand &rows : store.getRowsMutable())
          convert(rows, getFragment(store.getTile().getType()).dropDim(1 - getRowDim(store)));
      }
    }
    return success();
  }

  /// Sets the result's layout of an op whose operand decides it, and converts the result if another layout was wanted.
  void convertResult(Operation *op, FragmentAttr layout) {
    Value result = op->getResult(0);
    RankedTensorType wanted = getTileType(result);
    if (wanted.getEncoding() == layout)
      return;
    result.setType(withLayout(wanted, layout));
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(op);
    Value converted = ConvertLayoutOp::create(builder, op->getLoc(), wanted, result);
    result.replaceAllUsesExcept(converted, converted.getDefiningOp());
    ++conversions;
  }
};

} // namespace
