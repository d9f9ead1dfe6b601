// Code that is decoded when control first reaches it runs as code that is decoded whole.
#include "runtime/emulator/run/RunLoop.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <thread>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

/// The offsets of the instructions that the wave executes from the code's begin on, up to a limit.
std::vector<uint64_t> executed(Snippet &snippet) {
  constexpr size_t limit = 1000;
  std::vector<uint64_t> offsets;
  Wave &wave = snippet.wave();
  wave.next = snippet.program->at(snippet.base());
  wave.fuel = ~0u;
  runLoop(wave, [&](const MicroOp *op) {
    if (snippet.program->isFirst(op)) {
      if (offsets.size() == limit)
        return false;
      offsets.push_back(snippet.program->getAddress(op) - snippet.base());
    }
    return true;
  });
  return offsets;
}

TEST(OnDemand, CalleesAreDecodedAtTheCall) {
  Snippet s("gfx942", "s_cmp_eq_u32 s0, 0\ns_cbranch_scc1 end\ns_call_b64 s[30:31], callee\nend: s_endpgm\n"
                      "callee: s_mov_b32 s1, 0x12345678\ns_setpc_b64 s[30:31]");
  s.decodeOnDemand();
  executed(s);
  EXPECT_EQ(s.program->instructionCount(), 4u);
  EXPECT_FALSE(s.program->known(s.base() + 16));
  s.wave().scalars[0] = 1;
  EXPECT_EQ(executed(s), (std::vector<uint64_t>{0, 4, 8, 16, 24, 12}));
  EXPECT_EQ(s.program->instructionCount(), 6u);
  EXPECT_EQ(s.wave().scalars[1], 0x12345678u);
  const MicroOp *move = s.program->known(s.base() + 16);
  ASSERT_TRUE(move);
  EXPECT_EQ(s.program->sizeOfInstruction(move->instruction), 8u);
  EXPECT_EQ(s.program->getText(move), "s_mov_b32 s1, 0x12345678");
  EXPECT_FALSE(s.program->at(s.base() + 20)) << "its literal";
}

TEST(OnDemand, ControlRunsIntoWhatIsDecoded) {
  // The loop is entered at its second half, from which control returns to the first one and runs on.
  Snippet s("gfx942", "s_getpc_b64 s[4:5]\nhere: s_add_u32 s4, s4, half-here\ns_addc_u32 s5, s5, 0\n"
                      "s_setpc_b64 s[4:5]\nfirst: s_add_u32 s1, s1, 1\nhalf: s_add_u32 s2, s2, 1\n"
                      "s_getpc_b64 s[6:7]\nthere: s_sub_u32 s6, s6, there-first\ns_subb_u32 s7, s7, 0\n"
                      "s_cmp_eq_u32 s2, 3\ns_cbranch_scc1 end\ns_setpc_b64 s[6:7]\nend: s_endpgm");
  s.decodeOnDemand();
  const std::vector<uint64_t> offsets = executed(s);
  EXPECT_EQ(s.wave().scalars[1], 2u);
  EXPECT_EQ(s.wave().scalars[2], 3u);
  EXPECT_EQ(std::count(offsets.begin(), offsets.end(), 24u), 3) << "what runs on is no instruction of its own";
  const uint32_t first = s.program->known(s.base() + 20)->instruction;
  EXPECT_EQ(s.program->instructionAfter(first), s.program->known(s.base() + 24)->instruction);
  EXPECT_NE(s.program->instructionAfter(first), first + 1);
}

TEST(OnDemand, ALoopOverSeveralUnitsYields) {
  Snippet s("gfx942", "s_getpc_b64 s[4:5]\nhere: s_add_u32 s4, s4, back-here\ns_addc_u32 s5, s5, 0\nloop: s_nop 0\n"
                      "s_cbranch_scc0 2\ns_endpgm\ns_nop 0\ns_setpc_b64 s[4:5]\nback: s_branch loop");
  s.decodeOnDemand();
  Wave &wave = s.wave();
  wave.next = s.program->at(s.base());
  wave.fuel = 10;
  runLoop(wave, [](const MicroOp *) {});
  EXPECT_EQ(wave.status, WaveStatus::Yielded);
}

TEST(OnDemand, OutOfTheCodeIsAFault) {
  for (const char *text : {"s_branch 1000", "s_call_b64 s[30:31], 1000", "s_setpc_b64 s[4:5]",
                           "s_nop 0\n.long 0xffffffff", "s_call_b64 s[30:31], 1\ns_mov_b32 s1, 0x12345678"}) {
    Snippet s("gfx942", text);
    std::string faults[2];
    for (std::string &what : faults) {
      try {
        s.run();
        ADD_FAILURE() << text;
      } catch (const WaveFault &fault) {
        what = fault.what + " at " + s.program->getText(fault.op);
      }
      s.decodeOnDemand();
    }
    EXPECT_EQ(faults[0], faults[1]) << text;
  }
}

/// Functions of 256 bytes that work on registers, branch, call and jump, to the begin of an instruction anywhere.
class RandomCode {
public:
  static constexpr unsigned functions = 12, bytes = 256, blocks = 4;

  explicit RandomCode(uint64_t seed) : random(seed) {
    // s[30:31]: where a function returns to, for a start the end.
    text << "s_getpc_b64 s[30:31]\nhere: s_add_u32 s30, s30, end-here\ns_addc_u32 s31, s31, 0\n"
         << "s_branch " << label() << "\nend: s_endpgm\n";
    for (unsigned f = 0; f < functions; ++f) {
      text << ".p2align 8\n";
      for (unsigned b = 0; b < blocks; ++b) {
        text << "f" << f << "_" << b << ":\n";
        for (unsigned i = pick(3); i-- > 0;)
          instruction();
        if (pick(3))
          jump();
      }
      jump();
      text << (pick(2) ? "s_setpc_b64 s[30:31]\n" : "s_branch " + label() + "\n");
    }
    text << ".p2align 8\n";
  }
  std::string str() const { return text.str(); }
  /// Begin and end of those that get symbols.
  std::vector<std::pair<size_t, size_t>> symbols() {
    std::vector<std::pair<size_t, size_t>> chosen;
    for (unsigned f = 0, share = pick(4); f < functions; ++f)
      if (pick(3) < share)
        chosen.emplace_back((f + 1) * bytes, (f + 2) * bytes);
    return chosen;
  }

private:
  unsigned pick(unsigned count) { return unsigned(random() % count); }
  std::string label() { return "f" + std::to_string(pick(functions)) + "_" + std::to_string(pick(blocks)); }

  void instruction() {
    const unsigned a = pick(4), b = pick(4);
    switch (pick(7)) {
    case 0:
      text << "s_add_u32 s" << 8 + a << ", s" << 8 + b << ", " << random() % 0xffffffff << "\n";
      break;
    case 1:
      text << "s_xor_b64 s[8:9], s[10:11], " << pick(60) << "\n";
      break;
    case 2:
      text << "v_xor_b32_e32 v" << a << ", " << random() % 0xffffffff << ", v" << b << "\n";
      break;
    case 3:
      text << "v_add_u32_e32 v" << a << ", s" << 8 + b << ", v" << b << "\n";
      break;
    case 4:
      text << "v_mov_b32_dpp v" << a << ", v" << b << " row_shr:" << 1 + pick(15) << " row_mask:0xf bank_mask:0xf\n";
      break;
    case 5:
      text << "v_add_f32_e64 v" << a << ", -v" << b << ", |s" << 8 + a << "| clamp\n";
      break;
    default:
      text << "s_bitcmp1_b32 s" << 8 + a << ", " << pick(32) << "\n";
    }
  }
  void jump() {
    switch (pick(6)) {
    case 0:
      text << "s_cbranch_scc1 " << label() << "\n";
      break;
    case 1:
      text << "s_cbranch_scc0 " << label() << "\n";
      break;
    case 2:
      text << "s_call_b64 s[30:31], " << label() << "\n";
      break;
    case 3:
      text << "s_branch " << label() << "\n";
      break;
    default: {
      const std::string place = "p" + std::to_string(places++);
      text << "s_getpc_b64 s[4:5]\n"
           << place << ": s_mov_b32 s6, " << label() << "-" << place
           << "\ns_ashr_i32 s7, s6, 31\ns_add_u32 s4, s4, s6\ns_addc_u32 s5, s5, s7\n"
           << (pick(2) ? "s_setpc_b64 s[4:5]\n" : "s_swappc_b64 s[30:31], s[4:5]\n");
    }
    }
  }

  std::mt19937_64 random;
  std::ostringstream text;
  unsigned places = 0;
};

/// All that a program with such code can change.
struct Registers {
  std::array<uint32_t, 32> scalars;
  std::array<std::array<uint32_t, Wave::width>, 4> rows;
  bool operator==(const Registers &) const = default;

  explicit Registers(const Wave &wave) {
    std::memcpy(&scalars, wave.scalars, sizeof scalars);
    std::memcpy(&rows, wave.rows, sizeof rows);
  }
  void putBack(Wave &wave) const {
    std::memcpy(wave.scalars, &scalars, sizeof scalars);
    std::memcpy(wave.rows, &rows, sizeof rows);
  }
};

TEST(OnDemand, RandomCodeRunsAsDecodedWhole) {
  std::mt19937_64 random(1);
  size_t decoded = 0, all = 0, steps = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    RandomCode code(seed);
    Snippet s(seed % 2 ? "gfx942" : "gfx90a", code.str());
    for (unsigned i = 0; i < 4; ++i) {
      s.wave().scalars[8 + i] = uint32_t(random());
      for (unsigned lane = 0; lane < Wave::width; ++lane)
        s.wave().rows[i][lane] = uint32_t(random());
    }
    s.wave().setScc(false);
    const Registers before(s.wave());
    const std::vector<uint64_t> offsets = executed(s);
    const Registers after(s.wave());
    const std::shared_ptr<const DecodedProgram> whole = s.program;

    before.putBack(s.wave());
    s.wave().setScc(false);
    s.decodeOnDemand(code.symbols());
    ASSERT_EQ(executed(s), offsets) << "seed " << seed << "\n" << code.str();
    ASSERT_EQ(Registers(s.wave()), after) << "seed " << seed << "\n" << code.str();
    for (uint64_t offset : offsets) {
      const MicroOp *one = whole->at(s.base() + offset), *other = s.program->known(s.base() + offset);
      ASSERT_EQ(whole->sizeOfInstruction(one->instruction), s.program->sizeOfInstruction(other->instruction));
      ASSERT_EQ(one->opcode, other->opcode);
    }
    decoded += s.program->instructionCount();
    all += whole->instructionCount();
    steps += offsets.size();
  }
  EXPECT_LT(decoded, all * 9 / 10);
  EXPECT_GT(steps, 1500u * 30);
}

TEST(OnDemand, ThreadsReachFunctionsTogether) {
  constexpr unsigned functions = 200, threads = 4;
  std::string text = "s_nop 0\n";
  for (unsigned f = 0; f < functions; ++f)
    text += "s_endpgm\nv_add_u32_e32 v0, " + std::to_string(1000 + f) + ", v0\n";
  for (unsigned round = 0; round < 20; ++round) {
    Snippet s("gfx942", text);
    s.decodeOnDemand();
    std::vector<const MicroOp *> found[threads];
    std::vector<std::thread> running;
    for (unsigned t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        for (unsigned f = 0; f < functions; ++f) {
          const MicroOp *op = s.program->at(s.base() + 8 + 12 * ((f + t % 2 * round) % functions));
          EXPECT_EQ(s.program->sizeOfInstruction(op->instruction), 8u);
          EXPECT_EQ(*s.wave().row(op->source[0]), 1000 + (f + t % 2 * round) % functions);
          found[t].push_back(op);
        }
      });
    for (std::thread &thread : running)
      thread.join();
    EXPECT_EQ(found[0], found[2]);
    EXPECT_EQ(found[1], found[3]);
    EXPECT_EQ(s.program->instructionCount(), 2 * functions + 1) << "and the end";
  }
}

} // namespace
