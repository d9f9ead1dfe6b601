// The cases of each family of instructions, and what they share.
#pragma once

#include "test/runtime/emulator/meaning/Machine.h"

namespace nstf::emulator::meaning {

/// Loads of less than a dword. The forms that load one half of a register clear the other half, as chips with SRAM ECC
/// do.
struct SmallAccess {
  std::string name;
  unsigned bytes;
  bool isSigned, half, high;
  u32 loaded(u64 v) const {
    u32 wide = bytes == 1 ? (isSigned ? u32(i32(i8(v))) : u8(v)) : (isSigned ? u32(i32(i16(v))) : u16(v));
    return half ? (wide & 0xffff) << (high ? 16 : 0) : wide;
  }
};
inline std::vector<SmallAccess> smallLoads(const std::string &prefix, const std::string &suffix, const char *u8Name,
                                           const char *i8Name, const char *u16Name, const char *i16Name,
                                           const char *d16Name) {
  auto name = [&](std::string n) { return prefix + n + suffix; };
  std::string u(u8Name), i(i8Name), d(d16Name);
  std::vector<SmallAccess> all = {
      {name(u), 1, false, false, false},         {name(i), 1, true, false, false},
      {name(u16Name), 2, false, false, false},   {name(i16Name), 2, true, false, false},
      {name(u + "_D16"), 1, false, true, false}, {name(u + "_D16_HI"), 1, false, true, true},
      {name(i + "_D16"), 1, true, true, false},  {name(i + "_D16_HI"), 1, true, true, true},
      {name(d), 2, false, true, false},          {name(d + "_HI"), 2, false, true, true}};
  return all;
}

std::vector<Case> ldsCases();
std::vector<Case> memoryCases();
std::vector<Case> scalarMemoryCases();
std::vector<Case> laneCases();

} // namespace nstf::emulator::meaning
