#include "runtime/emulator/decode/CodeRanges.h"

#include <algorithm>

namespace nstf::emulator {

Code CodeRanges::from(uint64_t address) const {
  for (Code text : texts)
    if (address - getBegin(text) < text.size())
      return text.subspan(address - getBegin(text));
  return {};
}

Code CodeRanges::findFunction(uint64_t address) const {
  const auto next = std::ranges::upper_bound(functions, address, {}, getBegin);
  if (next == functions.begin())
    return {};
  const Code function = *std::prev(next);
  return address < getEnd(function) ? function : Code();
}

size_t CodeRanges::dwords() const {
  size_t sum = 0;
  for (Code text : texts)
    sum += (text.size() + 3) / 4;
  return sum;
}

} // namespace nstf::emulator
