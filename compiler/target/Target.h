// The only source of chip facts. Target.cpp reads templates/targets/*.yaml, which are embedded in the program, without
// MLIR. TargetAttribute.cpp puts the facts on a module as the attribute `nstf.target`, from which passes read them
// (dialects/nstf/Target.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlir {
class DictionaryAttr;
class MLIRContext;
class ModuleOp;
} // namespace mlir

namespace nstf {

/// The facts of a target. Names and units of the numbers are those of dialects/nstf/TargetFields.def.
struct Target {
  struct Instruction {
    std::string name, a, b, c;
    int64_t m = 0, n = 0, k = 0, blocks = 0, passes = 0;
  };

  std::string name;        ///< "gfx942"; a user's chip file may have another name
  std::string description; ///< description for users
  std::string chip;        ///< LLVM's name of the processor
  std::string defaultChip; ///< the chip whose numbers are used if the row has none: "mi300x"
  std::string fp8;         ///< "none", "fnuz" or "ocp"
  std::vector<std::string> aliases;
  std::vector<int64_t> waveSizes; ///< ascending
  std::vector<Instruction> matrixInstructions;
#define NSTF_TARGET_NUMBER(key, name, minimum, doc) int64_t name = 0;
#include "dialects/nstf/TargetFields.def"

  /// The attribute `nstf.target`.
  mlir::DictionaryAttr attribute(mlir::MLIRContext *context) const;
};

/// Parses a row. Throws support::InputError "<file>:<line>:<column>: expected … but got …" for a missing, unknown, or
/// ill-typed key.
Target parseTarget(std::string_view text, std::string_view file);

/// The built-in target of this name or alias (case-insensitive), or that of the file `name` if it ends in .yaml. Throws
/// std::runtime_error; for an unknown name it lists the known ones.
Target findTarget(std::string_view name);

/// Throws std::runtime_error if two targets have the same chip: HIP could not choose between their code objects.
void requireOneTargetPerChip(const std::vector<Target> &targets);

/// All built-in targets, by name.
std::vector<Target> listTargets();

/// Puts the target on the module.
void attachTarget(mlir::ModuleOp module, const Target &target);

} // namespace nstf
