// Lowering of conversions from floats of 8 bits, which arith has and the back end does not.
//
// A chip of this kind of floats has an instruction for two. Elsewhere a byte is the upper one of an f16 whose exponent
// has a bit more, after a shift of what is not the sign: with a bias of 8 where f16 has 15 that number is 2^-7 of the
// byte's, subnormals too. So either way is exact.
#include "dialects/nstf/Target.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/systolic_to_gpu/TileLowering.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

struct ExtendPattern : TilePattern<arith::ExtFOp> {
  using TilePattern::TilePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<Float8E4M3FNUZType>(getElementTypeOrSelf(op.getIn().getType())) || !getTileType(op.getIn()))
      return failure();
    IndexBuilder index{rewriter, op.getLoc()};
    VectorType type = getVectorType(op.getResult());
    nstf::TargetView target = nstf::TargetView::lookup(op);
    if (!target || target.fp8() == "fnuz") // LowerCodes has the chip's instruction
      return failure();
    int64_t count = type.getNumElements(), words = (count + 3) / 4;
    Value bytes = castTo(index, adaptor.getIn(), count, rewriter.getI8Type());
    if (count % 4 != 0)
      bytes = insertRegisters(index, bytes, zeroVector(index, VectorType::get(4 * words, rewriter.getI8Type())), 0);
    Value inWords = castTo(index, bytes, words, rewriter.getI32Type()), result = zeroVector(index, type);
    for (int64_t pair = 0; pair < (count + 1) / 2; ++pair) {
      Value word = extractRegisters(index, inWords, pair / 2, 1);
      Value numbers = shift(index, word, pair % 2);
      numbers = toElement(index, numbers, type.getElementType());
      bool isHalf = count == 2 * pair + 1;
      result = insertRegisters(index, isHalf ? extractRegisters(index, numbers, 0, 1) : numbers, result, 2 * pair);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value constant(IndexBuilder &index, uint32_t value) {
    return arith::ConstantOp::create(index.builder, index.loc, index.builder.getI32IntegerAttr(int32_t(value)));
  }
  static Value castTo(IndexBuilder &index, Value vector, int64_t count, Type element) {
    return vector::BitCastOp::create(index.builder, index.loc, VectorType::get(count, element), vector);
  }
  static Value call(IndexBuilder &index, StringRef intrinsic, Type type, ValueRange arguments) {
    return LLVM::CallIntrinsicOp::create(index.builder, index.loc, type, index.builder.getStringAttr(intrinsic),
                                         arguments)
        .getResult(0);
  }

  /// The two bytes of a half of the word, as f16.
  static Value shift(IndexBuilder &index, Value word, int64_t half) {
    // Each the upper byte of two; 0x0c is a byte of zeros.
    Value bytes = constant(index, half ? 0x030c020c : 0x010c000c);
    Value pair = call(index, "llvm.amdgcn.perm", word.getType(), {word, word, bytes});
    Value sign = arith::AndIOp::create(index.builder, index.loc, pair, constant(index, 0x80008000));
    Value rest = arith::ShRUIOp::create(index.builder, index.loc, pair, constant(index, 1));
    rest = arith::AndIOp::create(index.builder, index.loc, rest, constant(index, 0x3f803f80));
    Value bits = arith::OrIOp::create(index.builder, index.loc, rest, sign);
    auto type = VectorType::get(2, index.builder.getF16Type());
    bits = vector::BroadcastOp::create(index.builder, index.loc, VectorType::get(1, bits.getType()), bits);
    Value small = vector::BitCastOp::create(index.builder, index.loc, type, bits);
    Attribute factor = FloatAttr::get(type.getElementType(), 128);
    Value splat = arith::ConstantOp::create(index.builder, index.loc, DenseElementsAttr::get(type, factor));
    return arith::MulFOp::create(index.builder, index.loc, small, splat);
  }

  /// Pairs of f32 or f16 as another type, which holds them exactly.
  static Value toElement(IndexBuilder &index, Value pair, Type element) {
    Type from = getElementTypeOrSelf(pair.getType());
    auto type = VectorType::get(2, element);
    if (from == element)
      return pair;
    if (from.isF32() && element.isF16())
      return call(index, "llvm.amdgcn.cvt.pkrtz", type,
                  {extractRegisters(index, pair, 0, 1), extractRegisters(index, pair, 1, 1)});
    if (element.isF32())
      return arith::ExtFOp::create(index.builder, index.loc, type, pair);
    return arith::TruncFOp::create(index.builder, index.loc, type, toElement(index, pair, index.builder.getF32Type()));
  }
};

} // namespace

void nstf::systolic::populateFloat8Lowering(const KernelContext &kernel, TypeConverter &converter,
                                            RewritePatternSet &patterns) {
  // Before LowerCodes, which knows no chip, and what carries over elementwise ops.
  patterns.add<ExtendPattern>(kernel, converter, patterns.getContext(), PatternBenefit(3));
}
