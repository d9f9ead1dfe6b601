// Helpers of the patterns that lower tile ops (TileLowering.h).
#include "passes/systolic_to_gpu/TileLowering.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/systolic_to_gpu/LdsAccess.h"
#include "support/ControlBlock.h"
#include <numeric>

using namespace mlir;
using namespace nstf::systolic;

static MemRefType getMemory(ArrayRef<int64_t> shape, Type elementType, gpu::AddressSpace space) {
  return MemRefType::get(shape, elementType, MemRefLayoutAttrInterface(),
                         gpu::AddressSpaceAttr::get(elementType.getContext(), space));
}

MemRefType nstf::systolic::getLdsMemory(LdsType lds, int64_t buffers) {
  SmallVector<int64_t> shape = {buffers};
  if (isa<PackedAttr>(lds.getSwizzle()))
    shape.push_back(lds.getSizeInBytes() / lds.getBuffers() * 8 / lds.getElementType().getIntOrFloatBitWidth());
  else
    llvm::append_range(shape, lds.getShape());
  return getMemory(shape, lds.getElementType(), gpu::AddressSpace::Workgroup);
}

LdsBuffer KernelContext::getLdsBuffer(IndexBuilder &index, Value lds, Value converted, Value number) const {
  ArrayRef<int64_t> shape = cast<LdsType>(lds.getType()).getShape();
  auto staged = stagedArrays.find(lds);
  if (staged == stagedArrays.end())
    return {converted, number, shape};
  return {staged->second[*getConstantIntValue(number)], index.constant(0), shape};
}

TileTypeConverter::TileTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](RankedTensorType tile) -> std::optional<Type> {
    FragmentAttr layout = getFragment(tile);
    if (!layout)
      return std::nullopt;
    return VectorType::get(layout.getNumRegisters(), tile.getElementType());
  });
  addConversion([](LdsType lds) -> Type { return getLdsMemory(lds, lds.getBuffers()); });
  addConversion([](ControlType control) -> Type {
    return getMemory(sizeof(nstf::support::ControlBlock) / 4, IntegerType::get(control.getContext(), 32),
                     gpu::AddressSpace::Global);
  });
  addConversion([](MemRefType memory) -> std::optional<Type> {
    if (!getBufferAxes(memory))
      return std::nullopt;
    if (isa_and_nonnull<gpu::AddressSpaceAttr>(memory.getMemorySpace()))
      return memory;
    return getMemory(memory.getNumElements(), memory.getElementType(), gpu::AddressSpace::Global);
  });
  auto cast = [](OpBuilder &builder, Type type, ValueRange values, Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, values).getResult(0);
  };
  addSourceMaterialization(cast);
  addTargetMaterialization(cast);
}

// Index arithmetic

static std::optional<int64_t> getConstant(Value value) { return getConstantIntValue(value); }

Value IndexBuilder::constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

Value IndexBuilder::add(Value left, Value right) {
  auto a = getConstant(left), b = getConstant(right);
  if (a && b)
    return constant(*a + *b);
  if (a == 0)
    return right;
  if (b == 0)
    return left;
  return arith::AddIOp::create(builder, loc, left, right);
}

Value IndexBuilder::mul(Value left, int64_t right) {
  if (auto a = getConstant(left))
    return constant(*a * right);
  return right == 1 ? left : right == 0 ? constant(0) : arith::MulIOp::create(builder, loc, left, constant(right));
}

Value IndexBuilder::div(Value left, int64_t right) {
  return right == 1 ? left : arith::DivUIOp::create(builder, loc, left, constant(right));
}

Value IndexBuilder::rem(Value left, int64_t right) {
  return right == 1 ? constant(0) : arith::RemUIOp::create(builder, loc, left, constant(right));
}

Value IndexBuilder::lessThan(Value left, Value right) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, left, right);
}

Value IndexBuilder::both(Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(builder, loc, left, right);
}

Value IndexBuilder::toI32(Value index) { return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index); }

Value nstf::systolic::viewFrom(IndexBuilder &index, Value memory, Value begin, OpFoldResult size) {
  auto type = cast<MemRefType>(memory.getType());
  Builder &builder = index.builder;
  MemRefLayoutAttrInterface layout;
  if (begin)
    layout = StridedLayoutAttr::get(builder.getContext(), ShapedType::kDynamic, {1});
  SmallVector<Value> ignored;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(size, ignored, shape);
  auto viewed = MemRefType::get(shape, type.getElementType(), layout, type.getMemorySpace());
  return memref::ReinterpretCastOp::create(index.builder, index.loc, viewed, memory,
                                           /*offset=*/begin ? OpFoldResult(begin) : builder.getIndexAttr(0), size,
                                           /*strides=*/OpFoldResult(builder.getIndexAttr(1)));
}

// Lanes and registers

/// Calls `visit` with each wanted digit of `number` and the digit's value as an index.
static void forEachDigit(IndexBuilder &index, ArrayRef<Digit> digits, Value number, int64_t numbers,
                         function_ref<bool(const Digit &)> wanted, function_ref<void(const Digit &, Value)> visit) {
  int64_t place = 1;
  for (const Digit &digit : digits) {
    if (wanted(digit)) {
      Value value = index.div(number, place);
      // The last digit needs no remainder, because the number is in range.
      visit(digit, place * digit.count == numbers ? value : index.rem(value, digit.count));
    }
    place *= digit.count;
  }
}

SmallVector<Value> nstf::systolic::getLaneCoordinates(IndexBuilder &index, const KernelContext &kernel,
                                                      FragmentAttr layout, unsigned rank) {
  SmallVector<Value> coordinates(rank, index.constant(0));
  auto isReal = [](const Digit &digit) { return digit.dim >= 0; };
  auto move = [&](const Digit &digit, Value value) {
    coordinates[digit.dim] = index.add(coordinates[digit.dim], index.mul(value, digit.stride));
  };
  forEachDigit(index, layout.getLane(), kernel.lane, kernel.waveSize, isReal, move);
  forEachDigit(index, layout.getWave(), kernel.wave, kernel.array.getNumWaves(), isReal, move);
  return coordinates;
}

Value nstf::systolic::isFirstReplica(IndexBuilder &index, const KernelContext &kernel, FragmentAttr layout) {
  Value first;
  auto isReplica = [](const Digit &digit) { return digit.dim < 0; };
  auto compare = [&](const Digit &, Value value) {
    first = index.both(
        first, arith::CmpIOp::create(index.builder, index.loc, arith::CmpIPredicate::eq, value, index.constant(0)));
  };
  forEachDigit(index, layout.getLane(), kernel.lane, kernel.waveSize, isReplica, compare);
  forEachDigit(index, layout.getWave(), kernel.wave, kernel.array.getNumWaves(), isReplica, compare);
  return first;
}

Value nstf::systolic::extractRegisters(IndexBuilder &index, Value vector, int64_t first, int64_t count) {
  // Uses the producer's location: the canonicalizer may recreate the producer at the location of the extract.
  Location loc = vector.getDefiningOp() ? vector.getLoc() : index.loc;
  if (count == 1)
    return vector::ExtractOp::create(index.builder, loc, vector, first);
  if (count == cast<VectorType>(vector.getType()).getNumElements())
    return vector;
  return vector::ExtractStridedSliceOp::create(index.builder, loc, vector, ArrayRef<int64_t>{first},
                                               ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
}

Value nstf::systolic::insertRegisters(IndexBuilder &index, Value registers, Value vector, int64_t first) {
  if (!isa<VectorType>(registers.getType()))
    return vector::InsertOp::create(index.builder, index.loc, registers, vector, first);
  if (registers.getType() == vector.getType())
    return registers;
  return vector::InsertStridedSliceOp::create(index.builder, index.loc, registers, vector, ArrayRef<int64_t>{first},
                                              ArrayRef<int64_t>{1});
}

/// The length of the run of consecutive numbers at the front.
static size_t countNeighbours(ArrayRef<int64_t> numbers) {
  size_t count = 1;
  while (count < numbers.size() && numbers[count] == numbers[0] + int64_t(count))
    ++count;
  return count;
}

Value nstf::systolic::extractRegisters(IndexBuilder &index, Value vector, ArrayRef<int64_t> numbers) {
  if (countNeighbours(numbers) == numbers.size())
    return extractRegisters(index, vector, numbers.front(), numbers.size());
  return vector::ShuffleOp::create(index.builder, index.loc, vector, vector, numbers);
}

Value nstf::systolic::insertRegisters(IndexBuilder &index, Value registers, Value vector, ArrayRef<int64_t> numbers) {
  if (countNeighbours(numbers) == numbers.size())
    return insertRegisters(index, registers, vector, numbers.front());
  for (size_t first = 0; first < numbers.size();) {
    size_t count = countNeighbours(numbers.drop_front(first));
    vector = insertRegisters(index, extractRegisters(index, registers, first, count), vector, numbers[first]);
    first += count;
  }
  return vector;
}

Value nstf::systolic::zeroVector(IndexBuilder &index, VectorType type) {
  return arith::ConstantOp::create(index.builder, index.loc, cast<TypedAttr>(index.builder.getZeroAttr(type)));
}

std::map<SmallVector<int64_t>, int64_t> nstf::systolic::mapRegisters(FragmentAttr layout, unsigned rank) {
  std::map<SmallVector<int64_t>, int64_t> registers;
  for (int64_t i = 0; i < layout.getNumRegisters(); ++i)
    registers.insert({layout.getRegisterCoordinates(i, rank), i});
  return registers;
}

std::optional<SmallVector<int64_t>> nstf::systolic::findSlice(SliceOp slice) {
  FragmentAttr tile = getFragment(slice.getTile().getType()), part = getFragment(slice.getResult().getType());
  if (tile.getLane() != part.getLane() || tile.getWave() != part.getWave())
    return std::nullopt;
  auto registers = mapRegisters(tile, 2);
  SmallVector<int64_t> found;
  for (int64_t i = 0; i < part.getNumRegisters(); ++i) {
    SmallVector<int64_t> coordinates = part.getRegisterCoordinates(i, 2);
    for (size_t dim = 0; dim < 2; ++dim)
      coordinates[dim] += slice.getFrom()[dim];
    auto place = registers.find(coordinates);
    if (place == registers.end())
      return std::nullopt;
    found.push_back(place->second);
  }
  return found;
}

void nstf::systolic::makeLdsBarrier(IndexBuilder &index, const KernelContext &kernel) {
  if (kernel.crews == 1)
    amdgpu::LDSBarrierOp::create(index.builder, index.loc);
  else
    makeWaveFence(index);
}

void nstf::systolic::makeWaveFence(IndexBuilder &index) {
  LLVM::FenceOp::create(index.builder, index.loc, LLVM::AtomicOrdering::acq_rel, "wavefront");
}

void nstf::systolic::beginPart(IndexBuilder &index) {
  amdgpu::SchedBarrierOp::create(index.builder, index.loc, amdgpu::sched_barrier_opt_enum::none)
      ->setAttr(partAttributeName, index.builder.getUnitAttr());
}

Value nstf::systolic::viewScratch(IndexBuilder &index, const KernelContext &kernel, ArrayRef<int64_t> shape,
                                  Type elementType, Value start) {
  MemRefType type = getMemory(shape, elementType, gpu::AddressSpace::Workgroup);
  return memref::ViewOp::create(index.builder, index.loc, type, kernel.scratch, start ? start : kernel.scratchStart,
                                ValueRange());
}
