// Where the elements of a tile stand in memory.
//
// Buffers are rank-1 here, so that an access is base + constant: the constants end up in the instructions' offset
// field. Of a load's address, what all lanes share goes into the scalar offset. In a loop that is what changes from
// round to round, one number for all loads that advance alike; the rest, a register for each instruction, is computed
// before the loop. An element outside gets the index one past the end, which the hardware's range check reads as 0 and
// drops on writing (amdgpu raw buffer accesses; CDNA3 ISA manual, buffer addressing). Where a buffer ends with the
// launch's tokens, that index still is the one past its type's end.
//
// The check takes each dword for itself, so that none may be half outside: an access that its row's begin or end cuts
// is loaded from where it is whole, and its elements are moved in their registers; and it is stored in pieces.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/systolic_to_gpu/Places.h"

namespace nstf::systolic {

/// Where an access goes, in elements: the sum of the three.
struct BufferAddress {
  mlir::Value lanes;  ///< i32
  mlir::Value shared; ///< by all lanes, i32, or null
  int64_t constant;   ///< fits the offset field of the instruction
};

/// One load's or store's addresses.
class BufferAccess {
public:
  struct Description {
    mlir::MemRefType buffer; ///< with its axes, before conversion
    PackedAttr packing;      ///< how it lies; null: row by row
    int64_t perToken;        ///< elements for each token where the buffer ends with the launch's, else 0
    mlir::RankedTensorType tile;
    mlir::ValueRange indices, limits; ///< of the buffer's dimensions
    llvm::SmallVector<KnownIndex> known, knownLimits;
    mlir::Value rows, cols; ///< converted index tiles, or null
    FragmentAttr rowsLayout, colsLayout;
    bool transposed = false;
    mlir::Value condition; ///< further condition for every element, or null
    mlir::Value when;      ///< the same, alike in all lanes
  };

  BufferAccess(IndexBuilder &index, const KernelContext &kernel, Description access);

  /// Elements that one store moves.
  int64_t getWidth() const { return row.width; }
  /// What each load gives.
  const AccessRegisters &getLoads() const { return loads; }
  /// Of a load whose first register is `number`.
  BufferAddress getAddress(int64_t number);
  /// What it loaded, each element in its place.
  mlir::Value moveCut(mlir::Value loaded, int64_t number);

  /// The index that a store from register `number` on goes to: past the end where its elements are outside, or cut.
  mlir::Value getIndex(int64_t number) { return getIndex(number, row.cut.has_value()); }

  /// An access that is cut stores pieces of powers of two: `count` elements from its element `offset` on.
  struct Piece {
    int64_t offset, count;
  };
  bool isCut() const { return row.cut.has_value(); }
  llvm::SmallVector<Piece> getPieces() const;
  mlir::Value getIndexOfCut(int64_t number, int64_t offset);
  /// Whether the tile has any; alike in all lanes.
  mlir::Value reachesCut();

private:
  RowAccess getRowAccess() const;
  AccessRegisters getLoadRegisters() const;
  llvm::SmallVector<int64_t> getOffsets(int64_t number);
  llvm::SmallVector<mlir::Value> getCoordinates(llvm::ArrayRef<int64_t> offsets);
  mlir::Value isAtCut(mlir::Value column);
  mlir::Value getIndex(int64_t number, bool dropsCut);
  bool addsUp() const;
  int64_t getConstant(llvm::SmallVector<int64_t> offsets) const;
  int64_t countAddresses();
  mlir::scf::ForOp getLoop();
  mlir::Value orPastEnd(mlir::Value linear, llvm::ArrayRef<mlir::Value> coordinates, mlir::Value condition);
  mlir::Value orNowhere(mlir::Value part);
  bool isGathered(unsigned dim) const { return (access.cols && dim == rank - 1) || (access.rows && dim == 0); }
  mlir::Value getLanePart(unsigned dim, int64_t offset, bool withOffset);
  mlir::Value getBound(unsigned dim);
  bool isFullBound(unsigned dim) const;

  IndexBuilder &index;
  Description access;
  unsigned rank;
  FragmentAttr layout;
  Places places;
  RowAccess row;
  AccessRegisters loads;
  llvm::SmallVector<mlir::Value> start;
  std::map<llvm::SmallVector<int64_t>, int64_t> rowRegisters, colRegisters;
};

} // namespace nstf::systolic
