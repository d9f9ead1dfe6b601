// Fuzzes execution: streams of valid instructions on one or two waves over a sandboxed memory, on both chips and in
// both matrix modes, with checks, without checks or in predicted time. They go through dispatch like every launch.
//
// Input: five bytes of choices (chip, mode, checks, waves; MODE; LDS and registers; timing; workgroups and rounds),
// then machine code, which may run in a loop. A prologue leaves pointers and buffer descriptors in the registers that
// mutations name most, so that memory instructions find memory. Mutations insert instructions from a table of all that
// LLVM encodes for the chip, and flip bits of operands.
#include "test/runtime/emulator/decode/EveryInstruction.h"
#include "test/runtime/emulator/fuzz/FuzzProgram.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <map>
#include <random>

using namespace nstf::emulator;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {
constexpr size_t choiceBytes = 5, maxCode = 1024;

const Target &targetOf(uint8_t choice) { return Target::all()[choice & 1]; }

// s[8:11] and s[4:7] describe two buffers and begin with their addresses; the first is the workgroup's part, the second
// is read-only. v[4:5] is an address in the first for each lane, v8 a small offset and v9 0. VGPRs from v12 and AGPRs
// hold numbers. s60 counts the rounds of the loop.
constexpr const char *prologue = R"(
  s_lshl_b32 s12, GROUP, 12
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_load_dwordx4 s[4:7], s[0:1], 0x10
  v_lshlrev_b32 v8, 4, v0
  v_mov_b32 v9, 0
  s_waitcnt lgkmcnt(0)
  s_add_u32 s8, s8, s12
  s_addc_u32 s9, s9, 0
  s_movk_i32 s10, 0x1000
  v_mov_b32 v1, s9
  v_add_co_u32 v4, vcc, s8, v8
  v_addc_co_u32 v5, vcc, 0, v1, vcc
  global_load_dwordx4 v[12:15], v[4:5], off
  global_load_dwordx4 v[16:19], v[4:5], off offset:1024
  global_load_dwordx4 v[20:23], v[4:5], off offset:2048
  s_load_dwordx8 s[16:23], s[4:5], 0x40
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_accvgpr_write_b32 a4, v12
  v_accvgpr_write_b32 a5, v13
  v_accvgpr_write_b32 a8, v14
  v_accvgpr_write_b32 a9, v15
  ds_write_b128 v8, v[12:15]
  s_mov_b32 m0, -1
  s_waitcnt lgkmcnt(0)
)";

const std::vector<uint8_t> &prologueOf(const Target &target) {
  static std::vector<uint8_t> code[2];
  std::vector<uint8_t> &own = code[&target - Target::all().data()];
  if (own.empty()) {
    std::string text = target.architectedFlatScratch ? "" : "s_mov_b64 flat_scratch, s[2:3]\n";
    text += prologue;
    text.replace(text.find("GROUP"), 5, target.architectedFlatScratch ? "s2" : "s4");
    own = test::assemble(target.name, text);
  }
  return own;
}

llvm::amdhsa::kernel_descriptor_t descriptorOf(const Target &target, uint8_t mode, uint8_t sizes) {
  using namespace llvm::amdhsa;
  kernel_descriptor_t d = {};
  d.group_segment_fixed_size = sizes & 1 ? 65536 : 1024;
  d.private_segment_fixed_size = sizes & 2 ? 64 : 0;
  d.kernarg_size = 64;
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0;
  // All 512 registers, with AGPRs from 256 on.
  AMDHSA_BITS_SET(rsrc1, COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT, 63);
  AMDHSA_BITS_SET(rsrc3, COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET, 63);
  AMDHSA_BITS_SET(rsrc1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32, (mode & 3u));
  AMDHSA_BITS_SET(rsrc1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_16_64, (mode >> 2 & 3u));
  AMDHSA_BITS_SET(rsrc1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32, (~(mode >> 4) & 3u));
  AMDHSA_BITS_SET(rsrc1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_16_64, (~(mode >> 6) & 3u));
  AMDHSA_BITS_SET(rsrc1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP, (sizes >> 2 & 1u));
  AMDHSA_BITS_SET(rsrc1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE, (sizes >> 3 & 1u));
  AMDHSA_BITS_SET(rsrc1, COMPUTE_PGM_RSRC1_GFX9_PLUS_FP16_OVFL, (sizes >> 4 & 1u));
  AMDHSA_BITS_SET(properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR, 1u);
  uint32_t userSgprs = 2;
  if (!target.architectedFlatScratch) {
    AMDHSA_BITS_SET(properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT, 1u);
    userSgprs += 2;
  }
  AMDHSA_BITS_SET(rsrc2, COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT, userSgprs);
  AMDHSA_BITS_SET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X, 1u);
  AMDHSA_BITS_SET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT, (sizes >> 1 & 1u));
  d.compute_pgm_rsrc1 = rsrc1;
  d.compute_pgm_rsrc2 = rsrc2;
  d.compute_pgm_rsrc3 = rsrc3;
  d.kernel_code_properties = properties;
  return d;
}

/// Encodings of one instruction, back to back.
struct Shapes {
  unsigned bytes; // per encoding
  std::vector<uint8_t> all;
};

/// All instructions of a chip, encoded at the first mutation.
const std::vector<Shapes> &getInstructions(const Target &target) {
  static std::vector<Shapes> known[2];
  std::vector<Shapes> &own = known[&target - Target::all().data()];
  if (own.empty())
    for (const test::KnownInstruction &instruction : test::everyInstruction(target.name)) {
      Shapes shapes{unsigned(instruction.shapes.front().size()), {}};
      for (const std::vector<uint8_t> &bytes : instruction.shapes)
        if (bytes.size() == shapes.bytes)
          shapes.all.insert(shapes.all.end(), bytes.begin(), bytes.end());
      own.push_back(std::move(shapes));
    }
  return own;
}

} // namespace

namespace {

/// The prologue, then the input's code, repeated `rounds` times.
std::vector<uint8_t> getProgram(const Target &target, std::span<const uint8_t> input, unsigned rounds) {
  std::vector<uint8_t> code = prologueOf(target);
  auto append = [&](std::initializer_list<uint32_t> words) {
    for (uint32_t word : words)
      for (unsigned byte = 0; byte < 4; ++byte)
        code.push_back(uint8_t(word >> 8 * byte));
  };
  if (rounds > 1)
    append({0xb03c0000 | rounds}); // s_movk_i32 s60, rounds
  const size_t begin = code.size();
  code.insert(code.end(), input.begin(), input.end());
  code.resize((code.size() + 3) / 4 * 4);
  if (rounds > 1) {
    // s_sub_u32 s60, s60, 1; s_cmp_lg_u32 s60, 0; s_cbranch_scc1 back to the begin
    append({0x80bc813c, 0xbf07803c});
    append({0xbf850000 | (uint32_t(-int64_t(code.size() - begin) / 4 - 1) & 0xffff)});
  }
  append({0xbf810000}); // s_endpgm
  return code;
}

/// Each chip of the target; `small` gives one compute unit per XCD, so that few workgroups fill it several times.
const timing::ChipTiming &chipOf(const Target &target, unsigned choice, bool small) {
  static std::map<std::string, std::vector<timing::ChipTiming>> known;
  std::vector<timing::ChipTiming> &own = known[target.name];
  if (own.empty()) {
    const std::string usual = target.name == "gfx90a" ? "mi250x" : "mi300x";
    std::vector<std::string> names = timing::ChipTiming::names();
    std::ranges::stable_partition(names, [&](const std::string &name) { return name == usual; });
    for (const std::string &name : names)
      if (timing::ChipTiming chip = timing::ChipTiming::find(name); chip.target == target.name) {
        own.push_back(chip);
        chip.computeUnits = chip.xcds;
        own.push_back(chip);
      }
  }
  return own[choice % (own.size() / 2) * 2 + small];
}

fuzz::TimedChoices timedChoices(const Target &target, uint8_t choice) {
  fuzz::TimedChoices timed;
  timed.compare = true;
  timed.options.runAhead = !(choice & 1);
  if (choice & 2)
    timed.options.budget = 1;
  timed.options.sampledOnly = choice & 4;
  timed.options.clockMhz = choice & 8 ? 1000 : 0;
  timed.chip = &chipOf(target, choice >> 5 & 3, choice & 16);
  timed.twice = choice & 128;
  return timed;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < choiceBytes || size > choiceBytes + maxCode)
    return -1; // keep it out of the corpus
  const uint8_t choice = data[0];
  const Target &target = targetOf(choice);
  static constexpr unsigned rounds[] = {1, 2, 8, 60}, workgroups[] = {1, 5, 30, 120};
  // A quarter of the runs is unchecked, as most launches are; a quarter is timed.
  static constexpr const char *checks[8] = {"", "", "", "", "all", "memory,uninit", "race", "hazard,wait"};
  fuzz::RunChoices run;
  run.exact = choice & 2;
  run.workItems = choice & 4 ? choice & 8 ? 100 : 128 : choice & 8 ? 50 : 64;
  run.workgroups = workgroups[data[4] >> 2 & 3] + (choice & 128 ? 1 : 0);
  run.checks = checks[choice >> 4 & 7];
  run.stepLimit = data[4] & 15 ? 50000 : 1000;
  if ((choice >> 4 & 6) == 2)
    run.timed = timedChoices(target, data[3]);
  const std::vector<uint8_t> code = getProgram(target, {data + choiceBytes, data + size}, rounds[data[4] & 3]);
  fuzz::loadAndRun(target, fuzz::makeCodeObject(target, descriptorOf(target, data[1], data[2]), code), run);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  maxSize = std::min(maxSize, choiceBytes + maxCode);
  if (maxSize < choiceBytes + 16)
    return LLVMFuzzerMutate(data, size, maxSize);
  if (size < choiceBytes) {
    std::memset(data + size, 0, choiceBytes - size);
    size = choiceBytes;
  }
  std::vector<uint8_t> code(data + choiceBytes, data + size);
  code.resize(code.size() / 4 * 4);
  const size_t words = code.size() / 4, at = words ? random() % words * 4 : 0;
  switch (random() % 8) {
  case 0:
    data[random() % choiceBytes] = uint8_t(random());
    break;
  case 1: // a bit of an operand
  case 2:
    if (words)
      code[at + random() % 4] ^= uint8_t(1u << random() % 8);
    break;
  case 3:
    if (words)
      code.erase(code.begin() + long(at), code.begin() + long(at) + 4);
    break;
  case 4:
    if (words) {
      LLVMFuzzerMutate(code.data() + at, 4, 4);
      break;
    }
    [[fallthrough]];
  default: { // an instruction
    const std::vector<Shapes> &all = getInstructions(targetOf(data[0]));
    const Shapes &shapes = all[random() % all.size()];
    const auto begin = shapes.all.begin() + long(random() % (shapes.all.size() / shapes.bytes) * shapes.bytes);
    code.insert(code.begin() + long(random() % 2 ? at : code.size()), begin, begin + shapes.bytes);
  }
  }
  code.resize(std::min(code.size(), (maxSize - choiceBytes) / 4 * 4));
  std::copy(code.begin(), code.end(), data + choiceBytes);
  return choiceBytes + code.size();
}
