// Bytes of codes as numbers, several at once.
#pragma once

#include "passes/systolic_to_gpu/TileLowering.h"

namespace nstf::systolic {

/// What a byte of i8, its top bit turned, is more than its number, as an f16 and as an f32.
constexpr double raisedHalf = 1152, raisedFloat = 128;
/// The four bytes of a word, their top bits turned, as numbers that are so much more.
mlir::Value raiseToHalves(IndexBuilder &index, mlir::Value word);
mlir::Value raiseToFloats(IndexBuilder &index, mlir::Value word);

/// Types of numbers in a byte.
inline bool isCode(mlir::Type type) { return type.isInteger(8) || mlir::isa<mlir::Float8E4M3FNUZType>(type); }
/// Codes as numbers of `type`, f32, f16 or bf16; `op` says of which chip.
mlir::Value convertCodes(IndexBuilder &index, mlir::Value vector, mlir::Type type, mlir::Operation *op);
/// Numbers rounded to codes, to nearest even. Preconditions: they are within the codes' range (what gfx942 makes of
/// larger ones is a NaN), and systolic-select-array let the chip pass.
mlir::Value roundToCodes(IndexBuilder &index, mlir::Value vector, mlir::Type code);

mlir::Value makeWord(IndexBuilder &index, uint32_t value);
mlir::Value callIntrinsic(IndexBuilder &index, llvm::StringRef intrinsic, mlir::Type type, mlir::ValueRange arguments);

} // namespace nstf::systolic
