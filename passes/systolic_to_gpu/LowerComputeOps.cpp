// Lowers matrix products, reductions, broadcasts and coordinates to vectors per lane.
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/systolic_to_gpu/TileLowering.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// Multiplies row by row of cells, so that a row's operand dies before the next one is needed. Within a row it goes
/// instruction by instruction along K, so that consecutive instructions write different accumulators and need not wait
/// for each other.
struct MmaPattern : TilePattern<MmaOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(MmaOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    SystolicArrayAttr array = kernel.array;
    RankedTensorType a = getTileType(op.getA()), b = getTileType(op.getB());
    int64_t perCell = array.getElementsPerLane(kernel.waveSize); // operand elements of a lane in a cell
    int64_t depth = array.getK() / array.getInstructionK();      // instructions of a cell
    int64_t perInstruction = perCell / depth;
    int64_t accumulators = array.getM() * array.getN() / kernel.waveSize; // of a lane in a cell
    int64_t cellsK = a.getDimSize(1) / array.getDepth();
    int64_t cellsM = a.getDimSize(0) / array.getWaveRows() / array.getM();
    int64_t cellsN = b.getDimSize(1) / array.getWaveCols() / array.getN();
    SmallVector<Value> cells;
    for (int64_t cell = 0; cell < cellsM * cellsN; ++cell)
      cells.push_back(extractRegisters(index, adaptor.getAcc(), cell * accumulators, accumulators));
    auto multiply = [&](int64_t i, int64_t j, int64_t k, int64_t step) {
      auto operand = [&](Value vector, int64_t cell) {
        return extractRegisters(index, vector, (cell * cellsK + k) * perCell + step * perInstruction, perInstruction);
      };
      Value &acc = cells[i * cellsN + j];
      Value left = operand(adaptor.getA(), i), right = operand(adaptor.getB(), j);
      if (array.getTransposed())
        std::swap(left, right);
      acc = amdgpu::MFMAOp::create(rewriter, op.getLoc(), acc.getType(), uint32_t(array.getM()), uint32_t(array.getN()),
                                   uint32_t(array.getInstructionK()), 1u, left, right, acc);
    };
    // A single column of cells is multiplied downward first.
    int64_t rowsAtOnce = cellsN == 1 ? cellsM : 1;
    for (int64_t k = 0; k < cellsK; ++k)
      for (int64_t first = 0; first < cellsM; first += rowsAtOnce)
        for (int64_t step = 0; step < depth; ++step)
          for (int64_t i = first; i < first + rowsAtOnce; ++i)
            for (int64_t j = 0; j < cellsN; ++j)
              multiply(i, j, k, step);
    Value result = adaptor.getAcc();
    for (auto [cell, acc] : llvm::enumerate(cells))
      result = insertRegisters(index, acc, result, cell * accumulators);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct BroadcastPattern : TilePattern<BroadcastOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    VectorType type = getVectorType(op.getResult());
    if (!getTileType(op.getSource())) {
      rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, type, adaptor.getSource());
      return success();
    }
    RankedTensorType tile = getTileType(op.getResult());
    bool each = op.getEach();
    auto registers = mapRegisters(getFragment(op.getSource().getType()), tile.getRank() - !each);
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      auto coordinates = getFragment(tile).getRegisterCoordinates(i, tile.getRank());
      if (each)
        coordinates[op.getDim()] /= op.getRepeats();
      else
        coordinates.erase(coordinates.begin() + op.getDim());
      order.push_back(registers.at(coordinates));
    }
    rewriter.replaceOpWithNewOp<vector::ShuffleOp>(op, adaptor.getSource(), adaptor.getSource(), order);
    return success();
  }
};

struct SlicePattern : TilePattern<SliceOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(SliceOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    Value result = zeroVector(index, getVectorType(op.getResult()));
    // Extracts whole runs of consecutive registers, since one instruction often loads a run. LLVM carries a run through
    // a loop as one vector, but would split a shuffle of several vectors into dwords.
    SmallVector<int64_t> registers = *findSlice(op);
    for (int64_t first = 0, end = 0, size = registers.size(); first < size; first = end) {
      do
        ++end;
      while (end < size && registers[end] == registers[end - 1] + 1);
      Value run = extractRegisters(index, adaptor.getTile(), registers[first], end - first);
      result = insertRegisters(index, run, result, first);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Rounds to bf16, for which no chip has an instruction, to nearest with ties away, for values that are not NaN: adds
/// half a unit and takes the upper half.
struct RoundPattern : OpConversionPattern<arith::TruncFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto from = dyn_cast<VectorType>(adaptor.getIn().getType());
    auto to = dyn_cast_or_null<VectorType>(getTypeConverter()->convertType(op.getType()));
    constexpr auto wanted = arith::FastMathFlags::nnan | arith::FastMathFlags::afn;
    if (!from || !to || !from.getElementType().isF32() || !to.getElementType().isBF16() ||
        !bitEnumContainsAll(op.getFastmath().value_or(arith::FastMathFlags::none), wanted))
      return failure();
    Location loc = op.getLoc();
    auto words = from.clone(rewriter.getI32Type()), halves = from.clone(rewriter.getI16Type());
    auto splat = [&](int32_t value) {
      return arith::ConstantOp::create(rewriter, loc, DenseElementsAttr::get(words, value));
    };
    Value bits = arith::BitcastOp::create(rewriter, loc, words, adaptor.getIn());
    bits = arith::AddIOp::create(rewriter, loc, bits, splat(0x8000));
    bits = arith::ShRUIOp::create(rewriter, loc, bits, splat(16));
    bits = arith::TruncIOp::create(rewriter, loc, halves, bits);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to, bits);
    return success();
  }
};

/// Unpacks codes by bit operations. An f16 with exponent 10 - n, whose mantissa holds the code q from bit n on, is the
/// number 2^(10 - n) + q. One word holds two such f16. For f32, one instruction converts a byte.
struct UnpackPattern : TilePattern<UnpackOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(UnpackOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    VectorType type = getVectorType(op.getResult());
    int64_t perWord = op.getCodesPerWord(), bits = op.getBits();
    Value result = zeroVector(index, type);
    // The codes of a word are consecutive registers, in the order of the words' registers (FragmentAttr::refine).
    for (int64_t word = 0; word < type.getNumElements() / perWord; ++word) {
      Value value = extractRegisters(index, adaptor.getWords(), word, 1);
      for (int64_t code = 0; code < perWord; code += 2) {
        int64_t first = UnpackOp::getFirstBit(bits, code);
        Value pair = type.getElementType().isF32()
                         ? toFloats(index, value, first, bits, op.getRaised())
                         : toHalves(index, value, first, bits, op.getRaised(), type.getElementType());
        result = insertRegisters(index, pair, result, word * perWord + code);
      }
    }
    rewriter.replaceOp(op, result);
    return success();
  }

  static int64_t getMantissaBits(Type type) { return type.isBF16() ? 7 : 10; }

  static Value constant(IndexBuilder &index, int64_t value) {
    return arith::ConstantOp::create(index.builder, index.loc, index.builder.getI32IntegerAttr(int32_t(value)));
  }
  /// A constant in a VGPR: v_and_or_b32 takes one scalar constant, and for two LLVM would emit two instructions. mbcnt
  /// of an empty mask adds 0 to it, which LLVM does not fold.
  static Value inVector(IndexBuilder &index, int64_t value) {
    return ROCDL::MbcntLoOp::create(index.builder, index.loc, index.builder.getI32Type(), constant(index, 0),
                                    constant(index, value), /*arg_attrs=*/{}, /*res_attrs=*/{});
  }
  static Value shiftAndMask(IndexBuilder &index, Value word, int64_t shift, int64_t mask) {
    if (shift != 0)
      word = arith::ShRUIOp::create(index.builder, index.loc, word, constant(index, shift));
    return arith::AndIOp::create(index.builder, index.loc, word, constant(index, mask));
  }

  /// Converts the codes at bit `first` of both halves to a 16-bit type.
  static Value toHalves(IndexBuilder &index, Value word, int64_t first, int64_t bits, bool raised, Type element) {
    // A raised code goes where its lowest bit is worth 1 relative to the offset. Otherwise codes that lie inside the
    // mantissa stay where they are, and higher ones are shifted by 8, one shift for all of them.
    int64_t mantissaBits = getMantissaBits(element), bias = element.isBF16() ? 127 : 15;
    int64_t bitOfRaised = mantissaBits - llvm::Log2_64(UnpackOp::getRaise(element));
    int64_t bit = raised ? bitOfRaised : first + bits <= mantissaBits ? first : first - 8;
    int64_t mask = ((1 << bits) - 1) << bit, exponent = (bias + mantissaBits - bit) << mantissaBits;
    if (bit > first)
      word = arith::ShLIOp::create(index.builder, index.loc, word, constant(index, bit - first));
    Value pair = shiftAndMask(index, word, std::max<int64_t>(first - bit, 0), mask << 16 | mask);
    pair = arith::OrIOp::create(index.builder, index.loc, pair, inVector(index, exponent << 16 | exponent));
    auto type = VectorType::get(2, element);
    pair = vector::BroadcastOp::create(index.builder, index.loc, VectorType::get(1, pair.getType()), pair);
    pair = vector::BitCastOp::create(index.builder, index.loc, type, pair);
    if (raised)
      return pair;
    return add(index, pair, -(1 << (mantissaBits - bit)));
  }

  static Value add(IndexBuilder &index, Value pair, double number) {
    auto type = cast<VectorType>(pair.getType());
    Attribute element = FloatAttr::get(type.getElementType(), number);
    Value splat = arith::ConstantOp::create(index.builder, index.loc, DenseElementsAttr::get(type, element));
    return arith::AddFOp::create(index.builder, index.loc, pair, splat);
  }

  static Value toFloats(IndexBuilder &index, Value word, int64_t first, int64_t bits, bool raised) {
    auto type = VectorType::get(2, index.builder.getF32Type());
    Value pair = zeroVector(index, type), mask = constant(index, ((1 << bits) - 1) * 0x01010101);
    // All codes at this position of a byte share the shift and the mask.
    Value bytes = word;
    if (first % 8 != 0)
      bytes = arith::ShRUIOp::create(index.builder, index.loc, bytes, constant(index, first % 8));
    bytes = arith::AndIOp::create(index.builder, index.loc, bytes, mask);
    for (int64_t half = 0; half < 2; ++half) {
      Value byte = shiftAndMask(index, bytes, 16 * half + first / 8 * 8, 0xff);
      Value number = arith::UIToFPOp::create(index.builder, index.loc, type.getElementType(), byte);
      pair = insertRegisters(index, number, pair, half);
    }
    return raised ? add(index, pair, UnpackOp::getRaise(type.getElementType())) : pair;
  }
};

struct IotaPattern : TilePattern<IotaOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(IotaOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    VectorType type = getVectorType(op.getResult());
    FragmentAttr layout = getFragment(op.getResult().getType());
    unsigned rank = getTileType(op.getResult()).getRank();
    SmallVector<int32_t> offsets;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      offsets.push_back(layout.getRegisterCoordinates(i, rank)[op.getDim()]);
    Value start = index.toI32(getLaneCoordinates(index, kernel, layout, rank)[op.getDim()]);
    Value constants = arith::ConstantOp::create(rewriter, op.getLoc(), DenseElementsAttr::get(type, ArrayRef(offsets)));
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, vector::BroadcastOp::create(rewriter, op.getLoc(), type, start),
                                               constants);
    return success();
  }
};

Value combine(IndexBuilder &index, ReduceKind kind, Value left, Value right) {
  OpBuilder &builder = index.builder;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(left.getType()));
  switch (kind) {
  case ReduceKind::add:
    return isFloat ? Value(arith::AddFOp::create(builder, index.loc, left, right))
                   : Value(arith::AddIOp::create(builder, index.loc, left, right));
  case ReduceKind::max:
    return isFloat ? Value(arith::MaxNumFOp::create(builder, index.loc, left, right))
                   : Value(arith::MaxSIOp::create(builder, index.loc, left, right));
  case ReduceKind::min:
    return isFloat ? Value(arith::MinNumFOp::create(builder, index.loc, left, right))
                   : Value(arith::MinSIOp::create(builder, index.loc, left, right));
  case ReduceKind::maximum:
    return isFloat ? Value(arith::MaximumFOp::create(builder, index.loc, left, right))
                   : Value(arith::MaxSIOp::create(builder, index.loc, left, right));
  case ReduceKind::minimum:
    return isFloat ? Value(arith::MinimumFOp::create(builder, index.loc, left, right))
                   : Value(arith::MinSIOp::create(builder, index.loc, left, right));
  }
  llvm_unreachable("all kinds are listed");
}

/// Reduces registers first, then lanes as a butterfly, then waves through scratch, always in the same order.
struct ReducePattern : TilePattern<ReduceOp> {
  using TilePattern::TilePattern;

  LogicalResult matchAndRewrite(ReduceOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    FragmentAttr from = getFragment(op.getTile().getType()), to = getFragment(op.getResult().getType());
    unsigned rank = getTileType(op.getTile()).getRank();
    // The registers of the result by the other coordinates. A lane that holds several parts has several of them, which
    // are filled in turn.
    std::map<SmallVector<int64_t>, SmallVector<int64_t>> registers;
    std::map<SmallVector<int64_t>, int64_t> taken;
    for (auto [coordinates, i] : mapRegisters(to, getTileType(op.getResult()).getRank())) {
      SmallVector<int64_t> others = coordinates;
      if (op.getParts())
        others.erase(others.begin() + op.getDim());
      registers[others].push_back(i);
    }
    SmallVector<Value> values(to.getNumRegisters());
    for (int64_t i = 0; i < from.getNumRegisters(); ++i) {
      auto coordinates = from.getRegisterCoordinates(i, rank);
      coordinates.erase(coordinates.begin() + op.getDim());
      ArrayRef<int64_t> parts = registers.at(coordinates);
      Value &value = values[parts[taken[coordinates]++ % parts.size()]];
      Value element = extractRegisters(index, adaptor.getTile(), i, 1);
      value = value ? combine(index, op.getKind(), value, element) : element;
    }
    if (!op.getParts()) {
      reduceLanes(index, op, from, values);
      reduceWaves(index, op, from, values);
    }
    VectorType type = getVectorType(op.getResult());
    Value result = zeroVector(index, type);
    for (auto [i, value] : llvm::enumerate(values))
      result = insertRegisters(index, value, result, i);
    rewriter.replaceOp(op, result);
    return success();
  }

  /// The value of the lane whose number differs in bit `distance`.
  static Value exchange(IndexBuilder &index, Value value, int64_t distance, int64_t waveSize) {
    if (distance < 32 && value.getType().getIntOrFloatBitWidth() == 32)
      return amdgpu::SwizzleBitModeOp::create(index.builder, index.loc, value.getType(), value, /*and_mask=*/31u,
                                              /*or_mask=*/0u, /*xor_mask=*/uint32_t(distance));
    return gpu::ShuffleOp::create(index.builder, index.loc, value, distance, waveSize, gpu::ShuffleMode::XOR)
        .getShuffleResult();
  }

  void reduceLanes(IndexBuilder &index, ReduceOp op, FragmentAttr layout, SmallVectorImpl<Value> &values) const {
    int64_t place = 1;
    for (const Digit &digit : layout.getLane()) {
      if (digit.dim == int64_t(op.getDim()))
        for (int64_t step = 1; step < digit.count; step *= 2)
          for (Value &value : values)
            value = combine(index, op.getKind(), value, exchange(index, value, place * step, kernel.waveSize));
      place *= digit.count;
    }
  }

  /// Each wave writes its values to scratch, then reads those of the waves that it combines with.
  void reduceWaves(IndexBuilder &index, ReduceOp op, FragmentAttr layout, SmallVectorImpl<Value> &values) const {
    int64_t place = 1, waves = 1;
    for (const Digit &digit : layout.getWave())
      waves *= digit.count;
    for (const Digit &digit : layout.getWave()) {
      if (digit.dim == int64_t(op.getDim())) {
        int64_t count = values.size();
        Value memory = viewScratch(index, kernel, {waves, count, kernel.waveSize}, values.front().getType());
        Value own = index.rem(index.div(kernel.wave, place), digit.count);
        Value first = arith::SubIOp::create(index.builder, index.loc, kernel.wave, index.mul(own, place));
        amdgpu::LDSBarrierOp::create(index.builder, index.loc);
        for (int64_t i = 0; i < count; ++i)
          memref::StoreOp::create(index.builder, index.loc, values[i], memory,
                                  ValueRange{kernel.wave, index.constant(i), kernel.lane});
        amdgpu::LDSBarrierOp::create(index.builder, index.loc);
        for (int64_t i = 0; i < count; ++i) {
          Value sum;
          for (int64_t other = 0; other < digit.count; ++other) {
            Value value =
                memref::LoadOp::create(index.builder, index.loc, memory,
                                       ValueRange{index.add(first, other * place), index.constant(i), kernel.lane});
            sum = sum ? combine(index, op.getKind(), sum, value) : value;
          }
          values[i] = sum;
        }
      }
      place *= digit.count;
    }
  }
};

/// Each wave writes its part to scratch in register order, and reads from every part the registers that it sums.
/// Elements stay in their lane, and every access has the max width.
struct SumPartsPattern : TilePattern<SumPartsOp> {
  using TilePattern::TilePattern;

  LogicalResult matchAndRewrite(SumPartsOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    VectorType type = getVectorType(op.getResult());
    int64_t parts = kernel.array.getParts(), waves = kernel.array.getNumWaves() / parts;
    int64_t registers = getVectorType(op.getTile()).getNumElements(), own = type.getNumElements();
    int64_t accesses = registers / registersOfAccess, ownAccesses = own / registersOfAccess;
    auto access = VectorType::get(registersOfAccess, type.getElementType());
    Value memory =
        viewScratch(index, kernel, {parts, waves, accesses, kernel.waveSize, registersOfAccess}, type.getElementType());
    Value part = index.div(kernel.wave, waves), wave = index.rem(kernel.wave, waves);
    auto getPlace = [&](Value part, Value number) {
      return SmallVector<Value>{part, wave, number, kernel.lane, index.constant(0)};
    };
    amdgpu::LDSBarrierOp::create(rewriter, op.getLoc());
    for (int64_t i = 0; i < accesses; ++i) {
      Value some = extractRegisters(index, adaptor.getTile(), i * registersOfAccess, registersOfAccess);
      vector::StoreOp::create(rewriter, op.getLoc(), some, memory, getPlace(part, index.constant(i)))
          ->setAttr("alignment", getAlignment(rewriter));
    }
    amdgpu::LDSBarrierOp::create(rewriter, op.getLoc());
    int64_t shares = registers / own;
    Value first = index.mul(index.rem(part, shares), ownAccesses), result = zeroVector(index, type);
    // Only the first waves sum; the others would repeat the same sums.
    scf::IfOp branch;
    if (shares < parts) {
      Value adds =
          arith::CmpIOp::create(rewriter, op.getLoc(), arith::CmpIPredicate::ult, part, index.constant(shares));
      branch = scf::IfOp::create(rewriter, op.getLoc(), type, adds, /*withElseRegion=*/true);
      rewriter.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(rewriter, op.getLoc(), result);
      rewriter.setInsertionPointToStart(branch.thenBlock());
    }
    for (int64_t i = 0; i < ownAccesses; ++i) {
      Value sum;
      for (int64_t other = 0; other < parts; ++other) {
        auto some = vector::LoadOp::create(rewriter, op.getLoc(), access, memory,
                                           getPlace(index.constant(other), index.add(first, i)));
        some->setAttr("alignment", getAlignment(rewriter));
        sum = sum ? combine(index, ReduceKind::add, sum, some) : some.getResult();
      }
      result = insertRegisters(index, sum, result, i * registersOfAccess);
    }
    if (branch) {
      scf::YieldOp::create(rewriter, op.getLoc(), result);
      result = branch.getResult(0);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

  static IntegerAttr getAlignment(Builder &builder) { return builder.getI64IntegerAttr(4 * registersOfAccess); }
};

} // namespace

void nstf::systolic::populateComputeLowering(const KernelContext &kernel, TypeConverter &converter,
                                             RewritePatternSet &patterns) {
  patterns.add<MmaPattern, BroadcastPattern, SlicePattern, UnpackPattern, IotaPattern, ReducePattern, SumPartsPattern>(
      kernel, converter, patterns.getContext());
  patterns.add<RoundPattern>(converter, patterns.getContext(), /*benefit=*/2);
}
