// One argument of a kernel as its launcher sees it (SystolicLaunch.td, #systolic.launch).
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/Hashing.h"

namespace nstf::systolic {

struct LaunchArgument {
  enum Kind {
    Unbound, ///< a template's buffer that nothing is bound to yet
    Operand, ///< operand `index`, read
    InPlace, ///< operand `index`, read and written
    Result,  ///< result `index`, written
    Control, ///< the control block, read
    Scratch, ///< memory for the launch alone, read and written; what it holds before means nothing
    Zeros,   ///< the same, zero when the launch begins and when it ends
    None     ///< of a template, for some of its operations alone: nothing is bound to it, and no launch passes it
  };

  mlir::StringAttr name;
  Kind kind = Unbound;
  unsigned index = 0;
  mlir::MemRefType memory; ///< of Scratch and Zeros: what there must be; null before a kernel is lowered

  /// Whether an operand or result stands behind it.
  bool isPassed() const { return kind == Operand || isWritten(); }
  bool isWritten() const { return kind == InPlace || kind == Result; }
  /// Whether it is the launch's own, which nothing outside it reads.
  bool isOwn() const { return kind == Scratch || kind == Zeros; }
  bool operator==(const LaunchArgument &other) const = default;
};

inline llvm::hash_code hash_value(const LaunchArgument &argument) {
  return llvm::hash_combine(argument.name, argument.kind, argument.index, argument.memory);
}

/// The name of every control block in a kernel's arguments.
constexpr llvm::StringLiteral controlArgumentName = "control";

/// The attribute of a kernel, at whichever level, that holds its #systolic.launch.
constexpr llvm::StringLiteral launchAttributeName = "systolic.launch";

} // namespace nstf::systolic
