// The one door to chip facts: reads (Target.cpp, without MLIR) templates/targets/*.yaml (embedded in the program) and
// puts them on a module as the attribute `nstf.target` (TargetAttribute.cpp), from where passes read them
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

/// A chip's row. Numbers by the names and units of dialects/nstf/TargetFields.def.
struct Target {
  struct Instruction {
    std::string name, a, b, c;
    int64_t m = 0, n = 0, k = 0, blocks = 0, passes = 0;
  };

  std::string name;        ///< "gfx942"; of a chip file of one's own perhaps another
  std::string description; ///< for people
  std::string chip;        ///< LLVM's name of the processor
  std::string defaultChip; ///< whose numbers hold where the row has none: "mi300x"
  std::string fp8;         ///< "none", "fnuz" or "ocp"
  std::vector<std::string> aliases;
  std::vector<int64_t> waveSizes; ///< ascending
  std::vector<Instruction> matrixInstructions;
#define NSTF_TARGET_NUMBER(key, name, minimum, doc) int64_t name = 0;
#include "dialects/nstf/TargetFields.def"

  /// The attribute `nstf.target`.
  mlir::DictionaryAttr attribute(mlir::MLIRContext *context) const;
};

/// Reads a row. Throws support::InputError "<file>:<line>:<column>: expected … but got …" for a missing, unknown, or
/// ill-typed key.
Target parseTarget(std::string_view text, std::string_view file);

/// The built-in target of this name or alias (case does not matter), or the file `name` where it ends in .yaml.
/// Throws std::runtime_error; for an unknown name it lists the known ones.
Target findTarget(std::string_view name);

/// Throws std::runtime_error where two targets are of one chip: of two code objects HIP could not choose.
void requireOneTargetPerChip(const std::vector<Target> &targets);

/// All built-in targets, by name.
std::vector<Target> listTargets();

/// Puts the target on the module.
void attachTarget(mlir::ModuleOp module, const Target &target);

} // namespace nstf
