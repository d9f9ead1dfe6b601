#include "support/LdsPhases.h"

#include <algorithm>
#include <array>
#include <bit>

namespace nstf::support {
namespace {

constexpr unsigned bankBytes = 4;

/// The set of `count` lanes beginning with lane `first`.
constexpr uint64_t lanesFrom(unsigned first, unsigned count) { return ((uint64_t{1} << count) - 1) << first; }
constexpr uint64_t fourAndFour(unsigned first, unsigned second) { return lanesFrom(first, 4) | lanesFrom(second, 4); }

constexpr std::array halves = {lanesFrom(0, 32), lanesFrom(32, 32)};
constexpr std::array quarters = {lanesFrom(0, 16), lanesFrom(16, 16), lanesFrom(32, 16), lanesFrom(48, 16)};
constexpr std::array eighths = {lanesFrom(0, 8),  lanesFrom(8, 8),  lanesFrom(16, 8), lanesFrom(24, 8),
                                lanesFrom(32, 8), lanesFrom(40, 8), lanesFrom(48, 8), lanesFrom(56, 8)};
constexpr std::array readsOf16 = {fourAndFour(0, 20), fourAndFour(32, 52), fourAndFour(4, 16),  fourAndFour(36, 48),
                                  fourAndFour(8, 28), fourAndFour(40, 60), fourAndFour(12, 24), fourAndFour(44, 56)};

/// The distinct dwords that one phase accesses, by bank.
class Phase {
public:
  explicit Phase(unsigned banks) : banks(banks) {}

  void touch(uint32_t dword) {
    const uint32_t bank = dword % banks;
    auto *const end = dwords[bank].begin() + counts[bank];
    if (std::find(dwords[bank].begin(), end, dword) != end)
      return;
    *end = dword;
    fullest = std::max(fullest, ++counts[bank]);
  }

  uint32_t fullest = 0;

private:
  unsigned banks;
  /// A phase has 32 lanes of 4 bytes, 16 of 8 or 8 of 16: 32 dwords, or twice that if no address is aligned.
  std::array<std::array<uint32_t, 64>, maxLdsBanks> dwords;
  std::array<uint32_t, maxLdsBanks> counts{};
};

/// Fast path for the common case: whether no two of the lanes access the same bank.
bool useEachBankOnce(unsigned bytes, std::span<const uint32_t> addresses, uint64_t lanes, unsigned banks) {
  uint64_t used = 0;
  for (; lanes; lanes &= lanes - 1) {
    const uint32_t address = addresses[std::countr_zero(lanes)];
    if (address % bankBytes)
      return false;
    for (uint32_t at = 0; at < bytes; at += bankBytes) {
      const uint64_t bank = uint64_t{1} << (address + at) / bankBytes % banks;
      if (used & bank)
        return false;
      used |= bank;
    }
  }
  return true;
}

} // namespace

std::span<const uint64_t> ldsPhases(LdsDirection direction, unsigned bytes) {
  if (bytes <= 4)
    return halves;
  if (bytes <= 8)
    return quarters;
  return direction == LdsDirection::Read ? readsOf16 : eighths;
}

uint32_t ldsConflictClocks(LdsDirection direction, unsigned bytes, std::span<const uint32_t> addresses, uint64_t lanes,
                           unsigned banks) {
  uint32_t clocks = 0;
  for (uint64_t served : ldsPhases(direction, bytes)) {
    if (useEachBankOnce(bytes, addresses, served & lanes, banks))
      continue;
    Phase phase(banks);
    for (uint64_t left = served & lanes; left; left &= left - 1) {
      const uint32_t address = addresses[std::countr_zero(left)];
      for (uint32_t dword = address / bankBytes; dword <= (address + bytes - 1) / bankBytes; ++dword)
        phase.touch(dword);
    }
    clocks += std::max(phase.fullest, 1u) - 1;
  }
  return clocks;
}

} // namespace nstf::support
