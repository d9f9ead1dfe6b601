// The table of meanings of scalar ALU instructions.
#pragma once

#include "test/runtime/emulator/meaning/Machine.h"

namespace nstf::emulator::meaning {

struct Scalar {
  u64 a = 0, b = 0;
  u64 d = 0; ///< the destination's old and then new value
  bool scc = false;
  u64 exec = 0;
  i16 k = 0; ///< SOPK's constant
  unsigned bits = 32;
  u64 cut(u64 v) const { return bits == 64 ? v : u32(v); }
};

struct ScalarMeaning {
  std::string name;
  unsigned result; ///< in bits; 0: SCC only
  std::vector<unsigned> sources;
  std::function<void(Scalar &)> run;
  bool constant = false; ///< SOPK
};
std::vector<ScalarMeaning> scalarMeanings();
void addScalarCases(const ScalarMeaning &, std::vector<Case> &);

} // namespace nstf::emulator::meaning
