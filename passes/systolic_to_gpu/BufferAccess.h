// The memory addresses of the elements of a tile.
//
// Buffers have rank 1 at this level, so that an address is base + constant, and the constants are folded into the
// instructions' offset fields. The part of a load's address that is the same in all lanes goes into the scalar offset.
// In a loop this part is what changes from round to round, one value for all loads that advance alike; the rest, a
// register for each instruction, is computed before the loop. An element out of bounds gets the index one past the end
// of the buffer, for which the hardware's range check makes loads return 0 and drops stores (amdgpu raw buffer
// accesses; CDNA3 ISA manual, buffer addressing). If the buffer's size depends on the launch's tokens, this index is
// still the one past the end of its type.
//
// The range check works on whole dwords, so no dword may be partly out of bounds. An access that the start or the end
// of its row cuts is therefore loaded from a position where it is whole, and its elements are moved in their registers;
// it is stored in pieces.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/systolic_to_gpu/Places.h"

namespace nstf::systolic {

/// The address of an access, in elements: the sum of the three members.
struct BufferAddress {
  mlir::Value lanes;  ///< i32
  mlir::Value shared; ///< the same in all lanes, i32, or null
  int64_t constant;   ///< fits the offset field of the instruction
};

/// The addresses of one load or store.
class BufferAccess {
public:
  struct Description {
    mlir::MemRefType buffer; ///< with its axes, before conversion
    PackedAttr packing;      ///< null: stored row by row
    int64_t perToken;        ///< elements for each token if the buffer's size depends on the launch's tokens, else 0
    mlir::RankedTensorType tile;
    mlir::ValueRange indices, limits; ///< of the buffer's dimensions
    llvm::SmallVector<KnownIndex> known, knownLimits;
    mlir::Value rows, cols; ///< converted index tiles, or null
    FragmentAttr rowsLayout, colsLayout;
    bool transposed = false;
    mlir::Value condition; ///< additional condition for each element, or null
    mlir::Value when;      ///< additional condition that is the same in all lanes, or null
  };

  BufferAccess(IndexBuilder &index, const KernelContext &kernel, Description access);

  /// Elements of one store.
  int64_t getWidth() const { return row.width; }
  /// The registers of each load.
  const AccessRegisters &getLoads() const { return loads; }
  /// The address of a load whose first register is `number`.
  BufferAddress getAddress(int64_t number);
  /// The loaded values of a cut access, with each element moved to its register.
  mlir::Value moveCut(mlir::Value loaded, int64_t number);

  /// The index of a store from register `number` on: past the end if its elements are out of bounds, or cut.
  mlir::Value getIndex(int64_t number) { return getIndex(number, row.cut.has_value()); }

  /// An access that is cut is stored in pieces whose sizes are powers of two: `count` elements from its element
  /// `offset` on.
  struct Piece {
    int64_t offset, count;
  };
  bool isCut() const { return row.cut.has_value(); }
  llvm::SmallVector<Piece> getPieces() const;
  mlir::Value getIndexOfCut(int64_t number, int64_t offset);
  /// Whether the tile has a cut access; the same in all lanes.
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
