// Shared state and helpers of the patterns that lower tile ops: the kernel, lane coordinates, registers of a vector.
#pragma once

#include "dialects/systolic/Layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/systolic/RowAccess.h"
#include "llvm/ADT/MapVector.h"

namespace nstf::systolic {

/// A workgroup's part of a buffer whose size depends on the launch's tokens, or of which each request has its own copy.
struct OwnMemory {
  mlir::Value memory;   ///< null if the buffer is shared by all and its type gives its size
  mlir::Value begin;    ///< index of its first element; null: the buffer's first
  int64_t perToken = 0; ///< elements for each token if its size depends on the tokens, else 0
};

struct IndexBuilder;

/// One buffer of an LDS array: buffer `number` of `memory`, which holds several of `shape`.
struct LdsBuffer {
  mlir::Value memory, number;
  llvm::ArrayRef<int64_t> shape;
};

/// The kernel being lowered. `lane`, `wave` (within its crew) and `crew` are index values computed once at the kernel's
/// entry. `scratch` is the i8 LDS array that ops share, null if no op needs one; `scratchStart` is the start of the
/// crew's own part of it.
struct KernelContext {
  SystolicArrayAttr array;
  int64_t waveSize = 0, crews = 1;
  mlir::Value lane, wave, crew, scratch, scratchStart;
  mlir::Value controlStart; ///< start of the request's control block, in i32 elements; null: the step's is read
  llvm::MapVector<mlir::Value, OwnMemory> ownMemory; ///< by the tile program's buffer
  llvm::DenseMap<mlir::Value, PackedAttr> packings;  ///< of buffers that are not stored row by row
  /// The memory of each buffer of a staged array, by the tile program's array. Each buffer has memory of its own. Only
  /// then can the back end tell which accesses depend on a stage in flight, and wait for no other stage.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> stagedArrays;
  llvm::DenseMap<mlir::Value, mlir::Value> ldsBytes; ///< i8 arrays, by the tile program's array, if it has views
  /// Static facts about each index and limit of loads and stores, computed while loops are still in their original
  /// form.
  llvm::DenseMap<mlir::Value, KnownIndex> indices;

  /// Buffer `number` of the tile program's array `lds`; `converted` is the lowered array.
  LdsBuffer getLdsBuffer(IndexBuilder &index, mlir::Value lds, mlir::Value converted, mlir::Value number) const;

  /// The memory that accesses to `buffer` use; `converted` is the lowered buffer.
  mlir::Value getMemory(mlir::Value buffer, mlir::Value converted) const {
    mlir::Value memory = ownMemory.lookup(buffer).memory;
    return memory ? memory : converted;
  }
};

/// The memory of an LDS array in workgroup memory: buffers x shape, or buffers x elements if the array is packed.
mlir::MemRefType getLdsMemory(LdsType lds, int64_t buffers);

/// Types below the tile level: a tile becomes a flat vector of its registers, a buffer a rank-1 memref in global
/// memory, an LDS array its memory.
struct TileTypeConverter : mlir::TypeConverter {
  TileTypeConverter();
};

/// Index arithmetic that folds constants.
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

/// A view of `size` elements of `memory`'s base, a memref of rank 1, from element `begin` on; a null `begin` is the
/// first element.
mlir::Value viewFrom(IndexBuilder &index, mlir::Value memory, mlir::Value begin, mlir::OpFoldResult size);

/// Fills in `ownMemory` and `controlStart` of the kernel, from the control block. A buffer whose size depends on the
/// launch's tokens gets this size. Elements past its end are out of range, so a launch needs no memory for more rows
/// than it has; a number of tokens above the maximum counts as the maximum. In a launch of several requests, `request`
/// is the number of the request that the workgroup serves, and buffers begin at its part, those in `bySlot` at the part
/// of its slot; otherwise `request` is null.
void placeOwnMemory(IndexBuilder &index, KernelContext &context, mlir::Value control, mlir::Value request,
                    const llvm::DenseSet<mlir::Value> &bySlot);

/// The part of each coordinate that depends on the lane and the wave.
llvm::SmallVector<mlir::Value> getLaneCoordinates(IndexBuilder &index, const KernelContext &kernel, FragmentAttr layout,
                                                  unsigned rank);

/// A condition that is true in one of the lanes that hold the same elements; null if no element is replicated.
mlir::Value isFirstReplica(IndexBuilder &index, const KernelContext &kernel, FragmentAttr layout);

/// `count` registers of `vector` from `first` on: a scalar if `count` is 1.
mlir::Value extractRegisters(IndexBuilder &index, mlir::Value vector, int64_t first, int64_t count);
mlir::Value insertRegisters(IndexBuilder &index, mlir::Value registers, mlir::Value vector, int64_t first);
/// The same for any registers, in this order.
mlir::Value extractRegisters(IndexBuilder &index, mlir::Value vector, llvm::ArrayRef<int64_t> numbers);
mlir::Value insertRegisters(IndexBuilder &index, mlir::Value registers, mlir::Value vector,
                            llvm::ArrayRef<int64_t> numbers);
mlir::Value zeroVector(IndexBuilder &index, mlir::VectorType type);

/// The register of each coordinate, of the part of coordinates that depends on the register.
std::map<llvm::SmallVector<int64_t>, int64_t> mapRegisters(FragmentAttr layout, unsigned rank);

/// The register of the tile for each register of the slice; nullopt if other lanes hold some of the slice.
std::optional<llvm::SmallVector<int64_t>> findSlice(SliceOp slice);

/// Keeps the compiler from reordering LDS accesses of one wave; the hardware serves them in order.
void makeWaveFence(IndexBuilder &index);

/// After it, LDS writes of the crew's waves are visible to all of them, and their LDS reads have completed. If there
/// are several crews, each is one wave, and needs no barrier with the others.
void makeLdsBarrier(IndexBuilder &index, const KernelContext &kernel);

/// Marks the start of a part of a tile that goes through LDS to other lanes; systolic-to-gpu-issue-stores places stores
/// before it.
void beginPart(IndexBuilder &index);

/// The scratch from `start` on (by default the start of the crew's part), viewed as `shape` x `elementType`.
mlir::Value viewScratch(IndexBuilder &index, const KernelContext &kernel, llvm::ArrayRef<int64_t> shape,
                        mlir::Type elementType, mlir::Value start = {});

/// Checks the assumptions of lowering: instantiated, slots inlined, each tile with a layout that is consistent with
/// those of its operands and users, scratch allocated, buffers within reach of 32-bit offsets. Otherwise emits an error
/// that names the violated one.
mlir::LogicalResult checkTileProgram(KernelOp kernel);

/// A conversion pattern with access to the kernel's context.
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
