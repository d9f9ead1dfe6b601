// The race check: unordered accesses of each kind with the whole text of the finding, and the ways in which correct
// kernels order accesses.
#include "test/runtime/emulator/checks/MemoryCases.h"

#include <gtest/gtest.h>

using namespace nstf::emulator::test;

namespace {

// Two waves: v2 is the address of the other wave's items.
#define OTHER "v_xor_b32 v2, 0x100, v1\n"
// Lane 0 of wave 0 only; v3 is 0.
#define FIRST "v_mov_b32 v3, 0\n v_cmp_eq_u32 vcc, 0, v0\n s_and_saveexec_b64 s[10:11], vcc\n"
#define ALL "s_mov_b64 exec, s[10:11]\n"

const std::vector<MemoryCase> common = {
    {"LDS written, then read by the other wave",
     OTHER "ds_write_b32 v1, v1\n ds_read_b32 v3, v2",
     {"race: 4 bytes at LDS offset 256 stored here and loaded by wave 0 at entry + 0x2c ('ds_read_b32 v3, v2') with no "
      "barrier between them: kernel 'k0', pc P (entry + 0x24), instruction 'ds_write_b32 v1, v1', workgroup (0, 0, 0), "
      "wave 1, lanes 0-63",
      "race: 4 bytes at LDS offset 0 loaded here and stored by wave 0 at entry + 0x24 ('ds_write_b32 v1, v1') with no "
      "barrier between them: kernel 'k0', pc P (entry + 0x2c), instruction 'ds_read_b32 v3, v2', workgroup (0, 0, 0), "
      "wave 1, lanes 0-63"},
     128},
    {"LDS read, then written by the other wave",
     OTHER "ds_read_b32 v3, v2\n s_waitcnt lgkmcnt(0)\n ds_write_b32 v1, v1",
     {"race: 4 bytes at LDS offset 0 loaded here and stored by wave 0 at entry + 0x30 ('ds_write_b32 v1, v1') with no "
      "barrier between them: kernel 'k1', pc P (entry + 0x24), instruction 'ds_read_b32 v3, v2', workgroup (0, 0, 0), "
      "wave 1, lanes 0-63",
      "race: 4 bytes at LDS offset 256 stored here and loaded by wave 0 at entry + 0x24 ('ds_read_b32 v3, v2') with no "
      "barrier between them: kernel 'k1', pc P (entry + 0x30), instruction 'ds_write_b32 v1, v1', workgroup (0, 0, 0), "
      "wave 1, lanes 0-63"},
     128},
    {"LDS written by both",
     "v_and_b32 v2, 0xfc, v1\n ds_write_b32 v2, v0",
     {"race: 4 bytes at LDS offset 0 stored here and stored by wave 0 at entry + 0x24 ('ds_write_b32 v2, v0') with no "
      "barrier between them: kernel 'k2', pc P (entry + 0x24), instruction 'ds_write_b32 v2, v0', workgroup (0, 0, 0), "
      "wave 1, lanes 0-63"},
     128},
    {"device memory, two waves",
     OTHER "global_store_dword v1, v1, s[4:5]\n global_load_dword v3, v2, s[4:5]",
     {"race: 4 bytes stored here and loaded by wave 0 at entry + 0x2c ('global_load_dword v3, v2, s[4:5]') with no "
      "barrier between them: kernel 'k3', pc P (entry + 0x24), instruction 'global_store_dword v1, v1, s[4:5]', "
      "workgroup (0, 0, 0), wave 1, lanes 0-63, address P: P is 256 bytes into allocation N [P, P), 4096 bytes",
      "race: 4 bytes loaded here and stored by wave 0 at entry + 0x24 ('global_store_dword v1, v1, s[4:5]') with no "
      "barrier between them: kernel 'k3', pc P (entry + 0x2c), instruction 'global_load_dword v3, v2, s[4:5]', "
      "workgroup (0, 0, 0), wave 1, lanes 0-63, address P: P is 0 bytes into allocation N [P, P), 4096 bytes"},
     128},
    {"device memory, two workgroups",
     "global_load_dword v3, v1, s[4:5]\n s_waitcnt vmcnt(0)\n v_add_u32 v3, 1, v3\n global_store_dword v1, v3, s[4:5]",
     {"race: 4 bytes loaded here and stored by wave 0 of workgroup (0, 0, 0) at entry + 0x2c ('global_store_dword v1, "
      "v3, s[4:5]'), and nothing orders the two workgroups: kernel 'k4', pc P (entry + 0x1c), instruction "
      "'global_load_dword v3, v1, s[4:5]', workgroup (1, 0, 0), wave 0, lanes 0-63, address P: P is 0 bytes into "
      "allocation N [P, P), 4096 bytes",
      "race: 4 bytes stored here and stored by wave 0 of workgroup (0, 0, 0) at entry + 0x2c ('global_store_dword v1, "
      "v3, s[4:5]'), and nothing orders the two workgroups: kernel 'k4', pc P (entry + 0x2c), instruction "
      "'global_store_dword v1, v3, s[4:5]', workgroup (1, 0, 0), wave 0, lanes 0-63, address P: P is 0 bytes into "
      "allocation N [P, P), 4096 bytes"},
     64,
     2},
    {"a counter that is cleared without a barrier",
     FIRST "ds_write_b32 v3, v3\n" ALL "v_mov_b32 v3, 0\n v_mov_b32 v4, 1\n ds_add_u32 v3, v4",
     {"race: 4 bytes at LDS offset 0 changed atomically here and stored by wave 0 at entry + 0x28 ('ds_write_b32 v3, "
      "v3') with no barrier between them: kernel 'k5', pc P (entry + 0x3c), instruction 'ds_add_u32 v3, v4', workgroup "
      "(0, 0, 0), wave 1, lanes 0-63"},
     128},
    {"a sum that is read without a barrier",
     "v_mov_b32 v3, 0\n v_mov_b32 v4, 1\n ds_add_u32 v3, v4\n s_waitcnt lgkmcnt(0)\n ds_read_b32 v5, v3",
     {"race: 4 bytes at LDS offset 0 changed atomically here and loaded by wave 0 at entry + 0x30 ('ds_read_b32 v5, "
      "v3') with no barrier between them: kernel 'k6', pc P (entry + 0x24), instruction 'ds_add_u32 v3, v4', workgroup "
      "(0, 0, 0), wave 1, lanes 0-63"},
     128},
    {"bytes of one dword", "v_lshrrev_b32 v2, 6, v0\n ds_write_b8 v2, v0\n ds_read_u8 v3, v2", {}, 128},
    {"bytes that meet",
     "v_lshrrev_b32 v2, 6, v0\n ds_write_b8 v2, v0\n ds_read_u16 v3, v2",
     {"race: 1 byte at LDS offset 1 stored here and loaded by wave 0 at entry + 0x28 ('ds_read_u16 v3, v2') with no "
      "barrier between them: kernel 'k8', pc P (entry + 0x20), instruction 'ds_write_b8 v2, v0', workgroup (0, 0, 0), "
      "wave 1, lane 0"},
     128},
    {"a second buffer forgotten",
     OTHER "ds_write_b32 v1, v1\n s_waitcnt lgkmcnt(0)\n s_barrier\n ds_read_b32 v3, v2\n s_waitcnt lgkmcnt(0)\n"
           "ds_write_b32 v1, v0",
     {"race: 4 bytes at LDS offset 0 loaded here and stored by wave 0 at entry + 0x40 ('ds_write_b32 v1, v0') with no "
      "barrier between them: kernel 'k9', pc P (entry + 0x34), instruction 'ds_read_b32 v3, v2', workgroup (0, 0, 0), "
      "wave 1, lanes 0-63",
      "race: 4 bytes at LDS offset 256 stored here and loaded by wave 0 at entry + 0x34 ('ds_read_b32 v3, v2') with no "
      "barrier between them: kernel 'k9', pc P (entry + 0x40), instruction 'ds_write_b32 v1, v0', workgroup (0, 0, 0), "
      "wave 1, lanes 0-63"},
     128},
    // Ordered accesses.
    {"a barrier between",
     OTHER "ds_write_b32 v1, v1\n s_waitcnt lgkmcnt(0)\n s_barrier\n ds_read_b32 v3, v2\n s_waitcnt lgkmcnt(0)\n"
           "s_barrier\n ds_write_b32 v1, v0",
     {},
     128},
    {"lanes of one wave", "v_and_b32 v2, 15, v1\n ds_write_b32 v2, v0\n ds_read_b32 v3, v1", {}, 64},
    {"atomics of all",
     "v_mov_b32 v3, 0\n v_mov_b32 v4, 1\n ds_add_u32 v3, v4\n global_atomic_add v3, v4, s[4:5]",
     {},
     256,
     4},
    {"the same value by both waves", "v_mov_b32 v3, 0\n v_mov_b32 v4, 1\n ds_write_b32 v3, v4", {}, 128},
    {"both read", "global_load_dword v3, v1, s[4:5]\n ds_read_b32 v3, v1", {}, 128, 2},
    {"the first guess of a compare-and-swap loop",
     "v_mov_b32 v3, 0\n ds_read_b32 v5, v3\n s_waitcnt lgkmcnt(0)\n v_add_u32 v4, 1, v5\n"
     "ds_cmpst_rtn_b32 v6, v3, v5, v4\n s_waitcnt lgkmcnt(0)",
     {},
     128},
    {"ordered by the chip's barrier of several waves",
     OTHER "v_mov_b32 v4, 1\n s_mov_b32 m0, 0\n s_nop 0\n ds_gws_init v4 gds\n s_waitcnt lgkmcnt(0)\n s_barrier\n"
           "global_store_dword v1, v1, s[4:5]\n s_waitcnt vmcnt(0)\n"
           "ds_gws_barrier v4 gds\n s_waitcnt lgkmcnt(0)\n global_load_dword v3, v2, s[4:5]",
     {},
     128},
    {"what a workgroup loaded before a fault",
     "s_cmp_lg_u32 s2, 0\n s_cbranch_scc1 .Lload\n global_store_dword v1, v1, s[4:5]\n s_endpgm\n .Lload:\n"
     "global_load_dword v3, v1, s[4:5]\n s_waitcnt vmcnt(0)\n s_trap 2",
     {"race: 4 bytes loaded here and stored by wave 0 of workgroup (0, 0, 0) at entry + 0x24 ('global_store_dword v1, "
      "v1, s[4:5]'), and nothing orders the two workgroups: kernel 'k17', pc P (entry + 0x30), instruction "
      "'global_load_dword v3, v1, s[4:5]', workgroup (1, 0, 0), wave 0, lanes 0-63, address P: P is 0 bytes into "
      "allocation N [P, P), 4096 bytes",
      "fault: trap 2 (abort or assertion): kernel 'k17', pc P (entry + 0x3c), instruction 's_trap 2', workgroup (1, 0, "
      "0), wave 0"},
     64,
     2},
};

// Workgroup 0 stores data and sets a flag; workgroup 1 waits for the flag and loads the data. As in compiled kernels,
// lane 0 alone sets and reads the flag (s12 is the value read).
#define HANDOVER(name, release, set, get, acquire)                                                                     \
  "v_mov_b32 v3, 0\n v_mov_b32 v4, 1\n s_cmp_lg_u32 s2, 0\n s_cbranch_scc1 .L" name "\n"                               \
  "global_store_dword v1, v1, s[4:5]\n" release "s_mov_b64 exec, 1\n" set "s_endpgm\n"                                 \
  ".L" name ":\n s_mov_b64 exec, 1\n" get "s_waitcnt vmcnt(0)\n v_readfirstlane_b32 s12, v5\n s_cmp_eq_u32 s12, 0\n"   \
  "s_cbranch_scc1 .L" name "\n s_mov_b64 exec, -1\n" acquire "global_load_dword v6, v1, s[4:5]"

const std::vector<MemoryCase> gfx942 = {
    {"handed over by an atomic store and load",
     HANDOVER("a", "buffer_wbl2 sc1\n s_waitcnt vmcnt(0)\n", "global_store_dword v3, v4, s[4:5] offset:3072 sc1\n",
              "global_load_dword v5, v3, s[4:5] offset:3072 sc1\n", "buffer_inv sc1\n"),
     {},
     64,
     2},
    {"the flag doesn't wait for the data",
     HANDOVER("b", "", "global_store_dword v3, v4, s[4:5] offset:3072 sc1\n",
              "global_load_dword v5, v3, s[4:5] offset:3072 sc1\n", "buffer_inv sc1\n"),
     {"race: 4 bytes loaded here and stored by wave 0 of workgroup (0, 0, 0) at entry + 0x2c ('global_store_dword v1, "
      "v1, s[4:5]'), and nothing orders the two workgroups: kernel 'k1', pc P (entry + 0x6c), instruction "
      "'global_load_dword v6, v1, s[4:5]', workgroup (1, 0, 0), wave 0, lanes 0-63, address P: P is 0 bytes into "
      "allocation N [P, P), 4096 bytes"},
     64,
     2},
    {"a plain flag",
     HANDOVER("c", "s_waitcnt vmcnt(0)\n", "global_store_dword v3, v4, s[4:5] offset:3072\n",
              "global_load_dword v5, v3, s[4:5] offset:3072\n", ""),
     {"race: 4 bytes loaded here and stored by wave 0 of workgroup (0, 0, 0) at entry + 0x3c ('global_store_dword v3, "
      "v4, s[4:5] offset:3072'), and nothing orders the two workgroups: kernel 'k2', pc P (entry + 0x4c), instruction "
      "'global_load_dword v5, v3, s[4:5] offset:3072', workgroup (1, 0, 0), wave 0, lane 0, address P: P is 3072 bytes "
      "into allocation N [P, P), 4096 bytes",
      "race: 4 bytes loaded here and stored by wave 0 of workgroup (0, 0, 0) at entry + 0x2c ('global_store_dword v1, "
      "v1, s[4:5]'), and nothing orders the two workgroups: kernel 'k2', pc P (entry + 0x68), instruction "
      "'global_load_dword v6, v1, s[4:5]', workgroup (1, 0, 0), wave 0, lanes 0-63, address P: P is 0 bytes into "
      "allocation N [P, P), 4096 bytes"},
     64,
     2},
    {"handed over by read-modify-write",
     HANDOVER("d", "buffer_wbl2 sc1\n s_waitcnt vmcnt(0)\n", "global_atomic_add v3, v4, s[4:5] offset:3072\n",
              "global_atomic_or v5, v3, v3, s[4:5] offset:3072 sc0\n", "buffer_inv sc1\n"),
     {},
     64,
     2},
    {"nothing is written back before",
     HANDOVER("e", "s_waitcnt vmcnt(0)\n", "global_atomic_add v3, v4, s[4:5] offset:3072\n",
              "global_atomic_or v5, v3, v3, s[4:5] offset:3072 sc0\n", "buffer_inv sc1\n"),
     {"race: 4 bytes loaded here and stored by wave 0 of workgroup (0, 0, 0) at entry + 0x2c ('global_store_dword v1, "
      "v1, s[4:5]'), which nothing has written back from the L2 (buffer_wbl2) before: kernel 'k4', pc P (entry + "
      "0x70), instruction 'global_load_dword v6, v1, s[4:5]', workgroup (1, 0, 0), wave 0, lanes 0-63, address P: P is "
      "0 bytes into allocation N [P, P), 4096 bytes"},
     64,
     2},
    {"no older line is dropped",
     HANDOVER("f", "buffer_wbl2 sc1\n s_waitcnt vmcnt(0)\n", "global_atomic_add v3, v4, s[4:5] offset:3072\n",
              "global_atomic_or v5, v3, v3, s[4:5] offset:3072 sc0\n", ""),
     {"race: 4 bytes loaded here and stored by wave 0 of workgroup (0, 0, 0) at entry + 0x2c ('global_store_dword v1, "
      "v1, s[4:5]'), and no older line is dropped (buffer_inv) after that is known: kernel 'k5', pc P (entry + 0x70), "
      "instruction 'global_load_dword v6, v1, s[4:5]', workgroup (1, 0, 0), wave 0, lanes 0-63, address P: P is 0 "
      "bytes into allocation N [P, P), 4096 bytes"},
     64,
     2},
    {"a flag of a workgroup's scope",
     HANDOVER("g", "buffer_wbl2 sc1\n s_waitcnt vmcnt(0)\n", "global_store_dword v3, v4, s[4:5] offset:3072 sc0\n",
              "global_load_dword v5, v3, s[4:5] offset:3072 sc0\n", "buffer_inv sc1\n"),
     {"race: 4 bytes loaded here and stored by wave 0 of workgroup (0, 0, 0) at entry + 0x2c ('global_store_dword v1, "
      "v1, s[4:5]'), which nothing has written back from the L2 (buffer_wbl2) before: kernel 'k6', pc P (entry + "
      "0x78), instruction 'global_load_dword v6, v1, s[4:5]', workgroup (1, 0, 0), wave 0, lanes 0-63, address P: P is "
      "0 bytes into allocation N [P, P), 4096 bytes"},
     64,
     2},
};
const std::vector<MemoryCase> gfx90a = {
    {"handed over by an atomic store and load",
     HANDOVER("a", "s_waitcnt vmcnt(0)\n", "global_store_dword v3, v4, s[4:5] offset:3072\n",
              "global_load_dword v5, v3, s[4:5] offset:3072 glc\n", "buffer_wbinvl1_vol\n"),
     {},
     64,
     2},
    {"the flag doesn't wait for the data, unmarked",
     HANDOVER("b", "", "global_store_dword v3, v4, s[4:5] offset:3072\n",
              "global_load_dword v5, v3, s[4:5] offset:3072 glc\n", "buffer_wbinvl1_vol\n"),
     {"race: 4 bytes loaded here and stored by wave 0 of workgroup (0, 0, 0) at entry + 0x2c ('global_store_dword v1, "
      "v1, s[4:5]'), and nothing orders the two workgroups: kernel 'k1', pc P (entry + 0x6c), instruction "
      "'global_load_dword v6, v1, s[4:5]', workgroup (1, 0, 0), wave 0, lanes 0-63, address P: P is 0 bytes into "
      "allocation N [P, P), 4096 bytes"},
     64,
     2},
    {"no older line is dropped",
     HANDOVER("c", "s_waitcnt vmcnt(0)\n", "global_store_dword v3, v4, s[4:5] offset:3072\n",
              "global_load_dword v5, v3, s[4:5] offset:3072 glc\n", ""),
     {"race: 4 bytes loaded here and stored by wave 0 of workgroup (0, 0, 0) at entry + 0x2c ('global_store_dword v1, "
      "v1, s[4:5]'), and no older line is dropped (buffer_inv) after that is known: kernel 'k2', pc P (entry + 0x68), "
      "instruction 'global_load_dword v6, v1, s[4:5]', workgroup (1, 0, 0), wave 0, lanes 0-63, address P: P is 0 "
      "bytes into allocation N [P, P), 4096 bytes"},
     64,
     2},
};

TEST(RaceCheckTest, Gfx942) {
  runMemoryCases("gfx942", "race", common);
  runMemoryCases("gfx942", "race", gfx942);
}
TEST(RaceCheckTest, Gfx90a) {
  runMemoryCases("gfx90a", "race", common);
  runMemoryCases("gfx90a", "race", gfx90a);
}

} // namespace
