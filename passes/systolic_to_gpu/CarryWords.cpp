// systolic-to-gpu-carry-words: what loops and branches give of narrow elements is words (Passes.td).
//
// BEFORE  scf.for … iter_args(%tile = %first) -> (vector<64xbf16>) { … scf.yield %next }
// AFTER   scf.for … iter_args(%words = %part, …) -> (vector<4xi32>, …) { …  scf.yield %part_of_next, … }
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/systolic_to_gpu/Passes.h"

namespace nstf {
#define GEN_PASS_DEF_CARRYWORDSPASS
#include "passes/systolic_to_gpu/Passes.h.inc"
} // namespace nstf

using namespace mlir;

namespace {

/// Of the widest vector of narrow elements that LLVM keeps whole.
constexpr int64_t maxVectorBits = 512;
/// What one load gives.
constexpr int64_t partBits = 128;

struct CarryWordsPass : nstf::impl::CarryWordsPassBase<CarryWordsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<scf::ForOp, scf::IfOp>(op) && llvm::any_of(op->getResultTypes(), isSplit))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (auto loop = dyn_cast<scf::ForOp>(op))
        carryWords(loop);
      else
        giveWords(cast<scf::IfOp>(op));
  }

private:
  static bool isSplit(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector || vector.getRank() != 1 || !vector.getElementType().isIntOrFloat())
      return false;
    int64_t element = vector.getElementTypeBitWidth(), bits = element * vector.getNumElements();
    return (element == 8 || element == 16) && bits > maxVectorBits && bits % partBits == 0;
  }

  static SmallVector<Value> getParts(OpBuilder &builder, Value value) {
    if (!isSplit(value.getType()))
      return {value};
    auto type = cast<VectorType>(value.getType());
    auto words = VectorType::get(partBits / 32, builder.getI32Type());
    int64_t count = partBits / type.getElementTypeBitWidth();
    SmallVector<Value> parts;
    for (int64_t first = 0; first < type.getNumElements(); first += count) {
      Value part = vector::ExtractStridedSliceOp::create(builder, value.getLoc(), value, ArrayRef<int64_t>{first},
                                                         ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
      parts.push_back(vector::BitCastOp::create(builder, value.getLoc(), words, part));
    }
    return parts;
  }

  /// The value of so many of the parts, which it takes off their front.
  static Value join(OpBuilder &builder, Location loc, Type type, ValueRange &parts) {
    if (!isSplit(type)) {
      Value value = parts.front();
      parts = parts.drop_front();
      return value;
    }
    auto whole = cast<VectorType>(type);
    int64_t count = partBits / whole.getElementTypeBitWidth();
    auto narrow = VectorType::get(count, whole.getElementType());
    Value value = arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(whole)));
    for (int64_t first = 0; first < whole.getNumElements(); first += count, parts = parts.drop_front()) {
      Value part = vector::BitCastOp::create(builder, loc, narrow, parts.front());
      value = vector::InsertStridedSliceOp::create(builder, loc, part, value, ArrayRef<int64_t>{first},
                                                   ArrayRef<int64_t>{1});
    }
    return value;
  }

  static SmallVector<Value> join(OpBuilder &builder, Location loc, TypeRange types, ValueRange parts) {
    return llvm::map_to_vector(types, [&](Type type) { return join(builder, loc, type, parts); });
  }

  static SmallVector<Value> getAllParts(OpBuilder &builder, ValueRange values) {
    SmallVector<Value> parts;
    for (Value value : values)
      llvm::append_range(parts, getParts(builder, value));
    return parts;
  }

  static void carryWords(scf::ForOp loop) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    auto words = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                    getAllParts(builder, loop.getInitArgs()));
    words->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *body = words.getBody();
    builder.setInsertionPointToStart(body);
    SmallVector<Value> carried = join(builder, loc, loop.getResultTypes(), words.getRegionIterArgs());
    loop.getInductionVar().replaceAllUsesWith(words.getInductionVar());
    for (auto [from, to] : llvm::zip_equal(loop.getRegionIterArgs(), carried))
      from.replaceAllUsesWith(to);
    body->getOperations().splice(body->end(), loop.getBody()->getOperations());
    yieldWords(*body);
    builder.setInsertionPointAfter(words);
    loop.replaceAllUsesWith(join(builder, loc, loop.getResultTypes(), words.getResults()));
    loop.erase();
  }

  static void giveWords(scf::IfOp branch) {
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      yieldWords(region->front());
    OpBuilder builder(branch);
    TypeRange types = branch.thenYield().getOperandTypes();
    auto words = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition());
    words->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
    words.getThenRegion().takeBody(branch.getThenRegion());
    words.getElseRegion().takeBody(branch.getElseRegion());
    branch.replaceAllUsesWith(join(builder, branch.getLoc(), branch.getResultTypes(), words.getResults()));
    branch.erase();
  }

  static void yieldWords(Block &block) {
    auto yield = cast<scf::YieldOp>(block.getTerminator());
    OpBuilder builder(yield);
    yield.getResultsMutable().assign(getAllParts(builder, yield.getResults()));
  }
};

} // namespace
