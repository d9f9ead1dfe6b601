// The innermost loops of machine code and what they hold, as text or JSON.
#pragma once

#include "runtime/emulator/launch/LoopStatistics.h"
#include "runtime/emulator/memory/CodeObjectContainer.h"

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

namespace nstf::emulator {

struct ListedLoop {
  std::string function;   ///< its symbol
  uint64_t functionBegin; ///< its address
  LoopStatistics statistics;
};

/// The loops without loops inside of a code object, or of one kernel (its symbol): from the target of a branch back to
/// that branch, everything between in the order of addresses. Throws LoadError for a chip that the emulator doesn't
/// know.
std::vector<ListedLoop> findLoops(const ContainedCodeObject &object, const std::string &kernel);

void print(const ListedLoop &loop, std::ostream &out);
nlohmann::ordered_json toJson(const ListedLoop &loop);

} // namespace nstf::emulator
