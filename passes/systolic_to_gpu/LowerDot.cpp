// Lowers sums of products on the vector units.
//
// For i8, one instruction computes four products and their sum in i32 (v_dot4_i32_i8).
//
// For f16, one instruction computes two products and their sum in f32 (v_dot2_f32_f16). Other floats are converted to
// f32, and two products are computed at once (v_pk_fma_f32): one sum for even columns, another for odd columns, added
// at the end.
//
// Codes of i8 times floats need no conversion. A byte b of i8 with its top bit flipped is the unsigned b + 128; with
// 0x64 as the high byte it is the f16 1152 + b. These numbers are multiplied, and the sum begins with -1152 times the
// sum of x, which all rows of w share. Both sums are rounded to f32 as they grow, with an error of up to 2^-24 of 1152
// times the sum of |x|. That is 2^-14 of a code; the rounding of a weight to its code had an error of up to one half.
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/systolic_to_gpu/Codes.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

struct DotPattern : TilePattern<DotOp> {
  using TilePattern::TilePattern;

  LogicalResult matchAndRewrite(DotOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    FragmentAttr sums = getFragment(op.getAcc().getType());
    auto columns = mapRegisters(getFragment(op.getX().getType()), 2);
    bool isBytes = getTileType(op.getW()).getElementType().isInteger(8) && !isWhole(adaptor.getX()),
         isEmpty = isZero(op.getAcc());
    int64_t length = op.getLength();
    std::map<int64_t, Value> corrections; // by the first register of x
    Value result = adaptor.getAcc();
    for (int64_t i = 0; i < sums.getNumRegisters(); ++i) {
      // The columns of a sum are consecutive registers of w and of x.
      int64_t first = columns.at({0, sums.getRegisterCoordinates(i, 2)[1] * length});
      Value w = extractRegisters(index, adaptor.getW(), i * length, length);
      Value x = extractRegisters(index, adaptor.getX(), first, length);
      Value acc = extractRegisters(index, adaptor.getAcc(), i, 1);
      if (isBytes) {
        Value &correction = corrections[first];
        if (!correction)
          correction =
              addProducts(op, index, makeSplat(index, x, isHalf(x) ? -raisedHalf : -raisedFloat), x, makeZero(index));
        acc = isEmpty ? correction : arith::AddFOp::create(rewriter, index.loc, acc, correction);
        w = raise(index, w, x);
      }
      Value sum = addProducts(op, index, w, x, acc);
      result = insertRegisters(index, sum, result, i);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static bool isZero(Value tile) { return matchPattern(tile, m_PosZeroFloat()); }
  static VectorType typeOf(Value vector) { return cast<VectorType>(vector.getType()); }
  static bool isWhole(Value vector) { return typeOf(vector).getElementType().isInteger(8); }
  static bool isHalf(Value vector) { return typeOf(vector).getElementType().isF16(); }
  static Value makeZero(IndexBuilder &index) {
    return arith::ConstantOp::create(index.builder, index.loc, index.builder.getF32FloatAttr(0));
  }
  static Value makeSplat(IndexBuilder &index, Value like, double value) {
    VectorType type = typeOf(like);
    Attribute element = FloatAttr::get(type.getElementType(), value);
    return arith::ConstantOp::create(index.builder, index.loc, DenseElementsAttr::get(type, element));
  }
  /// acc plus all products of w and x, which have the same type.
  static Value addProducts(DotOp op, IndexBuilder &index, Value w, Value x, Value acc) {
    int64_t length = typeOf(x).getNumElements();
    if (isWhole(x)) {
      auto words = VectorType::get(length / 4, index.builder.getI32Type());
      w = vector::BitCastOp::create(index.builder, index.loc, words, w);
      x = vector::BitCastOp::create(index.builder, index.loc, words, x);
      Value clamps = arith::ConstantOp::create(index.builder, index.loc, index.builder.getBoolAttr(false));
      for (int64_t i = 0; i < length / 4; ++i)
        acc = callIntrinsic(index, "llvm.amdgcn.sdot4", acc.getType(),
                            {extractRegisters(index, w, i, 1), extractRegisters(index, x, i, 1), acc, clamps});
      return acc;
    }
    if (isHalf(x) && length % 2 == 0) {
      Value clamps = arith::ConstantOp::create(index.builder, index.loc, index.builder.getBoolAttr(false));
      for (int64_t i = 0; i < length; i += 2)
        acc = callIntrinsic(index, "llvm.amdgcn.fdot2", acc.getType(),
                            {extractRegisters(index, w, i, 2), extractRegisters(index, x, i, 2), acc, clamps});
      return acc;
    }
    w = toFloats(op, index, w);
    x = toFloats(op, index, x);
    int64_t width = length % 2 == 0 ? 2 : 1;
    Value sums = insertRegisters(index, acc, zeroVector(index, VectorType::get(width, acc.getType())), 0);
    for (int64_t i = 0; i < length; i += width)
      sums = math::FmaOp::create(index.builder, index.loc, slice(index, w, i, width), slice(index, x, i, width), sums);
    Value sum = extractRegisters(index, sums, 0, 1);
    return width == 1 ? sum : arith::AddFOp::create(index.builder, index.loc, sum, extractRegisters(index, sums, 1, 1));
  }

  /// A slice, which is a vector even if it has one element.
  static Value slice(IndexBuilder &index, Value vector, int64_t first, int64_t count) {
    return vector::ExtractStridedSliceOp::create(index.builder, index.loc, vector, ArrayRef<int64_t>{first},
                                                 ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
  }

  static Value toFloats(DotOp op, IndexBuilder &index, Value vector) {
    auto type = VectorType::get(typeOf(vector).getShape(), index.builder.getF32Type());
    if (isa<Float8E4M3FNUZType>(typeOf(vector).getElementType()))
      return convertCodes(index, vector, type.getElementType(), op);
    return type == vector.getType() ? vector : arith::ExtFOp::create(index.builder, index.loc, type, vector);
  }

  /// Converts bytes of i8 to f16 if x is f16, else to f32. Each number is raised by `raisedHalf` or `raisedFloat`.
  static Value raise(IndexBuilder &index, Value bytes, Value x) {
    int64_t length = typeOf(bytes).getNumElements();
    Value words = vector::BitCastOp::create(index.builder, index.loc,
                                            VectorType::get(length / 4, index.builder.getI32Type()), bytes);
    Value result = zeroVector(index, isHalf(x) ? typeOf(x) : VectorType::get(length, index.builder.getF32Type()));
    for (int64_t word = 0; word < length / 4; ++word) {
      Value turned = arith::XOrIOp::create(index.builder, index.loc, extractRegisters(index, words, word, 1),
                                           makeWord(index, 0x80808080));
      Value four = isHalf(x) ? raiseToHalves(index, turned) : raiseToFloats(index, turned);
      result = insertRegisters(index, four, result, 4 * word);
    }
    return result;
  }
};

} // namespace

void nstf::systolic::populateDotLowering(const KernelContext &kernel, TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<DotPattern>(kernel, converter, patterns.getContext());
}
