// The innermost loops of machine code and their contents, as text or JSON.
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

/// The innermost loops of a code object, or of one kernel (its symbol): the instructions from the target of a backward
/// branch to that branch, in the order of addresses. Throws LoadError for a chip that the emulator does not know.
std::vector<ListedLoop> findLoops(const ContainedCodeObject &object, const std::string &kernel);

void print(const ListedLoop &loop, std::ostream &out);
nlohmann::ordered_json toJson(const ListedLoop &loop);

} // namespace nstf::emulator
