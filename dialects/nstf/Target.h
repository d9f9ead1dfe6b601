// The facts of the chip that a module is compiled for, as passes read them.
//
// The module (or any operation that encloses the one a pass works on) has a dictionary attribute `nstf.target`:
//
//   module attributes {nstf.target = {name = "gfx942", chip = "gfx942", fp8 = "fnuz", wave_sizes = array<i64: 64>,
//                                     compute_units = 304 : i64, …,
//                                     matrix_instructions = [{name = "v_mfma_f32_16x16x4_f32", m = 16 : i64, …}, …]}}
//
// Its keys are those of templates/targets/*.yaml and of the target's default chip in templates/targets/timing; the
// numbers are listed in TargetFields.def. compiler/target makes the attribute from the YAML files. It is a dictionary
// instead of an attribute of the dialect, so that new facts of a chip need only new lines of data, and tests can write
// the attribute directly. TargetView gives typed access to it.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace nstf {

/// One matrix instruction: D[m,n] = A[m,k]·B[k,n] + C[m,n] in each of `blocks` independent blocks, by one wave.
struct MatrixInstruction {
  llvm::StringRef name; ///< mnemonic of the chip's assembler
  int64_t m = 0, n = 0, k = 0, blocks = 1;
  llvm::StringRef a, b, c; ///< element types as MLIR prints them ("f32", "bf16", "i8", "f8E4M3FNUZ"), or "xf32"
  int64_t passes = 0;      ///< passes for which the matrix core is busy, of matrix_pass_clocks each

  /// Multiplications and additions of one wave's instruction.
  int64_t flops() const { return 2 * m * n * k * blocks; }
};

/// A typed view of the attribute; cheap to copy, and empty if there is no attribute.
class TargetView {
public:
  static constexpr llvm::StringLiteral attributeName = "nstf.target";
  static constexpr int64_t maxLdsBanks = 64; ///< most banks of the conflict model (support/LdsPhases.h)

  TargetView() = default;
  explicit TargetView(mlir::DictionaryAttr attribute) : attribute(attribute) {}

  /// The target of `op` or of the nearest enclosing operation that has one. Empty if none has: see `require`.
  static TargetView lookup(mlir::Operation *op);
  /// The same, but with the error "expected a target …" on `op` if there is no target or it is not well formed.
  static mlir::FailureOr<TargetView> require(mlir::Operation *op);
  /// Whether `attribute` has every key with a legal value; otherwise reports the faulty key through `emitError`.
  static mlir::LogicalResult verify(mlir::DictionaryAttr attribute,
                                    llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  explicit operator bool() const { return static_cast<bool>(attribute); }
  mlir::DictionaryAttr getAttribute() const { return attribute; }

  llvm::StringRef name() const { return text("name"); }
  llvm::StringRef chip() const { return text("chip"); } ///< LLVM's name of the processor
  llvm::StringRef fp8() const { return text("fp8"); }   ///< "none", "fnuz" or "ocp"
  llvm::ArrayRef<int64_t> waveSizes() const;            ///< ascending
  /// Whether the chip has waves of `lanes` lanes; otherwise reports the available sizes through `emitError`.
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
