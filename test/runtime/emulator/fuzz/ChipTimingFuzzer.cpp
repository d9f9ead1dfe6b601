// Fuzzes the timing model's constants: parses any text as a file of --timing and, if it is one, times a kernel on that
// chip.
#include "test/runtime/emulator/fuzz/FuzzProgram.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <cstdlib>

using namespace nstf::emulator;

namespace {

// Memory, LDS, scalar memory, the matrix core, a barrier, an atomic, a sleep and a loop.
constexpr const char *kernel = R"(
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_mov_b32 s4, 3
  s_waitcnt lgkmcnt(0)
loop:
  global_load_dword v2, v1, s[2:3]
  s_waitcnt vmcnt(0)
  ds_write_b32 v1, v2
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v1
  s_waitcnt lgkmcnt(0)
  v_mfma_f32_4x4x1f32 v[4:7], v2, v3, 0
  v_exp_f32 v3, v3
  s_sleep 1
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 loop
  s_nop 7
  global_store_dword v1, v4, s[2:3] offset:1024
  global_atomic_add v2, v1, v2, s[2:3] glc
  s_waitcnt vmcnt(0)
  s_endpgm
)";

const std::vector<std::byte> &objectOf(const Target &target) {
  static std::vector<std::byte> objects[2];
  std::vector<std::byte> &own = objects[&target - Target::all().data()];
  if (own.empty()) {
    using namespace llvm::amdhsa;
    kernel_descriptor_t descriptor = {};
    uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
    uint16_t properties = 0;
    AMDHSA_BITS_SET(rsrc1, COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT, 1);
    AMDHSA_BITS_SET(rsrc3, COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET, 3);
    AMDHSA_BITS_SET(properties, KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR, 1u);
    AMDHSA_BITS_SET(rsrc2, COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT, 2u);
    descriptor.group_segment_fixed_size = 1024;
    descriptor.kernarg_size = 64;
    descriptor.compute_pgm_rsrc1 = rsrc1;
    descriptor.compute_pgm_rsrc2 = rsrc2;
    descriptor.compute_pgm_rsrc3 = rsrc3;
    descriptor.kernel_code_properties = properties;
    std::string text = kernel;
    if (target.name == "gfx942")
      text.replace(text.find(" glc"), 4, " sc0");
    own = fuzz::makeCodeObject(target, descriptor, test::assemble(target.name, text));
  }
  return own;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  timing::ChipTiming chip;
  try {
    chip = timing::ChipTiming::parse({reinterpret_cast<const char *>(data), size}, "chip.yaml");
  } catch (const std::runtime_error &error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos)
      std::abort(); // a message is one line
    return 0;
  }
  const Target *target = Target::find(chip.target);
  if (!target)
    return 0;
  fuzz::RunChoices run;
  run.workItems = 128;
  run.workgroups = 20;
  run.stepLimit = 10000; // the kernel ends earlier
  run.timed.chip = &chip;
  run.timed.twice = true;
  fuzz::loadAndRun(*target, objectOf(*target), run);
  return 0;
}
