// systolic-insert-prefetch: what a loop of products needs is on its way while the products before it are made
// (Passes.td).
//
// BEFORE  for k { load; barrier; write → lds[0]; barrier; read lds[0]; mma }
// AFTER   load 0; write → lds[0]; load 1; barrier; read the first step of lds[0]
//         for k by two blocks {
//           block in lds[0]: steps { read the next step | in the first: write block + 1 → lds[1], load block + 2 |
//                                    in the last: barrier, and the next step is lds[1]'s first;  mma }
//           block in lds[1]: the same with the buffers exchanged
//         }
//
// A load past the last block is none (`when`), and what it gives is 0: the block that makes their number even adds
// nothing.
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/ProductLoop.h"
#include "passes/systolic/Scratch.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_INSERTPREFETCHPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

constexpr int64_t buffers = 2;
/// What a loop needs beside sums and operands.
constexpr int64_t registersOfAddresses = 24;

/// Makes the loop anew, block by block.
class Pipeline {
public:
  Pipeline(ProductLoop &product, KernelOp kernel)
      : product(product), loop(product.loop), array(*kernel.getArray()), waveSize(*kernel.getWaveSize()), builder(loop),
        loc(loop.getLoc()) {}

  void run() {
    for (WriteOp write : product.writes)
      widen(write.getLds());
    Value zero = constant(0), one = constant(1);
    bool hasTail = product.blocks.value_or(0) % buffers != 0;
    Value end = hasTail ? endOfPairs() : loop.getUpperBound();
    Value step = constant(product.blockStep), round = constant(buffers * product.blockStep);
    Value second = arith::AddIOp::create(builder, loc, loop.getLowerBound(), step);
    SmallVector<Value> first = load(loop.getLowerBound());
    write(first, zero);
    SmallVector<Value> next = load(second);
    BarrierOp::create(builder, loc);
    SmallVector<Value> fragments = read(zero, 0);

    SmallVector<Value> carried(loop.getInitArgs());
    llvm::append_range(carried, next);
    llvm::append_range(carried, fragments);
    auto pipelined = scf::ForOp::create(builder, loc, loop.getLowerBound(), end, round, carried);
    builder.setInsertionPointToStart(pipelined.getBody());
    ValueRange arguments = pipelined.getRegionIterArgs();
    SmallVector<Value> sums(arguments.take_front(product.products.size()));
    next = llvm::to_vector(arguments.slice(sums.size(), next.size()));
    fragments = llvm::to_vector(arguments.take_back(fragments.size()));
    for (int64_t block = 0; block < buffers; ++block) {
      Value ahead = arith::AddIOp::create(builder, loc, pipelined.getInductionVar(),
                                          constant((block + buffers) * product.blockStep));
      makeBlock(block == 0 ? zero : one, block == 0 ? one : zero, ahead, sums, next, fragments);
    }
    SmallVector<Value> yielded(sums);
    llvm::append_range(yielded, next);
    llvm::append_range(yielded, fragments);
    scf::YieldOp::create(builder, loc, yielded);
    builder.setInsertionPointAfter(pipelined);
    ValueRange results = pipelined.getResults();
    sums = llvm::to_vector(results.take_front(sums.size()));
    fragments = llvm::to_vector(results.take_back(fragments.size()));
    if (hasTail)
      makeTail(zero, sums, fragments);
    loop.replaceAllUsesWith(sums);
    loop.erase();
  }

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  /// Where the last of an odd number of blocks begins, or the loop's begin where it has no round.
  Value endOfPairs() {
    int64_t begin = *getConstantIntValue(loop.getLowerBound());
    Value last = constant(begin + (*product.blocks - 1) * product.blockStep);
    auto choice = loop.getUpperBound().getDefiningOp<arith::SelectOp>();
    if (!choice)
      return last;
    return arith::SelectOp::create(builder, loc, choice.getCondition(), last, loop.getLowerBound());
  }

  static void widen(Value lds) {
    auto type = cast<LdsType>(lds.getType());
    auto kernel = cast<KernelOp>(lds.getParentBlock()->getParentOp());
    lds.setType(LdsType::get(type.getContext(), buffers, type.getShape(), type.getElementType(), type.getSwizzle(),
                             type.getAxes()));
    kernel.setFunctionType(builderOf(kernel).getFunctionType(kernel.getBody().front().getArgumentTypes(), {}));
  }
  static Builder builderOf(Operation *op) { return Builder(op->getContext()); }

  /// The tiles of the block at `k`, as they are written.
  SmallVector<Value> load(Value k) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), k);
    Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, k, loop.getUpperBound());
    for (Operation *op : product.loading)
      if (auto load = dyn_cast<LoadOp>(builder.clone(*op, mapping)))
        load.getWhenMutable().assign(inside);
    SmallVector<Value> tiles;
    for (WriteOp write : product.writes)
      tiles.push_back(mapping.lookupOrDefault(write.getTile()));
    return tiles;
  }

  void write(ArrayRef<Value> tiles, Value buffer) {
    for (auto [tile, write] : llvm::zip_equal(tiles, product.writes))
      WriteOp::create(builder, write.getLoc(), tile, write.getLds(), buffer, write.getTransposed());
  }

  /// What the products of a step take: for each, a's part and b's.
  SmallVector<Value> read(Value buffer, int64_t step) {
    SmallVector<Value> fragments;
    for (Product &one : product.products)
      for (auto [operand, role] : {std::pair(one.a, MmaOperand::A), std::pair(one.b, MmaOperand::B)}) {
        ReadOp whole = operand;
        RankedTensorType tile = getTileType(whole.getResult());
        SmallVector<int64_t> shape(tile.getShape()), from = {0, 0};
        shape[role == MmaOperand::A ? 1 : 0] = array.getK();
        // K runs along the array's columns where the operand is read as memory lies along it.
        from[(role == MmaOperand::A) != whole.getTransposed() ? 1 : 0] = step * array.getK();
        auto part = RankedTensorType::get(shape, tile.getElementType(), getMmaLayout(array, role, shape, waveSize));
        fragments.push_back(ReadOp::create(builder, whole.getLoc(), part, whole.getLds(), buffer,
                                           builder.getDenseI64ArrayAttr(from), whole.getTransposed()));
      }
    return fragments;
  }

  void multiply(ArrayRef<Value> fragments, SmallVectorImpl<Value> &sums) {
    for (auto [i, one] : llvm::enumerate(product.products))
      sums[i] =
          MmaOp::create(builder, one.mma->getLoc(), sums[i].getType(), fragments[2 * i], fragments[2 * i + 1], sums[i]);
  }

  void makeBlock(Value current, Value other, Value ahead, SmallVectorImpl<Value> &sums, SmallVectorImpl<Value> &next,
                 SmallVectorImpl<Value> &fragments) {
    int64_t steps = product.depth / array.getK();
    for (int64_t step = 0; step < steps; ++step) {
      bool isLast = step == steps - 1;
      SmallVector<Value> following;
      if (step == 0) {
        if (!isLast)
          following = read(current, 1);
        write(next, other);
        next = load(ahead);
      }
      if (isLast)
        BarrierOp::create(builder, loc);
      if (following.empty())
        following = isLast ? read(other, 0) : read(current, step + 1);
      multiply(fragments, sums);
      fragments = following;
    }
  }

  /// The block that no other follows.
  void makeTail(Value buffer, SmallVectorImpl<Value> &sums, SmallVectorImpl<Value> &fragments) {
    int64_t steps = product.depth / array.getK();
    for (int64_t step = 0; step < steps; ++step) {
      SmallVector<Value> following = step + 1 < steps ? read(buffer, step + 1) : SmallVector<Value>();
      multiply(fragments, sums);
      fragments = following;
    }
  }

  ProductLoop &product;
  scf::ForOp loop;
  SystolicArrayAttr array;
  int64_t waveSize;
  OpBuilder builder;
  Location loc;
};

struct InsertPrefetchPass : nstf::systolic::impl::InsertPrefetchPassBase<InsertPrefetchPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<nstf::TargetView> target = nstf::TargetView::require(kernel);
    if (failed(target))
      return signalPassFailure();
    if (!kernel.getArray() || !kernel.getWaveSize()) {
      kernel.emitError("expected array and wave_size (systolic-select-array) but got none");
      return signalPassFailure();
    }
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (!loop.getOps<MmaOp>().empty())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (std::string reason = prefetch(loop, *target); !reason.empty())
        remark::missed(loop.getLoc(), options()) << reason;
  }

private:
  remark::RemarkOpts options() {
    return remark::RemarkOpts::name("Prefetch").category(getArgument()).function(getOperation().getSymName());
  }

  /// Empty, or why not.
  std::string prefetch(scf::ForOp loop, nstf::TargetView target) {
    KernelOp kernel = getOperation();
    ProductLoop product;
    if (std::string reason = product.match(loop); !reason.empty())
      return reason;
    if (product.depth % kernel.getArray()->getK() != 0)
      return "a block of " + std::to_string(product.depth) + " along K is no whole number of cells";
    if (product.blocks && *product.blocks < buffers)
      return "it has no more than one block";
    int64_t staged = 0;
    for (WriteOp write : product.writes)
      staged += write.getLds().getType().getSizeInBytes();
    int64_t total = getLdsBytes() + staged;
    if (total > target.ldsBytes())
      return std::to_string(buffers) + " buffers would take " + std::to_string(total) + " bytes of LDS, " +
             target.name().str() + " has " + std::to_string(target.ldsBytes());
    // Every load on its way holds a line of the L1: more than it has stand in front of it, and the products behind
    // them.
    if (staged > target.l1Bytes())
      return "a block of " + std::to_string(staged) + " bytes would be on its way, the L1 of " + target.name().str() +
             " has lines for " + std::to_string(target.l1Bytes());
    int64_t wavesPerSimd = llvm::divideCeil(kernel.getArray()->getNumWaves(), target.simdsPerComputeUnit());
    int64_t limit = std::min(target.maxVgprsPerWave(), target.vgprsPerLane() / wavesPerSimd);
    int64_t registers = countRegisters(product);
    if (registers + registersOfAddresses > limit)
      return "sums, operands and what is on its way would take " + std::to_string(registers) + " of " +
             std::to_string(limit) + " registers";
    Pipeline(product, kernel).run();
    remark::passed(loop.getLoc(), options())
        << "a block is loaded two blocks and written to LDS one block before its products"
        << remark::metric("buffers", buffers) << remark::metric("bytes_in_flight", staged)
        << remark::metric("lds", total) << remark::metric("registers", registers);
    return "";
  }

  /// Of the kernel, with the scratch that it will have.
  int64_t getLdsBytes() {
    KernelOp kernel = getOperation();
    int64_t bytes = 0, scratch = 0;
    for (Type type : kernel.getArgumentTypes())
      if (auto lds = dyn_cast<LdsType>(type))
        bytes += lds.getSizeInBytes();
    kernel.walk([&](Operation *op) { scratch = std::max(scratch, getScratchBytes(op, *kernel.getWaveSize())); });
    return bytes + scratch;
  }

  /// A lane's: sums, the operands of two steps and the tiles of a block.
  int64_t countRegisters(ProductLoop &product) {
    auto count = [](Type type) {
      return llvm::divideCeil(
          getFragment(type).getNumRegisters() * cast<RankedTensorType>(type).getElementTypeBitWidth(), 32);
    };
    int64_t registers = 0;
    for (Product &one : product.products) {
      MmaOp mma = one.mma;
      registers += count(mma.getType());
      for (Value operand : {mma.getA(), mma.getB()})
        registers += 2 * llvm::divideCeil(count(operand.getType()) * getOperation().getArray()->getK(), product.depth);
    }
    for (WriteOp write : product.writes)
      registers += count(write.getTile().getType());
    return registers;
  }
};

} // namespace
