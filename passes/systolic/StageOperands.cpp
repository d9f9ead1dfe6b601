// systolic-stage-operands: moves operands from memory to the products through LDS (Passes.td).
//
// BEFORE  %x = systolic.load %X[…] : !X -> tensor<128x64xf16, #blocked>
//         %a = systolic.convert_layout %x : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #a>
//         systolic.mma %a, …
// AFTER   %x = systolic.load %X[…] : !X -> tensor<128x64xf16, #blocked>
//         systolic.barrier
//         systolic.write %x, %lds[%c0]
//         systolic.barrier
//         %a = systolic.read %lds[%c0]
//         systolic.mma %a, …
// BY STAGE  systolic.barrier
//         systolic.stage %X[…], %lds[%c0]
//         systolic.wait 0
//         systolic.barrier
//         %a = systolic.read %lds[%c0]
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/analysis/LdsLayout.h"
#include "passes/analysis/Operands.h"
#include "passes/systolic/Divisor.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"
#include "passes/systolic/Scratch.h"
#include "llvm/ADT/MapVector.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_STAGEOPERANDSPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;
using nstf::support::LdsDirection;
using nstf::support::Schedule;

namespace {

/// A tile is padded to at most this multiple of its rows.
constexpr int64_t maxPadding = 4;

/// A conversion from the layout of a load to the layout of the product, and the LDS array through which the tile goes.
struct Stage {
  ConvertLayoutOp conversion;
  LdsTileAccess write, read;
  LdsType lds;
  LoadOp load; ///< a load that goes past the registers (stage); null: through them
  /// If the waves do not divide the tile: the type that is loaded and written in its place. This type has more rows
  /// than the tile, and the load skips those. Null: the tile's own type.
  RankedTensorType padded;
  /// The layouts in which a tile that lanes transpose is loaded and then written; null if it is not transposed.
  PatchLayouts patches;
  size_t array = 0; ///< index into the pass's arrays; several stages may use one array in turn
};

struct StageOperandsPass : nstf::systolic::impl::StageOperandsPassBase<StageOperandsPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<nstf::TargetView> found = nstf::TargetView::require(kernel);
    if (failed(found) || failed(requireArray(kernel)) || failed(requireLayouts(kernel)))
      return signalPassFailure();
    target = *found;
    costs = Costs(*found);
    arrays.clear();
    SmallVector<Stage> stages, apart;
    int64_t scratch = 0;
    std::optional<Schedule::Through> through = kernel.getScheduleFields().through;
    bool byStage = through ? *through == Schedule::Through::Lds : stage;
    kernel.walk([&](Operation *op) {
      auto conversion = dyn_cast<ConvertLayoutOp>(op);
      if (conversion && isOfLoneWaves(conversion))
        apart.push_back(makeStage(conversion, /*byStage=*/false, /*pads=*/false, /*turns=*/false));
      else if (conversion && isOperand(conversion) && !op->hasAttr(unstagedAttributeName))
        stages.push_back(makeStage(conversion, byStage));
      else if (isa<ConvertLayoutOp, ReduceOp, SumPartsOp>(op))
        scratch = std::max(scratch, getScratchBytes(op, *kernel.getWaveSize()));
    });
    llvm::MapVector<Block *, SmallVector<Stage>> blocks;
    // Arrays and their barriers belong to all waves, and crews have no barrier in common.
    int64_t room = kernel.getCrews() > 1 ? 0 : target.ldsBytes() - scratch;
    for (Stage &stage : apart) {
      int64_t bytes = stage.lds.getSizeInBytes();
      report(stage, bytes <= room);
      if (bytes > room) {
        stage.conversion->setAttr(unstagedAttributeName, UnitAttr::get(&getContext()));
        continue;
      }
      room -= bytes;
      stage.conversion.getThroughMutable().assign(addArgument(stage.lds));
      stage.conversion.setTransposed(stage.read.transposed);
      stage.conversion.setApart(true);
    }
    for (Stage &stage : stages) {
      if (stage.padded && stage.lds.getSizeInBytes() > room)
        stage = makeStage(stage.conversion, byStage, /*pads=*/false);
      std::optional<size_t> used = findArray(stage);
      int64_t bytes = used ? 0 : stage.lds.getSizeInBytes();
      report(stage, bytes <= room);
      if (bytes > room) {
        stage.conversion->setAttr(unstagedAttributeName, UnitAttr::get(&getContext()));
        continue;
      }
      room -= bytes;
      takeArray(stage, used);
      blocks[stage.conversion->getBlock()].push_back(stage);
    }
    for (auto &[block, staged] : blocks)
      for (MutableArrayRef<Stage> rest = staged; !rest.empty();)
        rest = rest.drop_front(stageTogether(rest));
  }

private:
  /// An array that stages go through; the last of them is in op `place` of the kernel's body.
  struct Array {
    LdsType type;
    Operation *place;
    Value value; ///< null until the array is created
  };

  nstf::TargetView target;
  Costs costs;
  SmallVector<Array> arrays;

  /// Whether the conversion is of a tile that each wave loads for itself.
  bool isOfLoneWaves(ConvertLayoutOp op) {
    return getOperation().getArray()->getRuns() && op.getTile().getDefiningOp<LoadOp>() && movesBetweenLanes(op) &&
           op.staysInWaves() && !op->hasAttr(unstagedAttributeName);
  }

  Operation *getPlace(const Stage &stage) {
    return getOperation().getBody().front().findAncestorOpInBlock(*ConvertLayoutOp(stage.conversion));
  }

  /// The array of a loop that ends before this stage's loop begins, for reuse. Stages in loops have a barrier before
  /// they write.
  std::optional<size_t> findArray(const Stage &stage) {
    Operation *place = getPlace(stage);
    if (!isa<LoopLikeOpInterface>(place) || stage.load)
      return std::nullopt;
    Array *array = llvm::find_if(arrays, [&](const Array &other) {
      return other.type == stage.lds && other.place != place && isa<LoopLikeOpInterface>(other.place) &&
             other.place->isBeforeInBlock(place);
    });
    return array == arrays.end() ? std::nullopt : std::optional<size_t>(array - arrays.begin());
  }

  void takeArray(Stage &stage, std::optional<size_t> used) {
    stage.array = used.value_or(arrays.size());
    if (!used)
      arrays.push_back({stage.lds, nullptr, {}});
    arrays[stage.array].place = getPlace(stage);
  }

  /// The load that can become a systolic.stage: a part of a buffer in whole dwords, with nothing computed on the way.
  LoadOp findStageable(ConvertLayoutOp op, LdsType lds) {
    auto load = op.getTile().getDefiningOp<LoadOp>();
    if (!load || load.getAt() || load.getRows() || load.getCols() || !load.getLimits().empty() || !load->hasOneUse())
      return {};
    auto buffer = cast<MemRefType>(load.getBuffer().getType());
    auto argument = dyn_cast<BlockArgument>(load.getBuffer());
    int64_t bits = buffer.getElementTypeBitWidth(), waves = getOperation().getArray()->getNumWaves();
    auto isDwords = [&](int64_t elements) { return elements * bits % 32 == 0; };
    bool fits = argument && buffer.getElementType() == lds.getElementType() && lds.getShape().size() == 2 &&
                bits <= 32 && buffer.getNumElements() * bits / 8 < int64_t(1) << 31 && isDwords(lds.getShape()[1]) &&
                isDwords(buffer.getDimSize(1)) && isDwords(getDivisor(load.getIndices()[1])) &&
                isDwords(getOperation().getElementsPerToken(argument.getArgNumber())) &&
                lds.getSizeInBytes() % (waves * StageOp::bytesAtOnce) == 0;
    return fits ? load : LoadOp();
  }

  /// The rows of memory of a padded tile that all waves load alike; nothing if they do so already or padding does not
  /// help. If some waves had nothing to load, their writes would be under a condition, and LLVM sinks loads to the only
  /// write that uses them: no load would be in flight.
  std::optional<int64_t> getPaddedRows(ConvertLayoutOp op, ArrayRef<int64_t> shape) {
    auto load = op.getTile().getDefiningOp<LoadOp>();
    if (!load || load.getAt() || load.getRows() || load.getCols() || !load->hasOneUse() || shape.size() != 2 ||
        findPacking(load.getBuffer()) || !isReplicated(getFragment(load.getResult().getType())))
      return std::nullopt;
    for (int64_t multiple = 2; multiple <= maxPadding * shape[0]; multiple *= 2) {
      int64_t rows = llvm::alignTo(shape[0], multiple);
      if (!isReplicated(getLoadLayout(load, {rows, shape[1]})))
        return rows;
    }
    return std::nullopt;
  }

  static bool isReplicated(FragmentAttr layout) {
    auto isReplica = [](const Digit &digit) { return digit.dim < 0 && digit.count > 1; };
    return llvm::any_of(layout.getLane(), isReplica) || llvm::any_of(layout.getWave(), isReplica);
  }

  /// The blocked layout of a tile of `shape` rows and columns of memory.
  FragmentAttr getLoadLayout(LoadOp load, ArrayRef<int64_t> shape) {
    KernelOp kernel = getOperation();
    unsigned bits = cast<MemRefType>(load.getBuffer().getType()).getElementTypeBitWidth();
    FragmentAttr layout =
        getBlockedLayout(&getContext(), shape, bits, kernel.getArray()->getNumWaves(), *kernel.getWaveSize());
    return load.getTransposed() ? layout.transpose() : layout;
  }

  /// The array has the orientation of memory, so that writes are as wide as loads.
  Stage makeStage(ConvertLayoutOp op, bool byStage, bool pads = true, bool turns = true) {
    RankedTensorType tile = getTileType(op.getResult());
    LoadOp load = findLoad(op.getTile());
    bool transposed = load.getTransposed();
    SmallVector<int64_t, 2> shape(tile.getShape());
    if (transposed)
      std::swap(shape[0], shape[1]);
    unsigned bits = tile.getElementTypeBitWidth();
    RankedTensorType padded;
    if (std::optional<int64_t> rows = pads && !byStage ? getPaddedRows(op, shape) : std::nullopt) {
      shape[0] = *rows;
      SmallVector<int64_t, 2> tileShape(shape);
      if (transposed)
        std::swap(tileShape[0], tileShape[1]);
      padded = RankedTensorType::get(tileShape, tile.getElementType(), getLoadLayout(load, shape));
    }
    Stage stage{op,
                {LdsDirection::Write, getFragment(padded ? padded : op.getTile().getType()), shape, bits, transposed},
                {LdsDirection::Read, getFragment(tile), shape, bits, transposed},
                {},
                {},
                padded,
                {}};
    Builder builder(op.getContext());
    Attribute swizzle = findPacking(load.getBuffer());
    if (!swizzle || !cast<PackedAttr>(swizzle).divides(shape, bits))
      swizzle = chooseSwizzle(stage.write, stage.read, costs);
    auto axes =
        AxesAttr::get(op.getContext(), {builder.getI64IntegerAttr(shape[0]), builder.getI64IntegerAttr(shape[1])});
    stage.lds = LdsType::get(op.getContext(), /*buffers=*/1, shape, tile.getElementType(),
                             swizzle ? swizzle : builder.getUnitAttr(), axes);
    if (byStage)
      stage.load = findStageable(op, stage.lds);
    if (turns && !stage.load && !padded)
      turn(stage, load);
    return stage;
  }

  /// If memory's rows do not run along K, the array would be read element by element. Then the array has the
  /// orientation of the product, and lanes transpose the loaded tile before they write it.
  void turn(Stage &stage, LoadOp load) {
    KernelOp kernel = getOperation();
    ConvertLayoutOp conversion = stage.conversion;
    if (stage.lds.getShape().size() != 2 || !isOnlyConverted(conversion.getTile(), load) || load.getAt() ||
        load.getRows() || load.getCols() || findPacking(load.getBuffer()))
      return;
    bool transposed = !stage.read.transposed;
    unsigned bits = stage.read.elementBits;
    int64_t depth = getVectorWidth(stage.read.layout, transposed ? 0 : 1, bits);
    if (cast<MemRefType>(load.getBuffer().getType()).getElementTypeBitWidth() > bits ||
        depth <= getAccessRegisters(stage.read, stage.lds.getSwizzle()).width)
      return;
    SmallVector<int64_t, 2> shape(stage.read.shape);
    PatchLayouts patches =
        getPatchLayouts(&getContext(), shape, bits, depth, kernel.getArray()->getNumWaves(), *kernel.getWaveSize());
    if (!patches.alongRows)
      return;
    if (load.getTransposed())
      patches = {patches.alongRows.transpose(), patches.alongColumns.transpose()};
    std::swap(shape[0], shape[1]);
    stage.patches = patches;
    stage.write = {LdsDirection::Write, patches.alongColumns, shape, bits, transposed};
    stage.read = {LdsDirection::Read, stage.read.layout, shape, bits, transposed};
    SwizzleAttr swizzle = chooseSwizzle(stage.write, stage.read, costs);
    Builder builder(&getContext());
    auto axes =
        AxesAttr::get(&getContext(), {builder.getI64IntegerAttr(shape[0]), builder.getI64IntegerAttr(shape[1])});
    stage.lds = LdsType::get(&getContext(), /*buffers=*/1, shape, stage.lds.getElementType(),
                             swizzle ? Attribute(swizzle) : builder.getUnitAttr(), axes);
  }

  /// Whether a tile is the load's result, or only converted to another type.
  static bool isOnlyConverted(Value tile, LoadOp load) {
    while (tile != load.getResult()) {
      Operation *op = tile.getDefiningOp();
      if (!op || !isElementwise(op) || op->getNumOperands() != 1 || !op->hasOneUse())
        return false;
      tile = op->getOperand(0);
    }
    return load->hasOneUse();
  }

  /// Loads the tile in patches and transposes them.
  static Value loadTurned(const Stage &stage) {
    Value loaded = ConvertLayoutOp(stage.conversion).getTile();
    auto lying = [](Value value, FragmentAttr layout) {
      RankedTensorType tile = getTileType(value);
      return RankedTensorType::get(tile.getShape(), tile.getElementType(), layout);
    };
    OpBuilder builder(&*std::next(loaded.getDefiningOp()->getIterator()));
    Value turned = ConvertLayoutOp::create(builder, loaded.getLoc(), lying(loaded, stage.patches.alongColumns), loaded);
    for (Value value = loaded;; value = value.getDefiningOp()->getOperand(0)) {
      value.setType(lying(value, stage.patches.alongRows));
      if (value.getDefiningOp<LoadOp>())
        return turned;
    }
  }

  void report(Stage &stage, bool fits) {
    auto options = remark::RemarkOpts::name("Stage").category(getArgument()).function(getOperation().getSymName());
    Location loc = stage.conversion.getLoc();
    int64_t bytes = stage.lds.getSizeInBytes();
    if (!fits) {
      remark::missed(loc, options) << (std::to_string(bytes) + " bytes of LDS are more than is left");
      return;
    }
    Attribute swizzle = stage.lds.getSwizzle();
    LdsCost in = stage.load ? LdsCost() : getCost(stage.write, swizzle, costs),
            out = getCost(stage.read, swizzle, costs);
    std::string text;
    llvm::raw_string_ostream(text) << (stage.load ? "past the registers to " : "through ") << stage.lds
                                   << ": writes of " << (stage.load ? 4 : accessBytes(stage.write, swizzle))
                                   << " bytes, reads of " << accessBytes(stage.read, swizzle) << " bytes";
    if (int64_t conflicts = in.conflictClocks + out.conflictClocks)
      remark::missed(loc, options) << (text + "; no swizzle of its rows spreads them over the banks")
                                   << remark::metric("conflicts", conflicts);
    remark::passed(loc, options) << text << remark::metric("lds", bytes)
                                 << remark::metric("write_conflicts", in.conflictClocks)
                                 << remark::metric("read_conflicts", out.conflictClocks);
  }

  static int64_t accessBytes(const LdsTileAccess &access, Attribute swizzle) {
    return getAccessRegisters(access, swizzle).width * access.elementBits / 8;
  }

  /// Stages the first conversion of `stages`, all of one block, and those after it whose tiles are loaded by then;
  /// returns their number. They share barriers.
  size_t stageTogether(MutableArrayRef<Stage> stages) {
    ConvertLayoutOp first = stages.front().conversion;
    auto isThere = [&](Stage &stage) {
      Operation *source = stage.conversion.getTile().getDefiningOp();
      return source->getBlock() != first->getBlock() || source->isBeforeInBlock(first);
    };
    MutableArrayRef<Stage> group = stages.take_while(isThere);
    OpBuilder builder(first);
    Location loc = first.getLoc();
    Value buffer = arith::ConstantIndexOp::create(builder, loc, 0);
    // The previous round may still read the array when this round writes.
    if (first->getParentOfType<LoopLikeOpInterface>())
      BarrierOp::create(builder, loc);
    for (Stage &stage : group) {
      Array &array = arrays[stage.array];
      if (!array.value)
        array.value = addArgument(stage.lds);
      if (stage.load)
        StageOp::create(builder, loc, stage.load.getBuffer(), stage.load.getIndices(), array.value, buffer,
                        stage.load.getWhen());
      else
        WriteOp::create(builder, loc, getWritten(stage), array.value, buffer, stage.write.transposed);
    }
    if (llvm::any_of(group, [](const Stage &stage) { return bool(stage.load); }))
      WaitOp::create(builder, loc, /*count=*/0);
    BarrierOp::create(builder, loc);
    for (Stage &stage : group) {
      builder.setInsertionPoint(stage.conversion);
      auto from = stage.padded ? builder.getDenseI64ArrayAttr({0, 0}) : DenseI64ArrayAttr();
      Value tile = ReadOp::create(builder, stage.conversion.getLoc(), stage.conversion.getResult().getType(),
                                  arrays[stage.array].value, buffer, from, stage.read.transposed);
      stage.conversion.replaceAllUsesWith(tile);
      Operation *source = stage.conversion.getTile().getDefiningOp();
      stage.conversion.erase();
      if (stage.load || stage.padded)
        source->erase();
    }
    return group.size();
  }

  static Value getWritten(Stage &stage) {
    if (stage.padded)
      return loadPadded(stage);
    return stage.patches.alongRows ? loadTurned(stage) : stage.conversion.getTile();
  }

  /// Replaces the load by a padded one, which still loads only the rows of the tile.
  static Value loadPadded(const Stage &stage) {
    ConvertLayoutOp conversion = stage.conversion;
    auto load = conversion.getTile().getDefiningOp<LoadOp>();
    OpBuilder builder(load);
    Location loc = load.getLoc();
    auto buffer = cast<MemRefType>(load.getBuffer().getType());
    RankedTensorType tile = getTileType(load.getResult());
    SmallVector<Value> limits(load.getLimits());
    if (limits.empty())
      for (int64_t size : buffer.getShape())
        limits.push_back(arith::ConstantIndexOp::create(builder, loc, size));
    Value rows = arith::ConstantIndexOp::create(builder, loc, tile.getDimSize(load.getTransposed() ? 1 : 0));
    Value end = arith::AddIOp::create(builder, loc, load.getIndices()[0], rows);
    limits[0] = arith::MinUIOp::create(builder, loc, end, limits[0]);
    auto more = cast<LoadOp>(builder.clone(*load));
    more.getLimitsMutable().assign(limits);
    more.getResult().setType(stage.padded);
    return more;
  }

  Value addArgument(LdsType type) {
    KernelOp kernel = getOperation();
    (void)kernel.insertArgument(kernel.getNumArguments(), type, {}, kernel.getLoc());
    return kernel.getBody().front().getArguments().back();
  }
};

} // namespace
