// One argument of a kernel as its launcher sees it (SystolicLaunch.td, #systolic.launch).
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/Hashing.h"

namespace nstf::systolic {

struct LaunchArgument {
  enum Kind {
    Unbound, ///< a template's buffer that nothing is bound to yet
    Operand, ///< operand `index`, read
    InPlace, ///< operand `index`, read and written
    Result,  ///< result `index`, written
    Control, ///< the control block, read
    None     ///< of a template, for some of its operations alone: nothing is bound to it, and no launch passes it
  };

  mlir::StringAttr name;
  Kind kind = Unbound;
  unsigned index = 0;

  /// Whether an operand or result stands behind it.
  bool isPassed() const { return kind == Operand || isWritten(); }
  bool isWritten() const { return kind == InPlace || kind == Result; }
  bool operator==(const LaunchArgument &other) const = default;
};

inline llvm::hash_code hash_value(const LaunchArgument &argument) {
  return llvm::hash_combine(argument.name, argument.kind, argument.index);
}

/// The name of every control block in a kernel's arguments.
constexpr llvm::StringLiteral controlArgumentName = "control";

/// The attribute of a kernel, at whichever level, that holds its #systolic.launch.
constexpr llvm::StringLiteral launchAttributeName = "systolic.launch";

} // namespace nstf::systolic
