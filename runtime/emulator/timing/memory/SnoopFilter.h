// The L2s that may hold a block of lines. When one L2 writes the block to memory, only these are searched for it.
#pragma once

#include <cstdint>
#include <vector>

namespace nstf::emulator::timing {

class SnoopFilter {
public:
  /// One bit for each XCD; with more XCDs than bits, several share one.
  using Mask = uint8_t;
  static constexpr uint32_t bits = 8;
  static Mask getMask(uint32_t xcd) { return Mask(1u << xcd % bits); }

  Mask holders(uint64_t block) const {
    const uint64_t piece = block / pieceBlocks;
    return piece < pieces.size() && !pieces[piece].empty() ? pieces[piece][block % pieceBlocks] : 0;
  }
  void add(uint64_t block, Mask mask) { at(block) |= mask; }
  void remove(uint64_t block, Mask mask) { at(block) &= Mask(~mask); }

private:
  static constexpr uint64_t pieceBlocks = 1 << 16;
  Mask &at(uint64_t block) {
    const uint64_t piece = block / pieceBlocks;
    if (piece >= pieces.size())
      pieces.resize(piece + 1);
    if (pieces[piece].empty())
      pieces[piece].resize(pieceBlocks);
    return pieces[piece][block % pieceBlocks];
  }

  std::vector<std::vector<Mask>> pieces;
};

} // namespace nstf::emulator::timing
