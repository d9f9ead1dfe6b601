// One argument of a kernel, as its launcher passes it (Launch.td, #systolic.launch).
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/Hashing.h"

namespace nstf::systolic {

struct LaunchArgument {
  enum Kind {
    Unbound, ///< a template's buffer that is not bound yet
    Operand, ///< operand `index`, read
    InPlace, ///< operand `index`, read and written
    Result,  ///< result `index`, written
    Control, ///< the control block, read
    Scratch, ///< memory private to the launch, read and written; its initial content is undefined
    Zeros,   ///< the same, but zero when the launch begins and when it ends
    None     ///< a buffer that only some operations of a template have: not bound, and not passed by launches
  };

  mlir::StringAttr name;
  Kind kind = Unbound;
  unsigned index = 0;
  mlir::MemRefType memory; ///< type of the memory of Scratch and Zeros; null before the kernel is lowered

  /// Whether the argument is an operand or a result of the launch.
  bool isPassed() const { return kind == Operand || isWritten(); }
  bool isWritten() const { return kind == InPlace || kind == Result; }
  /// Whether the memory is private to the launch.
  bool isOwn() const { return kind == Scratch || kind == Zeros; }
  bool operator==(const LaunchArgument &other) const = default;
};

inline llvm::hash_code hash_value(const LaunchArgument &argument) {
  return llvm::hash_combine(argument.name, argument.kind, argument.index, argument.memory);
}

/// The name of every control block in a kernel's arguments.
constexpr llvm::StringLiteral controlArgumentName = "control";

/// The attribute of a kernel, at any level of lowering, that holds its #systolic.launch.
constexpr llvm::StringLiteral launchAttributeName = "systolic.launch";

} // namespace nstf::systolic
