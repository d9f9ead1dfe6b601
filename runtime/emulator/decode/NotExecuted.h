// Instructions that the emulator does not execute, with reasons.
#pragma once

#include <span>
#include <string_view>

namespace nstf::emulator {

struct NotExecuted {
  std::string_view name; ///< LLVM's name without suffixes
  std::string_view reason;
};

/// All of NotExecuted.def.
inline std::span<const NotExecuted> notExecuted() {
  static constexpr NotExecuted list[] = {
#define NOTEXECUTED(name, reason) {#name, reason},
#include "runtime/emulator/decode/NotExecuted.def"
#undef NOTEXECUTED
  };
  return list;
}

/// Values of a Trap micro-op's `immediate`.
namespace trapReason {
constexpr unsigned unknown = 0, operands = 1, listed = 2; ///< from `listed` on: indices of notExecuted()
}

} // namespace nstf::emulator
