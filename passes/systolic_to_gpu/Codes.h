// Conversion of bytes of codes to numbers, several at a time.
#pragma once

#include "passes/systolic_to_gpu/TileLowering.h"

namespace nstf::systolic {

/// The offsets of the raised numbers below, as f16 and as f32: a byte of i8 with its top bit flipped is larger than its
/// number by this.
constexpr double raisedHalf = 1152, raisedFloat = 128;
/// The four bytes of a word, with their top bits flipped, as numbers raised by this offset.
mlir::Value raiseToHalves(IndexBuilder &index, mlir::Value word);
mlir::Value raiseToFloats(IndexBuilder &index, mlir::Value word);

/// Whether this is a code type of one byte.
inline bool isCode(mlir::Type type) { return type.isInteger(8) || mlir::isa<mlir::Float8E4M3FNUZType>(type); }
/// Converts codes to numbers of `type`: f32, f16 or bf16. The chip is that of `op`.
mlir::Value convertCodes(IndexBuilder &index, mlir::Value vector, mlir::Type type, mlir::Operation *op);
/// Rounds numbers to codes, to nearest even. Preconditions: the numbers are within the codes' range (gfx942 converts
/// larger ones to NaN), and systolic-select-array accepted the chip.
mlir::Value roundToCodes(IndexBuilder &index, mlir::Value vector, mlir::Type code);

mlir::Value makeWord(IndexBuilder &index, uint32_t value);
mlir::Value callIntrinsic(IndexBuilder &index, llvm::StringRef intrinsic, mlir::Type type, mlir::ValueRange arguments);

} // namespace nstf::systolic
