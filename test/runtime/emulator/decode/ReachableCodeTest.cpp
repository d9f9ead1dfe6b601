// What is decoded together when control first reaches a place.
#include "runtime/emulator/decode/ReachableCode.h"
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/decode/Target.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <gmock/gmock.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

using Pieces = std::vector<std::pair<size_t, size_t>>; // begin and end in the text

/// `functions`: those with symbols; `decoded`: the place of an instruction that is decoded already.
Pieces reached(const std::string &text, size_t entry = 0, const Pieces &functions = {}, size_t decoded = SIZE_MAX) {
  const std::vector<uint8_t> code = assemble("gfx942", text);
  CodeRanges ranges;
  ranges.texts.emplace_back(code);
  for (auto [begin, end] : functions)
    ranges.functions.push_back(ranges.texts[0].subspan(begin, end - begin));
  Disassembler disassembler(*Target::find("gfx942"));
  const uint64_t base = getBegin(ranges.texts[0]);
  Pieces pieces;
  for (Code piece : reachableCode(disassembler, ranges, base + entry,
                                  [&](uint64_t address) { return decoded != SIZE_MAX && address == base + decoded; }))
    pieces.emplace_back(getBegin(piece) - base, getEnd(piece) - base);
  return pieces;
}

TEST(ReachableCode, BranchesBothWays) {
  EXPECT_EQ(reached("s_cbranch_scc1 far\ns_branch near\ns_nop 7\nnear: s_endpgm\ns_nop 7\nfar: s_mov_b32 s0, 0x1234\n"
                    "s_cbranch_vccz near\ns_endpgm\ns_nop 7"),
            (Pieces{{0, 8}, {12, 16}, {20, 36}}));
}

// A call as compilers make it: 4 bytes, 8, 4, 4.
const std::string call = "s_getpc_b64 s[4:5]\nhere: s_add_u32 s4, s4, callee-here\ns_addc_u32 s5, s5, 0\n"
                         "s_swappc_b64 s[30:31], s[4:5]\n";

TEST(ReachableCode, CalleesAreDecodedWhenCalled) {
  EXPECT_EQ(reached(call + "s_endpgm\ns_nop 7\ncallee: s_nop 0\ns_setpc_b64 s[30:31]\ns_nop 7"), (Pieces{{0, 24}}));
  EXPECT_EQ(reached(call + "s_endpgm\ns_nop 7\ncallee: s_nop 0\ns_setpc_b64 s[30:31]\ns_nop 7", 28),
            (Pieces{{28, 36}}));
  EXPECT_EQ(reached("s_call_b64 s[30:31], callee\ns_endpgm\ns_nop 7\ncallee: s_setpc_b64 s[30:31]\ns_nop 7"),
            (Pieces{{0, 8}}));
}

TEST(ReachableCode, OfAFunctionWithASymbolAll) {
  const std::string text = "s_nop 1\ns_endpgm\ns_mov_b32 s0, 0x1234\ns_nop 2\ns_endpgm\ns_nop 3\ns_endpgm\ns_nop 4";
  EXPECT_EQ(reached(text, 0, {{0, 24}}), (Pieces{{0, 24}}));
  EXPECT_EQ(reached(text, 16, {{0, 24}}), (Pieces{{0, 24}})) << "from its middle";
  EXPECT_EQ(reached(text, 16, {{0, 24}}, 0), (Pieces{{16, 24}})) << "where its begin is decoded";
  EXPECT_EQ(reached(text, 12, {{0, 24}}), (Pieces{{0, 24}})) << "at a literal, which is no place of an instruction";
  EXPECT_EQ(reached(text, 24, {{0, 24}}), (Pieces{{24, 32}})) << "behind it";
  EXPECT_EQ(reached("s_nop 1\ns_nop 2\ns_endpgm\ns_endpgm\ns_nop 3", 0, {{0, 4}, {4, 16}}), (Pieces{{0, 16}}))
      << "control runs into the next one";
  EXPECT_EQ(reached("s_branch there\ns_endpgm\ns_nop 1\nthere: s_endpgm\ns_endpgm", 0, {{8, 20}}),
            (Pieces{{0, 4}, {8, 20}}))
      << "a branch into it";
}

TEST(ReachableCode, UpToWhatIsDecoded) {
  const std::string text = "s_nop 1\ns_nop 2\ns_nop 3\ns_endpgm";
  EXPECT_EQ(reached(text, 0, {}, 8), (Pieces{{0, 8}}));
  EXPECT_EQ(reached(text, 8, {}, 8), Pieces());
  EXPECT_EQ(reached(text, 0, {{0, 16}}, 8), (Pieces{{0, 8}, {12, 16}}));
}

TEST(ReachableCode, OverlapsAndEnds) {
  EXPECT_EQ(reached("s_cbranch_scc1 1\ns_mov_b32 s0, 0xbf810000\ns_endpgm"), (Pieces{{0, 16}})) << "into a literal";
  EXPECT_EQ(reached("s_mov_b32 s0, 0xbf810000\ns_endpgm", 0, {}, 4), (Pieces{{0, 12}})) << "over what is decoded";
  EXPECT_EQ(reached("s_branch 1000\ns_endpgm"), (Pieces{{0, 4}})) << "out of the text";
  EXPECT_EQ(reached("s_nop 0"), (Pieces{{0, 4}})) << "control runs off the end";
  EXPECT_EQ(reached("s_nop 0\n.long 0xffffffff\ns_endpgm"), (Pieces{{0, 8}})) << "into what is no instruction";
}

} // namespace
