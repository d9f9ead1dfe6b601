// systolic-to-gpu-carry-words: carries narrow elements through loops and branches as words, or one by one (Passes.td).
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

/// The bits of the widest vector of narrow elements that LLVM does not split.
constexpr int64_t maxVectorBits = 512;
/// The bits that one load delivers.
constexpr int64_t partBits = 128;

struct CarryWordsPass : nstf::impl::CarryWordsPassBase<CarryWordsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      auto loop = dyn_cast<scf::ForOp>(op);
      if (isa<scf::ForOp, scf::IfOp>(op) && (llvm::any_of(op->getResultTypes(), isSplit) ||
                                             (loop && llvm::any_of(loop.getYieldedValues(), comesOneByOne))))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (auto loop = dyn_cast<scf::ForOp>(op))
        carryWords(loop);
      else
        giveWords(cast<scf::IfOp>(op));
  }

private:
  static bool isNarrow(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector && vector.getRank() == 1 && vector.getElementType().isIntOrFloat() &&
           llvm::is_contained({8u, 16u}, vector.getElementTypeBitWidth());
  }

  static bool isSplit(Type type) {
    if (!isNarrow(type))
      return false;
    auto vector = cast<VectorType>(type);
    int64_t bits = vector.getElementTypeBitWidth() * vector.getNumElements();
    return bits > maxVectorBits && bits % partBits == 0;
  }

  /// Whether each element of the vector is inserted by itself, as after loads of single elements. Packing them into
  /// words would make the loop wait for all these loads at its end.
  static bool comesOneByOne(Value value) {
    if (!isNarrow(value.getType()) || isSplit(value.getType()))
      return false;
    int64_t elements = cast<VectorType>(value.getType()).getNumElements(), inserted = 0;
    if (value.getDefiningOp<vector::FromElementsOp>())
      return elements > 1;
    for (; auto insert = value.getDefiningOp<vector::InsertOp>(); value = insert.getDest())
      ++inserted;
    return elements > 1 && inserted == elements;
  }

  static SmallVector<Value> getElements(OpBuilder &builder, Value value) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < cast<VectorType>(value.getType()).getNumElements(); ++i)
      elements.push_back(vector::ExtractOp::create(builder, value.getLoc(), value, i));
    return elements;
  }

  static SmallVector<Value> getParts(OpBuilder &builder, Value value, bool isOneByOne) {
    if (isOneByOne)
      return getElements(builder, value);
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

  /// Rebuilds a value from the first of `parts`, and removes these.
  static Value join(OpBuilder &builder, Location loc, Type type, ValueRange &parts, bool isOneByOne) {
    if (isOneByOne) {
      auto whole = cast<VectorType>(type);
      ValueRange elements = parts.take_front(whole.getNumElements());
      parts = parts.drop_front(whole.getNumElements());
      return vector::FromElementsOp::create(builder, loc, whole, elements);
    }
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

  /// `oneByOne`: whether each value is carried element by element; empty: none is.
  static SmallVector<Value> join(OpBuilder &builder, Location loc, TypeRange types, ValueRange parts,
                                 ArrayRef<bool> oneByOne = {}) {
    SmallVector<Value> joined;
    for (auto [index, type] : llvm::enumerate(types))
      joined.push_back(join(builder, loc, type, parts, !oneByOne.empty() && oneByOne[index]));
    return joined;
  }

  static SmallVector<Value> getAllParts(OpBuilder &builder, ValueRange values, ArrayRef<bool> oneByOne = {}) {
    SmallVector<Value> parts;
    for (auto [index, value] : llvm::enumerate(values))
      llvm::append_range(parts, getParts(builder, value, !oneByOne.empty() && oneByOne[index]));
    return parts;
  }

  static void carryWords(scf::ForOp loop) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    SmallVector<bool> oneByOne = llvm::map_to_vector(loop.getYieldedValues(), comesOneByOne);
    auto words = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                    getAllParts(builder, loop.getInitArgs(), oneByOne));
    words->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *body = words.getBody();
    builder.setInsertionPointToStart(body);
    SmallVector<Value> carried = join(builder, loc, loop.getResultTypes(), words.getRegionIterArgs(), oneByOne);
    loop.getInductionVar().replaceAllUsesWith(words.getInductionVar());
    for (auto [from, to] : llvm::zip_equal(loop.getRegionIterArgs(), carried))
      from.replaceAllUsesWith(to);
    body->getOperations().splice(body->end(), loop.getBody()->getOperations());
    yieldWords(*body, oneByOne);
    builder.setInsertionPointAfter(words);
    loop.replaceAllUsesWith(join(builder, loc, loop.getResultTypes(), words.getResults(), oneByOne));
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

  static void yieldWords(Block &block, ArrayRef<bool> oneByOne = {}) {
    auto yield = cast<scf::YieldOp>(block.getTerminator());
    OpBuilder builder(yield);
    yield.getResultsMutable().assign(getAllParts(builder, yield.getResults(), oneByOne));
  }
};

} // namespace
