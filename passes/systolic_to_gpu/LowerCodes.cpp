// Lowers exact conversions from 8-bit codes to floats, and the rounding of floats to f8E4M3FNUZ, for which only gfx942
// has an instruction.
//
// A byte b of i8 with its top bit flipped is the unsigned b + 128; as the low byte of a half with 0x64 as the high byte
// it is the f16 1152 + b. One v_perm_b32 builds two of them. For f8E4M3FNUZ, a chip with the instruction converts two
// bytes to f32 at once. Without it, the byte becomes the upper byte of an f16, and all its bits but the sign are
// shifted right by one, because the exponent of an f16 has one more bit. The bias is 8 instead of 15, so the result is
// 2^-7 times the byte's value, also for subnormals. Both conversions are exact in 16 bits; for bf16, one v_perm_b32
// joins the upper halves of two f32.
#include "passes/systolic_to_gpu/Codes.h"

#include "dialects/nstf/Target.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nstf::systolic;

Value nstf::systolic::callIntrinsic(IndexBuilder &index, StringRef intrinsic, Type type, ValueRange arguments) {
  return LLVM::CallIntrinsicOp::create(index.builder, index.loc, type, index.builder.getStringAttr(intrinsic),
                                       arguments)
      .getResult(0);
}

Value nstf::systolic::makeWord(IndexBuilder &index, uint32_t value) {
  return arith::ConstantOp::create(index.builder, index.loc, index.builder.getI32IntegerAttr(int32_t(value)));
}

static VectorType typeOf(Value vector) { return cast<VectorType>(vector.getType()); }

static Value bitCast(IndexBuilder &index, Value vector, int64_t count, Type element) {
  return vector::BitCastOp::create(index.builder, index.loc, VectorType::get(count, element), vector);
}

Value nstf::systolic::raiseToHalves(IndexBuilder &index, Value word) {
  auto pairs = VectorType::get(2, index.builder.getI32Type());
  Value result = zeroVector(index, pairs), above = makeWord(index, 0x64646464);
  for (int64_t pair = 0; pair < 2; ++pair) {
    Value bytes = makeWord(index, 0x04010400 + pair * 0x00020002);
    Value halves = callIntrinsic(index, "llvm.amdgcn.perm", word.getType(), {above, word, bytes});
    result = insertRegisters(index, halves, result, pair);
  }
  return bitCast(index, result, 4, index.builder.getF16Type());
}

Value nstf::systolic::raiseToFloats(IndexBuilder &index, Value word) {
  Value result = zeroVector(index, VectorType::get(4, index.builder.getF32Type()));
  for (int64_t byte = 0; byte < 4; ++byte) {
    Value shifted = arith::ShRUIOp::create(index.builder, index.loc, word, makeWord(index, 8 * byte));
    Value alone = arith::AndIOp::create(index.builder, index.loc, shifted, makeWord(index, 0xff));
    Value number = arith::UIToFPOp::create(index.builder, index.loc, index.builder.getF32Type(), alone);
    result = insertRegisters(index, number, result, byte);
  }
  return result;
}

/// Subtracts a number from whole numbers that the vector's type holds exactly. The flag `reassoc` lets LLVM cancel the
/// subtraction and a later addition of the same number.
static Value subtract(IndexBuilder &index, Value vector, double number) {
  Attribute element = FloatAttr::get(typeOf(vector).getElementType(), -number);
  Value splat = arith::ConstantOp::create(index.builder, index.loc, DenseElementsAttr::get(typeOf(vector), element));
  using arith::FastMathFlags;
  return arith::AddFOp::create(index.builder, index.loc, vector, splat, FastMathFlags::reassoc | FastMathFlags::nsz);
}

/// Converts four bytes of f8E4M3FNUZ to f16 on a chip without an instruction for it.
static Value shiftToHalves(IndexBuilder &index, Value word) {
  auto pairs = VectorType::get(2, index.builder.getI32Type());
  Value result = zeroVector(index, pairs);
  for (int64_t pair = 0; pair < 2; ++pair) {
    // Puts each byte into the upper half of 16 bits; selector 0x0c gives a zero byte.
    Value bytes = makeWord(index, pair ? 0x030c020c : 0x010c000c);
    Value raised = callIntrinsic(index, "llvm.amdgcn.perm", word.getType(), {word, word, bytes});
    Value sign = arith::AndIOp::create(index.builder, index.loc, raised, makeWord(index, 0x80008000));
    Value rest = arith::ShRUIOp::create(index.builder, index.loc, raised, makeWord(index, 1));
    rest = arith::AndIOp::create(index.builder, index.loc, rest, makeWord(index, 0x3f803f80));
    Value small = arith::OrIOp::create(index.builder, index.loc, rest, sign);
    result = insertRegisters(index, small, result, pair);
  }
  Value halves = bitCast(index, result, 4, index.builder.getF16Type());
  Attribute factor = FloatAttr::get(index.builder.getF16Type(), 128);
  Value splat = arith::ConstantOp::create(index.builder, index.loc, DenseElementsAttr::get(typeOf(halves), factor));
  return arith::MulFOp::create(index.builder, index.loc, halves, splat);
}

/// Converts four bytes of f8E4M3FNUZ to f32 on a chip with the instruction for two bytes.
static Value convertToFloats(IndexBuilder &index, Value word, Type code) {
  auto pair = VectorType::get(2, index.builder.getF32Type());
  Value four = bitCast(
      index, vector::BroadcastOp::create(index.builder, index.loc, VectorType::get(1, word.getType()), word), 4, code);
  Value result = zeroVector(index, VectorType::get(4, index.builder.getF32Type()));
  for (int64_t half = 0; half < 2; ++half)
    result = insertRegisters(index, amdgpu::ExtPackedFp8Op::create(index.builder, index.loc, pair, four, half), result,
                             2 * half);
  return result;
}

/// Converts the four codes of a word to f32, or to f16 if that takes fewer instructions.
static Value convertWord(IndexBuilder &index, Value word, Type code, bool toHalves, bool hasInstruction) {
  if (code.isInteger(8)) {
    Value turned = arith::XOrIOp::create(index.builder, index.loc, word, makeWord(index, 0x80808080));
    return toHalves ? subtract(index, raiseToHalves(index, turned), raisedHalf)
                    : subtract(index, raiseToFloats(index, turned), raisedFloat);
  }
  if (hasInstruction)
    return convertToFloats(index, word, code);
  Value halves = shiftToHalves(index, word);
  return toHalves
             ? halves
             : arith::ExtFOp::create(index.builder, index.loc, VectorType::get(4, index.builder.getF32Type()), halves)
                   .getResult();
}

/// Packs two f32 that a 16-bit type holds exactly into one word.
static Value narrowExactly(IndexBuilder &index, Value low, Value high, Type type) {
  if (type.isF16()) {
    auto pair = VectorType::get(2, type);
    return callIntrinsic(index, "llvm.amdgcn.cvt.pkrtz", pair, {low, high});
  }
  auto toWord = [&](Value number) {
    return arith::BitcastOp::create(index.builder, index.loc, index.builder.getI32Type(), number).getResult();
  };
  Value word = callIntrinsic(index, "llvm.amdgcn.perm", index.builder.getI32Type(),
                             {toWord(high), toWord(low), makeWord(index, 0x07060302)});
  return bitCast(index, vector::BroadcastOp::create(index.builder, index.loc, VectorType::get(1, word.getType()), word),
                 2, type);
}

/// Converts codes word by word; a last word of fewer codes is padded.
static Value convertCodes(IndexBuilder &index, Value vector, Type type, bool hasInstruction) {
  Type code = typeOf(vector).getElementType();
  int64_t count = typeOf(vector).getNumElements(), words = llvm::divideCeil(count, 4);
  Value padded = vector;
  if (count % 4 != 0)
    padded = insertRegisters(index, vector, zeroVector(index, VectorType::get(4 * words, code)), 0);
  Value bits = bitCast(index, padded, words, index.builder.getI32Type());
  bool toHalves = type.isF16() && (code.isInteger(8) || !hasInstruction);
  Value result = zeroVector(index, VectorType::get(4 * words, type));
  for (int64_t word = 0; word < words; ++word) {
    Value four = convertWord(index, extractRegisters(index, bits, word, 1), code, toHalves, hasInstruction);
    if (typeOf(four).getElementType() == type) {
      result = insertRegisters(index, four, result, 4 * word);
      continue;
    }
    for (int64_t i = 0; i < 4; i += 2)
      result = insertRegisters(
          index,
          narrowExactly(index, extractRegisters(index, four, i, 1), extractRegisters(index, four, i + 1, 1), type),
          result, 4 * word + i);
  }
  if (count % 4 == 0)
    return result;
  return vector::ExtractStridedSliceOp::create(index.builder, index.loc, result, ArrayRef<int64_t>{0},
                                               ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
}

Value nstf::systolic::convertCodes(IndexBuilder &index, Value vector, Type type, Operation *op) {
  nstf::TargetView target = nstf::TargetView::lookup(op);
  return ::convertCodes(index, vector, type, /*hasInstruction=*/!target || target.fp8() == "fnuz");
}

/// Rounds f32 to `code`, four to a word; a last word of fewer codes is padded.
static Value roundToFloat8(IndexBuilder &index, Value vector, Type code) {
  int64_t count = typeOf(vector).getNumElements(), padded = llvm::alignTo(count, 4);
  if (padded != count)
    vector = insertRegisters(index, vector, zeroVector(index, VectorType::get(padded, index.builder.getF32Type())), 0);
  auto four = VectorType::get(4, code);
  Value result = zeroVector(index, VectorType::get(padded, code));
  for (int64_t first = 0; first < padded; first += 4) {
    Value word;
    for (int64_t half = 0; half < 2; ++half)
      word = amdgpu::PackedTrunc2xFp8Op::create(index.builder, index.loc, four,
                                                extractRegisters(index, vector, first + 2 * half, 1),
                                                extractRegisters(index, vector, first + 2 * half + 1, 1), half, word);
    result = insertRegisters(index, word, result, first);
  }
  if (padded == count)
    return result;
  return vector::ExtractStridedSliceOp::create(index.builder, index.loc, result, ArrayRef<int64_t>{0},
                                               ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
}

Value nstf::systolic::roundToCodes(IndexBuilder &index, Value vector, Type code) {
  OpBuilder &builder = index.builder;
  if (code.isInteger())
    return arith::FPToSIOp::create(builder, index.loc, typeOf(vector).clone(code),
                                   math::RoundEvenOp::create(builder, index.loc, vector));
  auto floats = VectorType::get(typeOf(vector).getShape(), builder.getF32Type());
  return roundToFloat8(
      index,
      floats == vector.getType() ? vector : arith::ExtFOp::create(builder, index.loc, floats, vector).getResult(),
      code);
}

namespace {

/// Lowers `arith.sitofp` of i8 and `arith.extf` of f8E4M3FNUZ; takes precedence over the pattern for elementwise ops.
template <typename Op> struct CodesPattern : OpConversionPattern<Op> {
  CodesPattern(TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto codes = dyn_cast<VectorType>(adaptor.getIn().getType());
    if (!codes || !isCode(codes.getElementType()))
      return failure();
    IndexBuilder index{rewriter, op.getLoc()};
    Type type = getElementTypeOrSelf(op.getOut().getType());
    rewriter.replaceOp(op, nstf::systolic::convertCodes(index, adaptor.getIn(), type, op));
    return success();
  }
};

/// Lowers `arith.truncf` to f8E4M3FNUZ.
struct RoundPattern : OpConversionPattern<arith::TruncFOp> {
  RoundPattern(TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto numbers = dyn_cast<VectorType>(adaptor.getIn().getType());
    Type code = getElementTypeOrSelf(op.getOut().getType());
    if (!numbers || !isCode(code))
      return failure();
    IndexBuilder index{rewriter, op.getLoc()};
    rewriter.replaceOp(op, roundToCodes(index, adaptor.getIn(), code));
    return success();
  }
};

} // namespace

void nstf::systolic::populateCodesLowering(TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<CodesPattern<arith::SIToFPOp>, CodesPattern<arith::ExtFOp>, RoundPattern>(converter,
                                                                                         patterns.getContext());
}
