// Saves the memory that kernels may write, to restore it and to compare it.
#pragma once

#include "runtime/emulator/memory/Memory.h"

#include <cstring>
#include <utility>
#include <vector>

namespace nstf::emulator::test {

/// The saved bytes are in the order of the regions.
class Contents {
public:
  explicit Contents(const Memory &memory) {
    for (const Region &region : memory.regions()->all())
      if (region.writable)
        saved.push_back({region.data(), {region.data<char>(), region.data<char>() + region.size()}});
  }
  void restore() const {
    for (const auto &[place, bytes] : saved)
      std::memcpy(place, bytes.data(), bytes.size());
  }
  bool operator==(const Contents &) const = default;

private:
  std::vector<std::pair<void *, std::vector<char>>> saved;
};

} // namespace nstf::emulator::test
