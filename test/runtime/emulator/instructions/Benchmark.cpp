// The emulator's speed on one thread.
//
// bench-emulator [gfx942|gfx90a] [--count]: loops of one kind of instruction, in wave instructions per second; matrix
// instructions also in GFLOP/s. NSTF_EMU_VECTORS=AVX2 measures what a host without AVX-512 gives, --count what counting
// costs.
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/Statistics.h"
#include "test/runtime/emulator/instructions/Snippet.h"

#include <cstdio>
#include <ctime>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

/// CPU time of this process, which leaves out other work on the machine.
double processorSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// Runs `body` repeated `unroll` times in a loop. Returns the seconds per body.
double secondsOf(const std::string &target, const std::string &body, unsigned unroll, ExecutionCounters *counters,
                 void (*prepare)(Snippet &)) {
  std::string text = "loop:\n";
  for (unsigned i = 0; i < unroll; ++i)
    text += body + "\n";
  text += "s_sub_u32 s40, s40, 1\ns_cmp_lg_u32 s40, 0\ns_cbranch_scc1 loop";
  Snippet snippet(target, text, 65536);
  prepare(snippet);
  if (counters)
    snippet.count(*counters);
  unsigned rounds = 16;
  for (;;) {
    snippet.wave().scalars[40] = rounds;
    double start = processorSeconds();
    snippet.run();
    double seconds = processorSeconds() - start;
    if (seconds > 0.1)
      return seconds / rounds / unroll;
    rounds *= 4;
  }
}

alignas(256) char memory[1 << 16];

void prepare(Snippet &s) {
  s.allow(memory, sizeof(memory));
  for (unsigned l = 0; l < 64; ++l) {
    s.setLane<uint64_t>(2, l, reinterpret_cast<uint64_t>(memory) + l * 16);
    s.wave().rows[4][l] = l * 16;
    for (unsigned r = 8; r < 24; ++r)
      s.setLane<float>(r, l, 0.5f + float(l) / 100);
  }
  s.wave().setScalar64(20, reinterpret_cast<uint64_t>(memory));
  s.wave().scalars[22] = sizeof(memory);
  s.wave().scalars[26] = 0x3f000000;
}

} // namespace

int main(int argc, char **argv) {
  std::string target = argc > 1 ? argv[1] : "gfx942";
  ExecutionCounters counters(/*ldsBanks=*/32);
  bool counts = argc > 2 && std::string(argv[2]) == "--count";
  if (!Target::find(target)) {
    std::fprintf(stderr, "error: unknown target '%s'\n", target.c_str());
    return 1;
  }
  bool cdna3 = target == "gfx942";
  struct Row {
    const char *name;
    std::string body;
    unsigned instructions;
    double flops;
  };
  const Row rows[] = {
      {"v_fma_f32", "v_fma_f32 v8, v9, v10, v11", 1, 128},
      {"v_fmac_f32, one source an SGPR", "v_fmac_f32 v8, s26, v10", 1, 128},
      {"v_pk_fma_f32", "v_pk_fma_f32 v[8:9], v[10:11], v[12:13], v[14:15]", 1, 256},
      {"v_fma_f32 with neg and abs", "v_fma_f32 v8, -v9, |v10|, v11", 1, 128},
      {"v_add_u32", "v_add_u32 v8, v9, v10", 1, 0},
      {"v_exp_f32", "v_exp_f32 v8, v9", 1, 0},
      {"v_cmp, v_cndmask", "v_cmp_lt_f32 vcc, v8, v9\nv_cndmask_b32 v10, v11, v12, vcc", 2, 0},
      {"v_add_f32 with DPP", "v_add_f32_dpp v8, v9, v10 row_shr:1 row_mask:0xf bank_mask:0xf", 1, 0},
      {"SALU mix", "s_add_u32 s2, s3, s4\ns_addc_u32 s5, s6, 0\ns_lshl_b32 s7, s2, 3\ns_and_b32 s8, s7, s5", 4, 0},
      {"ds_read_b128, ds_write_b128", "ds_read_b128 v[8:11], v4\nds_write_b128 v4, v[8:11]", 2, 0},
      {"ds_read_b32", "ds_read_b32 v8, v4", 1, 0},
      {"ds_bpermute_b32", "ds_bpermute_b32 v8, v4, v9", 1, 0},
      {"buffer_load_dwordx4", "buffer_load_dwordx4 v[8:11], v4, s[20:23], 0 offen", 1, 0},
      {"buffer_load_dword", "buffer_load_dword v8, v4, s[20:23], 0 offen", 1, 0},
      {"global_load_dwordx4", "global_load_dwordx4 v[8:11], v[2:3], off", 1, 0},
      {"mfma f32 16x16x4",
       cdna3 ? "v_mfma_f32_16x16x4_f32 a[0:3], v8, v9, a[0:3]" : "v_mfma_f32_16x16x4f32 a[0:3], v8, v9, a[0:3]", 1,
       2048},
      {"mfma f32 32x32x2",
       cdna3 ? "v_mfma_f32_32x32x2_f32 a[0:15], v8, v9, a[0:15]" : "v_mfma_f32_32x32x2f32 a[0:15], v8, v9, a[0:15]", 1,
       4096},
      {"mfma f16 16x16x16",
       cdna3 ? "v_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[10:11], a[0:3]"
             : "v_mfma_f32_16x16x16f16 a[0:3], v[8:9], v[10:11], a[0:3]",
       1, 8192},
      {"mfma f16 32x32x8",
       cdna3 ? "v_mfma_f32_32x32x8_f16 a[0:15], v[8:9], v[10:11], a[0:15]"
             : "v_mfma_f32_32x32x8f16 a[0:15], v[8:9], v[10:11], a[0:15]",
       1, 16384},
  };
  std::printf("%s, host vectors %s%s\n", target.c_str(), hostVectorTarget().c_str(), counts ? ", counting" : "");
  for (const Row &row : rows) {
    double seconds = secondsOf(target, row.body, 32, counts ? &counters : nullptr, prepare);
    std::printf("%-34s %8.1f M wave instructions/s", row.name, row.instructions / seconds / 1e6);
    if (row.flops > 0)
      std::printf(" %8.1f GFLOP/s", row.flops / seconds / 1e9);
    std::printf("\n");
  }
}
