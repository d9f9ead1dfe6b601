// Measures "the whole compute ISA": every LLVM opcode of the chip, with each kind of operand its encoding takes, either
// decodes to micro-ops that run or is listed in NotExecuted.def with its reason.
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/decode/NotExecuted.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/GlobalWaveSync.h"
#include "runtime/emulator/instructions/HandlerTable.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/Memory.h"
#include "test/runtime/emulator/decode/EveryInstruction.h"

#include <cstring>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <random>
#include <set>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

/// Images, exports and interpolation are not part of the compute ISA.
bool isGraphics(const std::string &name) {
  return name.starts_with("IMAGE_") || name.starts_with("EXP_") || name.starts_with("V_INTERP_");
}
bool isListed(const std::string &name) {
  for (const NotExecuted &entry : notExecuted())
    if (entry.name == name)
      return true;
  return false;
}

const std::vector<KnownInstruction> &getInstructions(const std::string &target) {
  static std::map<std::string, std::vector<KnownInstruction>> known;
  auto found = known.find(target);
  return found != known.end() ? found->second : known.emplace(target, everyInstruction(target)).first->second;
}

/// All shapes of all instructions as one program, and the offset of each.
struct Catalogue {
  struct Place {
    const KnownInstruction *instruction;
    size_t shape, offset;
  };
  const std::vector<KnownInstruction> &instructions;
  std::vector<Place> places;
  std::vector<uint8_t> text;
  std::shared_ptr<const DecodedProgram> program;

  explicit Catalogue(const std::string &target) : instructions(getInstructions(target)) {
    for (const KnownInstruction &instruction : instructions)
      for (size_t shape = 0; shape < instruction.shapes.size(); ++shape) {
        places.push_back({&instruction, shape, text.size()});
        text.insert(text.end(), instruction.shapes[shape].begin(), instruction.shapes[shape].end());
        if (instruction.name.starts_with("S_SET_GPR_IDX_")) { // changes how the next ones decode
          const uint8_t off[] = {0, 0, 0x9c, 0xbf};           // s_set_gpr_idx_off
          text.insert(text.end(), std::begin(off), std::end(off));
        }
      }
    std::span<const uint8_t> span(text);
    program = decodeProgram(*Target::find(target), {&span, 1});
  }
  bool traps(const Place &place) const {
    const MicroOp *op = program->at(reinterpret_cast<uint64_t>(text.data()) + place.offset);
    return !op || Opcode(op->opcode) == Opcode::Trap;
  }
};

class Coverage : public testing::TestWithParam<const char *> {};

TEST_P(Coverage, EveryInstructionRunsOrIsListed) {
  Catalogue catalogue(GetParam());
  std::set<std::string> names, trapping, graphics;
  std::map<std::string, std::string> example;
  size_t shapes = 0, opcodes = 0;
  for (const Catalogue::Place &place : catalogue.places) {
    const KnownInstruction &instruction = *place.instruction;
    if (isGraphics(instruction.name)) {
      graphics.insert(instruction.name);
      continue;
    }
    names.insert(instruction.name);
    ++shapes;
    opcodes += place.shape == 0;
    if (!catalogue.traps(place))
      continue;
    std::string text = getText(GetParam(), instruction.shapes[place.shape]);
    if (text.find(" gds") != std::string::npos && !isListed(instruction.name))
      continue; // the assembler refuses it: these chips have no global data share
    trapping.insert(instruction.name);
    example.emplace(instruction.name, instruction.opcode + ": " + text);
  }
  std::cout << GetParam() << ": " << opcodes << " opcodes of LLVM's, " << names.size() << " instructions, " << shapes
            << " encodings; " << graphics.size() << " image instructions don't count; not run: " << trapping.size()
            << " instructions\n";
  for (const std::string &name : trapping) {
    EXPECT_TRUE(isListed(name)) << "neither a meaning nor a reason for " << example[name];
    std::cout << "  " << name << "\n";
  }
  EXPECT_GT(names.size(), 1000u) << "the catalogue is too small to prove anything";
  EXPECT_GT(shapes, 50000u);
}

/// A wave over the catalogue's program. Its SGPRs hold addresses and buffer resources of a piece of memory; its VGPRs
/// hold addresses in that memory or small offsets.
class Sandbox {
public:
  Sandbox(const Catalogue &catalogue, const std::string &target) : state(std::make_unique<Wave>()), lds(65536) {
    launch.target = Target::find(target);
    launch.program = catalogue.program.get();
    launch.regions = &table;
    launch.ldsBytes = uint32_t(lds.size());
    launch.scratchBytes = 4096;
    launch.wavesPerGroup = 1;
    launch.waveSync = &sync;
    group.launch = &launch;
    group.lds = lds.data();
    group.waves = {state.get()};
    Wave &w = *state;
    std::memset(static_cast<void *>(&w), 0, sizeof(w));
    w.vectorBase[0] = reinterpret_cast<const char *>(w.rows);
    w.vectorBase[1] = reinterpret_cast<const char *>(catalogue.program->vectorConstants());
    w.scalarBase[0] = reinterpret_cast<const char *>(w.scalars);
    w.scalarBase[1] = reinterpret_cast<const char *>(catalogue.program->scalarConstants());
    w.group = &group;
    w.scratch = reinterpret_cast<uint64_t>(scratch.data());
  }
  /// Runs one instruction. Returns false if it faulted.
  bool run(const MicroOp *op, bool addresses) {
    Wave &w = *state;
    uint64_t address = reinterpret_cast<uint64_t>(memory.data()) + 4096;
    for (unsigned row = 0; row < 2 * vgprRows; ++row)
      for (unsigned lane = 0; lane < Wave::width; ++lane)
        w.rows[row][lane] = addresses && row % 4 == 0   ? uint32_t(address) + lane * 16
                            : addresses && row % 4 == 1 ? uint32_t(address >> 32)
                                                        : lane * 16;
    // As a buffer resource: 4 KiB of 8-bit unsigned integers with the components in order.
    const uint32_t quad[4] = {uint32_t(address), uint32_t(address >> 32) & 0xffff, 4096,
                              4 | 5 << 3 | 6 << 6 | 7 << 9 | 4 << 12 | 1 << 15};
    for (unsigned i = 0; i < sgpr::vcc; ++i)
      w.scalars[i] = addresses || i % 4 < 3 || i < 12 ? quad[i % 4] : 0;
    w.scalars[sgpr::m0] = 16;
    w.setExec(0xffff00ff00ffffffull);
    w.mode = mode::floatDefault;
    w.hint = nullptr;
    w.status = WaveStatus::Running;
    w.fuel = 1000;
    try {
      for (uint32_t number = op->instruction; op && op->instruction == number;)
        op = op->handler(w, op);
    } catch (const WaveFault &) {
      return false;
    }
    return true;
  }

private:
  std::unique_ptr<Wave> state;
  std::vector<uint8_t> lds;
  std::vector<uint64_t> memory = std::vector<uint64_t>(8192), scratch = std::vector<uint64_t>(4096 * 64 / 8);
  std::vector<Region> regions{
      {reinterpret_cast<uint64_t>(memory.data()), reinterpret_cast<uint64_t>(memory.data() + memory.size()), true}};
  RegionTable table{regions};
  GlobalWaveSync sync{1};
  Launch launch = {};
  Workgroup group;
};

/// Every encoding runs to its end or faults, with registers that hold numbers and with registers that hold addresses.
TEST_P(Coverage, EveryEncodingRuns) {
  Catalogue catalogue(GetParam());
  Sandbox sandbox(catalogue, GetParam());
  std::set<std::string> known, ran;
  for (const Catalogue::Place &place : catalogue.places) {
    const std::string &name = place.instruction->name;
    // The first shape of each instruction and every 32nd other: about a second.
    if (place.shape % 32 || isGraphics(name) || catalogue.traps(place))
      continue;
    known.insert(name);
    const MicroOp *op = catalogue.program->at(reinterpret_cast<uint64_t>(catalogue.text.data()) + place.offset);
    for (bool addresses : {false, true})
      if (sandbox.run(op, addresses))
        ran.insert(name);
  }
  EXPECT_GT(known.size(), 1000u);
  // Jumps to places without code, and instructions that stop a wave.
  const std::set<std::string> fault = {"S_RFE_B64", "S_RFE_RESTORE_B64", "S_SETPC_B64", "S_SWAPPC_B64",
                                       "S_TRAP",    "S_SENDMSGHALT",     "S_SETHALT"};
  for (const std::string &name : known)
    EXPECT_TRUE(ran.count(name) || fault.count(name)) << name << " always faults";
}

/// Flips bits of the operands at random: what LLVM still reads as the same instruction must run, except with operands
/// that the hardware does not have.
TEST_P(Coverage, OperandsAreWhateverTheirBitsSay) {
  std::string target = GetParam();
  Disassembler disassembler(*Target::find(target));
  std::mt19937 random(11);
  std::vector<uint8_t> text;
  std::vector<std::pair<size_t, std::string>> places;
  RawInstruction raw;
  for (const KnownInstruction &instruction : getInstructions(target)) {
    if (isGraphics(instruction.name) || isListed(instruction.name) || instruction.name.starts_with("S_SET_GPR_IDX_"))
      continue;
    for (unsigned variant = 0; variant < 12; ++variant) {
      std::vector<uint8_t> bytes = instruction.shapes[random() % instruction.shapes.size()];
      for (unsigned flips = 1 + random() % 4; flips; --flips) {
        unsigned bit = unsigned(random() % (bytes.size() * 8));
        bytes[bit / 8] ^= uint8_t(1u << bit % 8);
      }
      unsigned size = 0;
      if (!disassembler.decode(bytes, 0, raw, size) || raw.encoding->name != instruction.name || size != bytes.size())
        continue;
      places.emplace_back(text.size(), instruction.name);
      text.insert(text.end(), bytes.begin(), bytes.end());
    }
  }
  EXPECT_GT(places.size(), 10000u);
  std::span<const uint8_t> span(text);
  auto program = decodeProgram(*Target::find(target), {&span, 1});
  for (const auto &[offset, name] : places) {
    const MicroOp *op = program->at(reinterpret_cast<uint64_t>(text.data()) + offset);
    if (op && Opcode(op->opcode) != Opcode::Trap)
      continue;
    std::string assembly = disassembler.print(std::span(text).subspan(offset), 0);
    bool impossible = assembly.find("/*Invalid") != std::string::npos || assembly.find(" src_") != std::string::npos ||
                      assembly.find(" gds") != std::string::npos || name == "V_CNDMASK_B32"; // its mask in a VGPR
    EXPECT_TRUE(impossible) << assembly;
  }
}

TEST(NotExecutedList, IsShortAndNeedsEachOfItsNames) {
  EXPECT_LE(notExecuted().size(), 40u);
  std::set<std::string> known;
  for (const char *target : {"gfx90a", "gfx942"})
    for (const KnownInstruction &instruction : getInstructions(target))
      known.insert(instruction.name);
  for (const NotExecuted &entry : notExecuted()) {
    EXPECT_GT(entry.reason.size(), 20u) << entry.name;
    EXPECT_TRUE(known.count(std::string(entry.name))) << entry.name << " is no instruction of these chips";
    EXPECT_EQ(findOpcode(entry.name), Opcode::Trap) << entry.name << " has a meaning";
  }
}

/// The mnemonics of AMD's shipped GEMM, BLAS and attention kernels for these chips, most used first.
TEST(Census, EveryInstructionOfShippedKernelsHasAMeaning) {
  const char *const names[] = {
#include "test/runtime/emulator/decode/Inputs/census.inc"
  };
  // The assembler spells some names differently from LLVM's tables: v_mfma_f32_16x16x16_f16, and _bf16 for BF16_1K.
  auto letters = [](std::string_view name) {
    std::string result;
    for (char c : name)
      if (c != '_')
        result += char(std::toupper(c));
    return result;
  };
  std::set<std::string> known;
  for (unsigned i = 0; i < unsigned(Opcode::Trap); ++i)
    known.insert(letters(getInfo(Opcode(i)).name));
  unsigned count = 0;
  for (std::string name : names) {
    for (char &c : name)
      c = char(std::toupper(c));
    if (name.ends_with("_E32"))
      name.resize(name.size() - 4);
    std::string plain = letters(parseName(name).name);
    EXPECT_TRUE(known.count(plain) || known.count(plain + "1K")) << name;
    ++count;
  }
  EXPECT_EQ(count, 502u);
}

INSTANTIATE_TEST_SUITE_P(Targets, Coverage, testing::Values("gfx90a", "gfx942"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
