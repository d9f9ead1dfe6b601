// Cases of instructions that access memory.
#pragma once

#include "test/runtime/emulator/meaning/Machine.h"

#include <cctype>

namespace nstf::emulator::meaning {

/// The mnemonic for a name in Instructions.def.
inline std::string lower(std::string name) {
  for (char &c : name)
    c = char(std::tolower(c));
  return name;
}

/// "v4" or "v[4:7]", for the register files 'v', 'a' and 's'.
inline std::string registers(char file, unsigned first, unsigned count) {
  std::string f(1, file);
  return count == 1 ? f + std::to_string(first)
                    : f + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

/// What the cases of one file have in common. A chip that lacks an instruction skips its case.
struct MemoryCases {
  unsigned ldsBytes, memoryBytes, rounds;

  void add(std::vector<Case> &cases, const std::string &name, const std::string &text,
           std::function<void(Machine &, Random &)> prepare, std::function<void(Machine &)> meaning) const {
    Case c;
    c.name = name;
    c.text = text;
    c.prepare = std::move(prepare);
    c.meaning = std::move(meaning);
    c.ldsBytes = ldsBytes;
    c.memoryBytes = memoryBytes;
    c.rounds = rounds;
    c.optional = true;
    cases.push_back(std::move(c));
  }
};

} // namespace nstf::emulator::meaning
