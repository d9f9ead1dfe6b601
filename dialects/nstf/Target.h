// The chip a module is compiled for, as passes see it.
//
// The module (or any operation around what a pass works on) carries a dictionary attribute `nstf.target`:
//
//   module attributes {nstf.target = {name = "gfx942", chip = "gfx942", fp8 = "fnuz", wave_sizes = array<i64: 64>,
//                                     compute_units = 304 : i64, …,
//                                     matrix_instructions = [{name = "v_mfma_f32_16x16x4_f32", m = 16 : i64, …}, …]}}
//
// Its keys are those of templates/targets/*.yaml and of the target's default chip in templates/targets/timing; the
// numbers are listed in TargetFields.def. compiler/target makes it from the YAML files. It is a dictionary, not an
// attribute of the dialect: a chip gets facts by new lines in data, and tests can write just the attribute. TargetView
// reads it with types.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace nstf {

/// One matrix instruction: D[m,n] = A[m,k]·B[k,n] + C[m,n] in each of `blocks` independent blocks, by one wave.
struct MatrixInstruction {
  llvm::StringRef name; ///< as the assembler of the chip spells it
  int64_t m = 0, n = 0, k = 0, blocks = 1;
  llvm::StringRef a, b, c; ///< element types as MLIR prints them ("f32", "bf16", "i8", "f8E4M3FNUZ"), or "xf32"
  int64_t passes = 0;      ///< of matrix_pass_clocks each, for which the matrix core is busy

  /// Multiplications and additions a wave does with it.
  int64_t flops() const { return 2 * m * n * k * blocks; }
};

/// A typed view of the attribute; cheap to copy, and empty where there is none.
class TargetView {
public:
  static constexpr llvm::StringLiteral attributeName = "nstf.target";
  static constexpr int64_t maxLdsBanks = 64; ///< of a chip; no more are asked for conflicts (support/LdsPhases.h)

  TargetView() = default;
  explicit TargetView(mlir::DictionaryAttr attribute) : attribute(attribute) {}

  /// The target of `op` or of the nearest operation around it that has one. Empty where none has: see `require`.
  static TargetView lookup(mlir::Operation *op);
  /// The same, with the error "expected a target …" on `op` where there is none or where it is not well formed.
  static mlir::FailureOr<TargetView> require(mlir::Operation *op);
  /// Whether `attribute` has every key with a legal value; else says through `emitError` which has not.
  static mlir::LogicalResult verify(mlir::DictionaryAttr attribute,
                                    llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  explicit operator bool() const { return static_cast<bool>(attribute); }
  mlir::DictionaryAttr getAttribute() const { return attribute; }

  llvm::StringRef name() const { return text("name"); }
  llvm::StringRef chip() const { return text("chip"); } ///< LLVM's name of the processor
  llvm::StringRef fp8() const { return text("fp8"); }   ///< "none", "fnuz" or "ocp"
  llvm::ArrayRef<int64_t> waveSizes() const;            ///< ascending
  /// Whether there are waves of so many lanes; else says through `emitError` which there are.
  mlir::LogicalResult requireWaveSize(int64_t lanes, llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const;
  llvm::SmallVector<MatrixInstruction> matrixInstructions() const; ///< in the file's order

#define NSTF_TARGET_NUMBER(key, name, minimum, doc)                                                                    \
  int64_t name() const { return number(#key); }
#include "dialects/nstf/TargetFields.def"

private:
  int64_t number(llvm::StringRef key) const { return attribute.getAs<mlir::IntegerAttr>(key).getInt(); }
  llvm::StringRef text(llvm::StringRef key) const { return attribute.getAs<mlir::StringAttr>(key).getValue(); }

  mlir::DictionaryAttr attribute;
};

} // namespace nstf
