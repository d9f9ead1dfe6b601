// What the patterns that lower tile ops share: the kernel around them, lane coordinates, registers of a vector.
#pragma once

#include "dialects/systolic/Layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/systolic/RowAccess.h"
#include "llvm/ADT/MapVector.h"

namespace nstf::systolic {

/// What a workgroup has of a buffer that ends with the launch's tokens, or of which each request has its own.
struct OwnMemory {
  mlir::Value memory;   ///< null where the buffer is one for all and ends with its type
  mlir::Value begin;    ///< the first element of it, an index; null: the buffer's
  int64_t perToken = 0; ///< elements for each token where it ends with them, else 0
};

struct IndexBuilder;

/// One buffer of an LDS array: number `number` of `memory`, which has as many of `shape`.
struct LdsBuffer {
  mlir::Value memory, number;
  llvm::ArrayRef<int64_t> shape;
};

/// The kernel being lowered. `lane`, `wave` (of its crew) and `crew` are index values made once at its entry; `scratch`
/// is the i8 LDS array that ops share, null where no op needs one, `scratchStart` where the crew's own part of it
/// begins.
struct KernelContext {
  SystolicArrayAttr array;
  int64_t waveSize = 0, crews = 1;
  mlir::Value lane, wave, crew, scratch, scratchStart;
  mlir::Value controlStart; ///< where the request's control block begins, in numbers; null: the step's is read
  llvm::MapVector<mlir::Value, OwnMemory> ownMemory; ///< by the tile program's buffer
  llvm::DenseMap<mlir::Value, PackedAttr> packings;  ///< of buffers that do not lie row by row
  /// The memory of each buffer of an array that is staged, by the tile program's array. Each has one of its own: only
  /// so the back end knows which accesses a stage under way has to do with, and waits for no other.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> stagedArrays;
  llvm::DenseMap<mlir::Value, mlir::Value> ldsBytes; ///< i8 arrays, by the tile program's array, where it has views
  /// What is known of each index and limit of loads and stores, found while loops still stand as they were.
  llvm::DenseMap<mlir::Value, KnownIndex> indices;

  /// Buffer `number` of the tile program's array `lds`, which was converted to `converted`.
  LdsBuffer getLdsBuffer(IndexBuilder &index, mlir::Value lds, mlir::Value converted, mlir::Value number) const;

  /// Where accesses to `buffer` go, which was converted to `converted`.
  mlir::Value getMemory(mlir::Value buffer, mlir::Value converted) const {
    mlir::Value memory = ownMemory.lookup(buffer).memory;
    return memory ? memory : converted;
  }
};

/// Buffers x shape in workgroup memory, or buffers x elements where the array is packed.
mlir::MemRefType getLdsMemory(LdsType lds, int64_t buffers);

/// Types below the tile level: a tile is a flat vector of its registers, a buffer a rank-1 memref in global memory, an
/// LDS array its memory.
struct TileTypeConverter : mlir::TypeConverter {
  TileTypeConverter();
};

/// Index arithmetic that folds what is constant.
struct IndexBuilder {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value left, mlir::Value right);
  mlir::Value add(mlir::Value left, int64_t right) { return right == 0 ? left : add(left, constant(right)); }
  mlir::Value mul(mlir::Value left, int64_t right);
  mlir::Value div(mlir::Value left, int64_t right);
  mlir::Value rem(mlir::Value left, int64_t right);
  mlir::Value lessThan(mlir::Value left, mlir::Value right);
  /// Conjunction; a null value counts as true.
  mlir::Value both(mlir::Value left, mlir::Value right);
  mlir::Value toI32(mlir::Value index);
};

/// `size` elements of `memory`'s base, a memref of rank 1, from element `begin` on, or from its first where that is
/// null.
mlir::Value viewFrom(IndexBuilder &index, mlir::Value memory, mlir::Value begin, mlir::OpFoldResult size);

/// Fills in `ownMemory` and `controlStart` of the kernel, from the control block. Of buffers that end with the launch's
/// tokens, the size: what lies behind is out of range, so that a launch needs no room for more rows than it has; more
/// tokens than there can be count as the most. Where the launch is of several requests, the part that is `request`'s,
/// the number of the one that the workgroup serves, which is null otherwise; of buffers in `bySlot` that of its slot.
void placeOwnMemory(IndexBuilder &index, KernelContext &context, mlir::Value control, mlir::Value request,
                    const llvm::DenseSet<mlir::Value> &bySlot);

/// The part of each coordinate that the lane and the wave decide.
llvm::SmallVector<mlir::Value> getLaneCoordinates(IndexBuilder &index, const KernelContext &kernel, FragmentAttr layout,
                                                  unsigned rank);

/// True on one of the lanes that hold the same elements; null where nothing is replicated.
mlir::Value isFirstReplica(IndexBuilder &index, const KernelContext &kernel, FragmentAttr layout);

/// `count` registers of `vector` from `first`: a scalar where count is 1.
mlir::Value extractRegisters(IndexBuilder &index, mlir::Value vector, int64_t first, int64_t count);
mlir::Value insertRegisters(IndexBuilder &index, mlir::Value registers, mlir::Value vector, int64_t first);
/// The same of registers wherever they are, in this order.
mlir::Value extractRegisters(IndexBuilder &index, mlir::Value vector, llvm::ArrayRef<int64_t> numbers);
mlir::Value insertRegisters(IndexBuilder &index, mlir::Value registers, mlir::Value vector,
                            llvm::ArrayRef<int64_t> numbers);
mlir::Value zeroVector(IndexBuilder &index, mlir::VectorType type);

/// Which register holds a coordinate (of those the registers decide).
std::map<llvm::SmallVector<int64_t>, int64_t> mapRegisters(FragmentAttr layout, unsigned rank);

/// The register of the tile that each of the slice's is; nothing where other lanes hold some of it.
std::optional<llvm::SmallVector<int64_t>> findSlice(SliceOp slice);

/// Between the accesses to LDS of one wave, which are served in order: only the compiler must not exchange them.
void makeWaveFence(IndexBuilder &index);

/// What the waves of a crew wrote to LDS is there for all of them after, and what they read is read. One of
/// several crews is one wave, and the others are elsewhere.
void makeLdsBarrier(IndexBuilder &index, const KernelContext &kernel);

/// A part of a tile goes through LDS to other lanes from here on: systolic-to-gpu-issue-stores puts stores in front.
void beginPart(IndexBuilder &index);

/// The scratch from `start` on, the crew's own without it, seen as `shape` x `elementType`.
mlir::Value viewScratch(IndexBuilder &index, const KernelContext &kernel, llvm::ArrayRef<int64_t> shape,
                        mlir::Type elementType, mlir::Value start = {});

/// Whether the kernel is what lowering takes for granted: instantiated, slots inlined, every tile with a layout that
/// goes with its neighbours', scratch allocated, buffers within reach of 32-bit offsets. Else an error says what is
/// not.
mlir::LogicalResult checkTileProgram(KernelOp kernel);

/// A pattern that knows its kernel.
template <typename Op> struct TilePattern : mlir::OpConversionPattern<Op> {
  TilePattern(const KernelContext &kernel, mlir::TypeConverter &converter, mlir::MLIRContext *context,
              mlir::PatternBenefit benefit = 1)
      : mlir::OpConversionPattern<Op>(converter, context, benefit), kernel(kernel) {}

  mlir::VectorType getVectorType(mlir::Value tile) const {
    return mlir::cast<mlir::VectorType>(this->getTypeConverter()->convertType(tile.getType()));
  }

  const KernelContext &kernel;
};

void populateOrderLowering(const KernelContext &kernel, mlir::TypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
void populateDeviceLowering(const KernelContext &kernel, mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateMemoryLowering(const KernelContext &kernel, mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
void populateLdsLowering(const KernelContext &kernel, mlir::TypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
void populateStageLowering(const KernelContext &kernel, mlir::TypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
void populateComputeLowering(const KernelContext &kernel, mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

void populateCodesLowering(mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateDotLowering(const KernelContext &kernel, mlir::TypeConverter &converter,
                         mlir::RewritePatternSet &patterns);

} // namespace nstf::systolic
