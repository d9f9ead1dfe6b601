// Which part of a text one kernel can reach, and when that is unknown.
#include "runtime/emulator/decode/ReachableCode.h"
#include "runtime/emulator/decode/Target.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <gmock/gmock.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using Pieces = std::vector<std::pair<size_t, size_t>>; // begin and end in the text

/// The pieces that are reachable from the text's beginning; empty if that is unknown.
Pieces reached(const std::string &text) {
  const std::vector<uint8_t> code = assemble("gfx942", text);
  const Code whole(code);
  Pieces pieces;
  const auto found = reachableCode(*Target::find("gfx942"), {&whole, 1}, reinterpret_cast<uint64_t>(code.data()));
  for (Code piece : found ? *found : std::vector<Code>())
    pieces.emplace_back(piece.data() - code.data(), piece.data() - code.data() + piece.size());
  return pieces;
}
const Pieces unknown;

TEST(ReachableCode, BranchesBothWays) {
  EXPECT_EQ(reached("s_cbranch_scc1 far\ns_branch near\ns_nop 7\nnear: s_endpgm\ns_nop 7\nfar: s_mov_b32 s0, 0x1234\n"
                    "s_cbranch_vccz near\ns_endpgm\ns_nop 7"),
            (Pieces{{0, 8}, {12, 16}, {20, 36}}));
}

// A call as compilers emit it: instructions of 4, 8, 8 and 4 bytes.
const std::string call = "s_getpc_b64 s[4:5]\nhere: s_add_u32 s4, s4, callee-here\ns_addc_u32 s5, s5, 0\n"
                         "s_swappc_b64 s[30:31], s[4:5]\n";

TEST(ReachableCode, CallsAndReturns) {
  EXPECT_EQ(reached(call + "s_endpgm\ns_nop 7\ncallee: s_nop 0\ns_setpc_b64 s[30:31]\ns_nop 7"),
            (Pieces{{0, 24}, {28, 36}}));
  EXPECT_EQ(reached("s_call_b64 s[30:31], callee\ns_endpgm\ns_nop 7\ncallee: s_setpc_b64 s[30:31]\ns_nop 7"),
            (Pieces{{0, 8}, {12, 16}}));
  // A callee that makes calls itself keeps its return address in a VGPR.
  EXPECT_EQ(reached(call + "s_endpgm\ns_nop 7\ncallee: v_readlane_b32 s30, v40, 0\nv_readlane_b32 s31, v40, 1\n"
                           "s_setpc_b64 s[30:31]\ns_nop 7"),
            (Pieces{{0, 24}, {28, 48}}));
  // An address computed before a loop.
  EXPECT_EQ(reached("s_getpc_b64 s[4:5]\nhere: s_add_u32 s4, s4, callee-here\ns_addc_u32 s5, s5, 0\n"
                    "loop: s_swappc_b64 s[30:31], s[4:5]\ns_cbranch_scc1 loop\ns_endpgm\ns_nop 7\n"
                    "callee: s_setpc_b64 s[30:31]\ns_nop 7"),
            (Pieces{{0, 28}, {32, 36}}));
}

TEST(ReachableCode, Backwards) {
  const std::string text = "s_branch begin\nback: s_endpgm\ns_nop 7\nbegin: s_getpc_b64 s[4:5]\n"
                           "here: s_add_u32 s4, s4, back-here\ns_addc_u32 s5, s5, -1\ns_setpc_b64 s[4:5]\ns_nop 7";
  EXPECT_EQ(reached(text), (Pieces{{0, 8}, {12, 32}}));
}

TEST(ReachableCode, WhatIsNotKnown) {
  const std::string tail = "s_swappc_b64 s[30:31], s[4:5]\ns_endpgm";
  EXPECT_EQ(reached("s_load_dwordx2 s[4:5], s[0:1], 0x0\n" + tail), unknown) << "a pointer from memory";
  EXPECT_EQ(reached(tail), unknown) << "what the kernel began with";
  EXPECT_EQ(reached("v_readfirstlane_b32 s4, v0\nv_readfirstlane_b32 s5, v1\n" + tail), unknown);
  EXPECT_EQ(reached("v_readlane_b32 s4, v0, 0\nv_readlane_b32 s5, v0, 1\n" + tail), unknown);
  EXPECT_EQ(reached(call + "s_add_u32 s4, s4, s6\n" + tail + "\ncallee: s_setpc_b64 s[30:31]"), unknown);
  EXPECT_EQ(reached(call + "s_movreld_b32 s4, s6\n" + tail + "\ncallee: s_setpc_b64 s[30:31]"), unknown);
  EXPECT_EQ(reached("s_cbranch_scc1 1\ns_mov_b32 s0, 0xbf810000\ns_endpgm"), unknown) << "into an instruction";
}

TEST(ReachableCode, AddressesOfDataLeadNowhere) {
  EXPECT_EQ(
      reached("s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, 0x100000\ns_addc_u32 s5, s5, 0\ns_load_dword s6, s[4:5], 0x0\n"
              "s_endpgm\ns_nop 7"),
      (Pieces{{0, 28}}));
}

} // namespace
