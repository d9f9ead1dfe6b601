// The check for uninitialised values: each source of such a value and each use that is reported, with the whole text,
// and what correct kernels do with values that nobody wrote.
#include "test/runtime/emulator/checks/MemoryCases.h"

#include <gtest/gtest.h>

using namespace nstf::emulator::test;

namespace {

const std::vector<MemoryCase> cases = {
    // Sources of the values, and uses that are reported.
    {"a register, stored",
     "global_store_dword v1, v5, s[6:7]",
     {"uninit: v5 is undefined where stored to device memory, from v5, which was never written: kernel 'k0', pc P "
      "(entry + 0x1c), instruction 'global_store_dword v1, v5, s[6:7]', workgroup (0, 0, 0), wave 0, lanes 0-63, "
      "address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"a register as an address",
     "v_add_u32 v2, v5, v1\n global_load_dword v3, v2, s[4:5]",
     {"uninit: the address in v2 is undefined, from v5, which was never written: kernel 'k1', pc P (entry + 0x20), "
      "instruction 'global_load_dword v3, v2, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 0-63"}},
    {"a scalar register as an address",
     "s_mov_b32 s10, s4\n s_load_dword s12, s[10:11], 0x0",
     {"uninit: the address in s[10:11] is undefined, from s11, which was never written: kernel 'k2', pc P (entry + "
      "0x20), instruction 's_load_dword s12, s[10:11], 0x0', workgroup (0, 0, 0), wave 0",
      "fault: load of 4 bytes outside every allocation: kernel 'k2', pc P (entry + 0x20), instruction 's_load_dword "
      "s12, s[10:11], 0x0', workgroup (0, 0, 0), wave 0, address P: P is near no allocation"}},
    {"an accumulation register",
     "v_accvgpr_read_b32 v2, a3\n s_nop 1\n global_store_dword v1, v2, s[6:7]",
     {"uninit: v2 is undefined where stored to device memory, from a3, which was never written: kernel 'k3', pc P "
      "(entry + 0x28), instruction 'global_store_dword v1, v2, s[6:7]', workgroup (0, 0, 0), wave 0, lanes 0-63, "
      "address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"LDS, stored",
     "ds_read_b32 v2, v1 offset:16\n s_waitcnt lgkmcnt(0)\n global_store_dword v1, v2, s[4:5]",
     {"uninit: v2 is undefined where stored to device memory, from LDS offset 16, which was never written: kernel "
      "'k4', pc P (entry + 0x28), instruction 'global_store_dword v1, v2, s[4:5]', workgroup (0, 0, 0), wave 0, lanes "
      "0-63, address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"LDS as an address",
     "ds_read_b32 v2, v1\n s_waitcnt lgkmcnt(0)\n ds_read_b32 v3, v2",
     {"uninit: the address in v2 is undefined, from LDS offset 0, which was never written: kernel 'k5', pc P (entry + "
      "0x28), instruction 'ds_read_b32 v3, v2', workgroup (0, 0, 0), wave 0, lanes 0-63"}},
    {"device memory, stored",
     "global_load_dword v2, v1, s[6:7]\n s_waitcnt vmcnt(0)\n v_add_f32 v2, 1.0, v2\n"
     "global_store_dword v1, v2, s[4:5]",
     {"uninit: v2 is undefined where stored to device memory, from device memory that was never written: P is 0 bytes "
      "into allocation N [P, P), 4096 bytes: kernel 'k6', pc P (entry + 0x2c), instruction 'global_store_dword v1, v2, "
      "s[4:5]', workgroup (0, 0, 0), wave 0, lanes 0-63, address P: P is 0 bytes into allocation N [P, P), 4096 "
      "bytes"}},
    {"device memory as a branch's condition",
     "s_load_dword s10, s[6:7], 0x8\n s_waitcnt lgkmcnt(0)\n s_cmp_eq_u32 s10, 3\n s_cbranch_scc1 0\n s_nop 0",
     {"uninit: SCC is undefined where a branch depends on it, from device memory that was never written: P is 8 bytes "
      "into allocation N [P, P), 4096 bytes: kernel 'k7', pc P (entry + 0x2c), instruction 's_cbranch_scc1 0', "
      "workgroup (0, 0, 0), wave 0"}},
    {"EXEC by a comparison",
     "global_load_dword v2, v1, s[6:7]\n s_waitcnt vmcnt(0)\n v_cmp_gt_i32 vcc, 3, v2\n"
     "s_and_saveexec_b64 s[10:11], vcc",
     {"uninit: the condition that sets EXEC is undefined, from device memory that was never written: P is 0 bytes into "
      "allocation N [P, P), 4096 bytes: kernel 'k8', pc P (entry + 0x2c), instruction 's_and_saveexec_b64 s[10:11], "
      "vcc', workgroup (0, 0, 0), wave 0, lanes 0-63"}},
    {"VCC that a branch tests",
     "v_cmp_gt_i32 vcc, 3, v7\n s_cbranch_vccz 0\n s_nop 0",
     {"uninit: VCC is undefined where a branch depends on it, from v7, which was never written: kernel 'k9', pc P "
      "(entry + 0x20), instruction 's_cbranch_vccz 0', workgroup (0, 0, 0), wave 0"}},
    {"a call's target",
     "s_mov_b32 s10, s4\n s_setpc_b64 s[10:11]",
     {"uninit: the target is undefined where a branch depends on it, from s11, which was never written: kernel 'k10', "
      "pc P (entry + 0x20), instruction 's_setpc_b64 s[10:11]', workgroup (0, 0, 0), wave 0",
      "fault: jump to where no instruction begins: kernel 'k10', pc P (entry + 0x20), instruction 's_setpc_b64 "
      "s[10:11]', workgroup (0, 0, 0), wave 0, address P: P is near no allocation"}},
    {"the stack",
     "scratch_load_dword v2, off, off offset:8\n s_waitcnt vmcnt(0)\n global_store_dword v1, v2, s[4:5]",
     {"uninit: v2 is undefined where stored to device memory, from the lane's stack at offset 8, which was never "
      "written: kernel 'k11', pc P (entry + 0x28), instruction 'global_store_dword v1, v2, s[4:5]', workgroup (0, 0, "
      "0), wave 0, lanes 0-63, address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"an atomic's operand",
     "global_atomic_add v1, v9, s[4:5]",
     {"uninit: an atomic operation takes an undefined value, from v9, which was never written: kernel 'k12', pc P "
      "(entry + 0x1c), instruction 'global_atomic_add v1, v9, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 0-63, "
      "address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"an atomic on what nobody wrote",
     "global_atomic_add v1, v1, s[6:7]",
     {"uninit: an atomic operation on an undefined value, from device memory that was never written: P is 0 bytes into "
      "allocation N [P, P), 4096 bytes: kernel 'k13', pc P (entry + 0x1c), instruction 'global_atomic_add v1, v1, "
      "s[6:7]', workgroup (0, 0, 0), wave 0, lanes 0-63, address P: P is 0 bytes into allocation N [P, P), 4096 "
      "bytes"}},
    {"LDS-DMA",
     "s_mov_b32 m0, 0\n s_nop 0\n global_load_lds_dword v1, s[6:7]\n s_waitcnt vmcnt(0)\n ds_read_b32 v2, v1\n"
     "s_waitcnt lgkmcnt(0)\n global_store_dword v1, v2, s[4:5]",
     {"uninit: v2 is undefined where stored to device memory, from device memory that was never written: P is 0 bytes "
      "into allocation N [P, P), 4096 bytes: kernel 'k14', pc P (entry + 0x3c), instruction 'global_store_dword v1, "
      "v2, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 0-63, address P: P is 0 bytes into allocation N [P, P), 4096 "
      "bytes"}},
    {"M0 of LDS-DMA",
     "global_load_lds_dword v1, s[4:5]",
     {"uninit: the address in m0 is undefined, from m0, which was never written: kernel 'k15', pc P (entry + 0x1c), "
      "instruction 'global_load_lds_dword v1, s[4:5]', workgroup (0, 0, 0), wave 0"}},
    {"one lane of 64",
     "v_mov_b32 v2, 0\n s_mov_b64 exec, 0xff\n v_mov_b32 v2, v5\n s_mov_b64 exec, -1\n"
     "global_store_dword v1, v2, s[6:7]",
     {"uninit: v2 is undefined where stored to device memory, from v5, which was never written: kernel 'k16', pc P "
      "(entry + 0x30), instruction 'global_store_dword v1, v2, s[6:7]', workgroup (0, 0, 0), wave 0, lanes 0-7, "
      "address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"through a matrix product: one row",
     "v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n s_mov_b64 exec, 2\n v_mov_b32 v2, v9\n s_mov_b64 exec, -1\n s_nop 4\n"
     "v_mfma_f32_16x16x4f32 v[4:7], v2, v3, 0\n s_nop 15\n global_store_dword v1, v4, s[4:5]\n"
     "global_store_dword v1, v5, s[4:5]",
     {"uninit: v5 is undefined where stored to device memory, from v9, which was never written: kernel 'k17', pc P "
      "(entry + 0x48), instruction 'global_store_dword v1, v5, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 0-15, "
      "address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"a lane moved by DPP",
     "v_mov_b32 v2, v1\n v_mov_b32_dpp v2, v9 row_shr:1\n global_store_dword v1, v2, s[4:5]",
     {"uninit: v2 is undefined where stored to device memory, from v9, which was never written: kernel 'k18', pc P "
      "(entry + 0x28), instruction 'global_store_dword v1, v2, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 1-15, "
      "17-31, 33-47, 49-63, address P: P is 4 bytes into allocation N [P, P), 4096 bytes"}},
    {"a byte of a register",
     "v_mov_b32 v2, 0\n s_mov_b32 s20, 0x07060500\n v_perm_b32 v2, v2, v9, s20\n v_and_b32 v3, 0xf0, v2\n"
     "global_store_byte v1, v3, s[4:5]",
     {"uninit: bits 0xf0 of v3 are undefined where stored to device memory, from v9, which was never written: kernel "
      "'k19', pc P (entry + 0x38), instruction 'global_store_byte v1, v3, s[4:5]', workgroup (0, 0, 0), wave 0, lanes "
      "0-63, address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"an exchange's operand, which is its result too",
     "global_atomic_swap v9, v1, v9, s[4:5] sc0\n s_waitcnt vmcnt(0)\n global_store_dword v1, v9, s[4:5]",
     {"uninit: an atomic operation takes an undefined value, from v9, which was never written: kernel 'k20', pc P "
      "(entry + 0x1c), instruction 'global_atomic_swap v9, v1, v9, s[4:5] sc0', workgroup (0, 0, 0), wave 0, lanes "
      "0-63, address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"what an exchange finds",
     "global_atomic_swap v9, v1, v1, s[6:7] sc0\n s_waitcnt vmcnt(0)\n global_store_dword v1, v9, s[4:5]",
     {"uninit: v9 is undefined where stored to device memory, from device memory that was never written: P is 0 bytes "
      "into allocation N [P, P), 4096 bytes: kernel 'k21', pc P (entry + 0x28), instruction 'global_store_dword v1, "
      "v9, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 0-63, address P: P is 0 bytes into allocation N [P, P), 4096 "
      "bytes"}},
    {"a counter in LDS that nobody cleared",
     "v_mov_b32 v2, 0\n v_mov_b32 v3, 1\n ds_add_rtn_u32 v4, v2, v3\n s_waitcnt lgkmcnt(0)\n"
     "global_store_dword v1, v4, s[4:5]",
     {"uninit: v4 is undefined where stored to device memory, from LDS offset 0, which was never written: kernel "
      "'k22', pc P (entry + 0x30), instruction 'global_store_dword v1, v4, s[4:5]', workgroup (0, 0, 0), wave 0, lanes "
      "0-63, address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"both halves of a pair from LDS",
     "ds_write_b32 v1, v1\n s_waitcnt lgkmcnt(0)\n ds_read2_b32 v[2:3], v1 offset1:128\n s_waitcnt lgkmcnt(0)\n"
     "global_store_dword v1, v2, s[4:5]\n global_store_dword v1, v3, s[4:5]",
     {"uninit: v3 is undefined where stored to device memory, from LDS offset 512, which was never written: kernel "
      "'k23', pc P (entry + 0x3c), instruction 'global_store_dword v1, v3, s[4:5]', workgroup (0, 0, 0), wave 0, lanes "
      "0-63, address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"a byte of LDS, extended with its sign",
     "ds_read_i8 v2, v1\n s_waitcnt lgkmcnt(0)\n global_store_dword v1, v2, s[4:5]",
     {"uninit: v2 is undefined where stored to device memory, from LDS offset 0, which was never written: kernel "
      "'k24', pc P (entry + 0x28), instruction 'global_store_dword v1, v2, s[4:5]', workgroup (0, 0, 0), wave 0, lanes "
      "0-63, address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"a buffer's offset",
     "s_mov_b32 s6, 4096\n s_mov_b32 s7, 0x27000\n buffer_load_dword v2, v9, s[4:7], 0 offen",
     {"uninit: the address in v9 is undefined, from v9, which was never written: kernel 'k25', pc P (entry + 0x2c), "
      "instruction 'buffer_load_dword v2, v9, s[4:7], 0 offen', workgroup (0, 0, 0), wave 0, lanes 0-63"}},
    {"a lane read by number",
     "v_readlane_b32 s10, v9, 3\n v_mov_b32 v2, s10\n global_store_dword v1, v2, s[4:5]",
     {"uninit: v2 is undefined where stored to device memory, from v9, which was never written: kernel 'k26', pc P "
      "(entry + 0x28), instruction 'global_store_dword v1, v2, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 0-63, "
      "address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"a carry",
     "v_add_co_u32 v2, vcc, v1, v9\n v_mov_b32 v3, 0\n v_addc_co_u32 v3, vcc, v3, v3, vcc\n"
     "global_store_dword v1, v3, s[4:5]",
     {"uninit: v3 is undefined where stored to device memory, from v9, which was never written: kernel 'k27', pc P "
      "(entry + 0x28), instruction 'global_store_dword v1, v3, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 0-63, "
      "address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"a permutation through LDS",
     "v_mov_b32 v2, 4\n ds_bpermute_b32 v3, v2, v9\n s_waitcnt lgkmcnt(0)\n global_store_dword v1, v3, s[4:5]",
     {"uninit: v3 is undefined where stored to device memory, from v9, which was never written: kernel 'k28', pc P "
      "(entry + 0x2c), instruction 'global_store_dword v1, v3, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 0-63, "
      "address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"a typed buffer",
     "s_mov_b32 s10, s6\n s_mov_b32 s11, s7\n s_mov_b32 s12, s10\n s_mov_b32 s13, s11\n s_mov_b32 s14, 4096\n"
     "s_mov_b32 s15, 0x27fac\n buffer_load_format_x v2, v1, s[12:15], 0 offen\n s_waitcnt vmcnt(0)\n"
     "global_store_dword v1, v2, s[4:5]",
     {"uninit: v2 is undefined where stored to device memory, from device memory that was never written: P is 0 bytes "
      "into allocation N [P, P), 4096 bytes: kernel 'k29', pc P (entry + 0x48), instruction 'global_store_dword v1, "
      "v2, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 0-63, address P: P is 0 bytes into allocation N [P, P), 4096 "
      "bytes"}},
    {"a value that a branch decides",
     "v_mov_b32 v2, 7\n v_mov_b32 v3, 7\n v_and_b32 v5, v5, v1\n v_cmp_gt_u32 vcc, 32, v5\n"
     "s_and_saveexec_b64 s[10:11], vcc\n s_cbranch_execz 1\n v_add_u32 v3, v2, v2\n s_or_b64 exec, exec, s[10:11]\n"
     "global_store_dword v1, v2, s[4:5]\n global_store_dword v1, v3, s[4:5]",
     {"uninit: v3 is undefined where stored to device memory, from v5, which was never written: kernel 'k30', pc P "
      "(entry + 0x44), instruction 'global_store_dword v1, v3, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 8-63, "
      "address P: P is 32 bytes into allocation N [P, P), 4096 bytes"}},
    {"a branch around a store",
     "v_cmp_gt_u32 vcc, 32, v5\n s_and_saveexec_b64 s[10:11], vcc\n s_cbranch_execz 3\n v_mov_b32 v3, 1\n"
     "global_store_dword v1, v3, s[4:5]\n s_or_b64 exec, exec, s[10:11]",
     {"uninit: the condition that sets EXEC is undefined, from v5, which was never written: kernel 'k31', pc P "
      "(entry + 0x20), instruction 's_and_saveexec_b64 s[10:11], vcc', workgroup (0, 0, 0), wave 0, lanes 0-63"}},
    {"a branch around a mask that is used behind it",
     "s_mov_b64 s[12:13], 0\n v_cmp_gt_u32 vcc, 32, v5\n s_and_saveexec_b64 s[10:11], vcc\n"
     "v_cmp_gt_u32 vcc, 16, v1\n s_and_b64 s[12:13], vcc, exec\n s_or_b64 exec, exec, s[10:11]\n"
     "v_cndmask_b32 v2, 0, 1, s[12:13]\n global_store_dword v1, v2, s[4:5]",
     {"uninit: bits 0x1 of v2 are undefined where stored to device memory, from v5, which was never written: kernel "
      "'k32', pc P (entry + 0x3c), instruction 'global_store_dword v1, v2, s[4:5]', workgroup (0, 0, 0), wave 0, lanes "
      "0-63, address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"a loop that decides a value, and one around a store",
     "v_mov_b32 v2, v1\n v_mov_b32 v3, v5\n v_cmp_gt_u32 vcc, 32, v3\n s_and_saveexec_b64 s[10:11], vcc\n"
     "s_cbranch_execz 8\n s_mov_b64 s[12:13], 0\n v_add_u32 v3, 8, v3\n v_add_u32 v2, 1, v2\n"
     "v_cmp_le_u32 vcc, 32, v3\n s_or_b64 s[12:13], vcc, s[12:13]\n s_andn2_b64 exec, exec, s[12:13]\n"
     "s_cbranch_execnz -6\n s_or_b64 exec, exec, s[12:13]\n s_or_b64 exec, exec, s[10:11]\n"
     "global_store_dword v1, v1, s[4:5]\n global_store_dword v1, v2, s[4:5]\n"
     "v_cmp_gt_u32 vcc, 32, v6\n s_and_saveexec_b64 s[10:11], vcc\n global_store_dword v1, v1, s[4:5]\n"
     "s_andn2_b64 exec, exec, vcc\n s_cbranch_execnz -4\n s_or_b64 exec, exec, s[10:11]",
     {"uninit: v2 is undefined where stored to device memory, from v5, which was never written: kernel 'k33', pc P "
      "(entry + 0x5c), instruction 'global_store_dword v1, v2, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 0-63, "
      "address P: P is 0 bytes into allocation N [P, P), 4096 bytes",
      "uninit: the condition that sets EXEC is undefined, from v6, which was never written: kernel 'k33', pc P (entry "
      "+ "
      "0x68), instruction 's_and_saveexec_b64 s[10:11], vcc', workgroup (0, 0, 0), wave 0, lanes 0-63",
      "uninit: the condition that sets EXEC is undefined, from v6, which was never written: kernel 'k33', pc P (entry "
      "+ "
      "0x74), instruction 's_andn2_b64 exec, exec, vcc', workgroup (0, 0, 0), wave 0, lanes 0-63"}},
    // Uses in correct kernels.
    {"loaded and never used", "global_load_dword v2, v1, s[6:7]\n s_waitcnt vmcnt(0)", {}},
    {"copied through registers and LDS, then masked away",
     "global_load_dword v2, v1, s[6:7]\n s_waitcnt vmcnt(0)\n ds_write_b32 v1, v2\n s_waitcnt lgkmcnt(0)\n"
     "ds_read_b32 v3, v1\n s_waitcnt lgkmcnt(0)\n v_and_b32 v3, 0, v3\n global_store_dword v1, v3, s[4:5]",
     {}},
    {"one byte of a dword that is half written",
     "global_store_byte v1, v1, s[6:7]\n s_waitcnt vmcnt(0)\n global_load_dword v2, v1, s[6:7]\n s_waitcnt vmcnt(0)\n"
     "v_and_b32 v2, 0xff, v2\n global_store_dword v1, v2, s[4:5]",
     {}},
    {"cleared by itself", "v_xor_b32 v2, v5, v5\n v_bfe_u32 v3, v1, 0, 8\n global_store_dword v1, v3, s[6:7]", {}},
    {"lanes that are off",
     "v_cmp_gt_u32 vcc, 32, v0\n s_and_saveexec_b64 s[10:11], vcc\n v_mov_b32 v2, 1\n global_store_dword v1, v2, "
     "s[6:7]\n s_mov_b64 exec, s[10:11]\n v_cndmask_b32 v3, v1, v2, vcc\n global_store_dword v1, v3, s[4:5]",
     {}},
    {"a mask with garbage where lanes are off",
     "s_mov_b64 exec, 0xffff\n v_cmp_gt_u32 vcc, 8, v0\n s_andn2_b64 s[12:13], s[14:15], exec\n"
     "s_and_b64 s[16:17], vcc, exec\n s_or_b64 s[12:13], s[12:13], s[16:17]\n"
     "s_and_saveexec_b64 s[18:19], s[12:13]\n s_cbranch_execz 0",
     {}},
    {"addresses by the lane's number, and counters",
     "s_mov_b32 m0, 0\n s_nop 0\n ds_write_addtid_b32 v1\n s_waitcnt lgkmcnt(0)\n ds_read_addtid_b32 v2\n"
     "ds_append v3\n s_waitcnt lgkmcnt(0)\n ds_wrxchg2_rtn_b32 v[4:5], v1, v1, v1 offset1:1\n s_waitcnt lgkmcnt(0)\n"
     "global_store_dword v1, v2, s[4:5]\n global_store_dword v1, v3, s[4:5]\n global_store_dword v1, v4, s[4:5]",
     {}},
    {"outside a buffer: zero",
     "s_mov_b32 s6, 0\n s_mov_b32 s7, 0x27000\n buffer_load_dword v2, v1, s[4:7], 0 offen\n s_waitcnt vmcnt(0)\n"
     "global_store_dword v1, v2, s[4:5]",
     {}},
    {"a typed buffer that was written",
     "s_mov_b32 s14, 4096\n s_mov_b32 s15, 0x27fac\n s_mov_b32 s12, s4\n s_mov_b32 s13, s5\n"
     "buffer_load_format_x v2, v1, s[12:15], 0 offen\n s_waitcnt vmcnt(0)\n global_store_dword v1, v2, s[4:5]",
     {}},
    {"written by the kernel",
     "global_store_dword v1, v1, s[6:7]\n s_waitcnt vmcnt(0)\n global_load_dword v2, v1, s[6:7]\n s_waitcnt vmcnt(0)\n"
     "global_store_dword v1, v2, s[4:5]",
     {}},
    {"swapped into memory nobody wrote", "global_atomic_swap v1, v1, s[6:7]", {}},
    {"padding of a structure",
     "v_mov_b32 v2, v1\n s_mov_b32 s20, 0xffff\n v_bfi_b32 v3, s20, v1, v9\n"
     "global_store_dwordx2 v1, v[2:3], s[6:7]",
     {}},
    {"the upper half of a wide multiplication's addend",
     "v_mad_u64_u32 v[2:3], s[10:11], v1, v1, v[4:5]\n v_mov_b32 v4, v1\n"
     "v_mad_u64_u32 v[2:3], s[10:11], v1, v1, v[4:5]\n global_store_dword v1, v2, s[4:5]",
     {}},
    {"a branch around arithmetic that decides a value nobody takes",
     "v_mov_b32 v2, 7\n v_cmp_gt_u32 vcc, 32, v5\n s_and_saveexec_b64 s[10:11], vcc\n s_xor_b64 s[12:13], exec, "
     "s[10:11]\n s_cbranch_execz 2\n v_add_u32 v3, v2, v2\n v_mov_b32 v4, 1\n s_andn2_saveexec_b64 s[10:11], "
     "s[12:13]\n v_mov_b32 v3, 2\n s_or_b64 exec, exec, s[10:11]\n global_store_dword v1, v2, s[4:5]",
     {}},
    {"multiplied by zero, and the bits below a product",
     "v_mul_lo_u32 v2, v5, 0\n global_store_dword v1, v2, s[4:5]\n v_mul_hi_u32 v2, 0, v5\n"
     "global_store_dword v1, v2, s[4:5]\n v_mad_u64_u32 v[2:3], s[10:11], v5, 0, v[0:1]\n"
     "global_store_dwordx2 v1, v[2:3], s[4:5]\n v_mul_u32_u24 v2, 16, v5\n v_and_b32 v2, 15, v2\n"
     "global_store_dword v1, v2, s[4:5]",
     {}},
    {"decided by the bits that are there",
     "v_and_b32 v2, 0xff, v5\n v_cmp_gt_u32 vcc, 0x100, v2\n s_and_saveexec_b64 s[10:11], vcc\n"
     "v_or_b32 v3, 1, v5\n v_cmp_ne_u32 vcc, 0, v3\n s_and_saveexec_b64 s[10:11], vcc",
     {}},
    {"a row of a matrix that isn't stored",
     "v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n s_mov_b64 exec, 2\n v_mov_b32 v2, v9\n s_mov_b64 exec, -1\n s_nop 4\n"
     "v_mfma_f32_16x16x4f32 v[4:7], v2, v3, 0\n s_nop 15\n global_store_dword v1, v4, s[4:5]",
     {}},
};

TEST(UninitCheckTest, Gfx942) { runMemoryCases("gfx942", "uninit", cases); }

} // namespace
