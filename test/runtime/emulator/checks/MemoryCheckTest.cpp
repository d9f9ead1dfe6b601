// The memory check: each kind of wrong access with the whole text of its finding.
#include "test/runtime/emulator/checks/MemoryCases.h"

#include <gtest/gtest.h>

using namespace nstf::emulator::test;

namespace {

const std::vector<MemoryCase> cases = {
    {"in bounds", "global_load_dword v2, v1, s[4:5]\n s_waitcnt vmcnt(0)\n global_store_dword v1, v2, s[6:7]", {}},
    {"past the end, in the upper lanes",
     "global_load_dword v2, v1, s[4:5] offset:3968",
     {"memory: load of 4 bytes outside every allocation: kernel 'k1', pc P (entry + 0x1c), instruction "
      "'global_load_dword v2, v1, s[4:5] offset:3968', workgroup (0, 0, 0), wave 0, lanes 32-63, address P: P is 0 "
      "bytes past the end of allocation N [P, P), 4096 bytes"}},
    {"before the begin",
     "global_store_dword v1, v1, s[4:5] offset:-4",
     {"memory: store of 4 bytes outside every allocation: kernel 'k2', pc P (entry + 0x1c), instruction "
      "'global_store_dword v1, v1, s[4:5] offset:-4', workgroup (0, 0, 0), wave 0, lane 0, address P: P is 4 bytes "
      "before the begin of allocation N [P, P), 4096 bytes"}},
    {"after it was freed",
     "global_load_dword v2, v1, s[8:9]",
     {"memory: load of 4 bytes outside every allocation: kernel 'k3', pc P (entry + 0x1c), instruction "
      "'global_load_dword v2, v1, s[8:9]', workgroup (0, 0, 0), wave 0, lanes 0-63, address P: P is 0 bytes into "
      "allocation N [P, P), 256 bytes, which was freed"}},
    {"null pointer",
     "v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n global_load_dword v4, v[2:3], off offset:16",
     {"memory: load of 4 bytes outside every allocation: kernel 'k4', pc P (entry + 0x24), instruction "
      "'global_load_dword v4, v[2:3], off offset:16', workgroup (0, 0, 0), wave 0, lanes 0-63, address 0x10: 0x10 is a "
      "null pointer plus 16 bytes"}},
    {"no address at all",
     "v_mov_b32 v2, -1\n v_mov_b32 v3, -1\n global_load_dwordx4 v[4:7], v[2:3], off",
     {"memory: load of 16 bytes outside every allocation: kernel 'k5', pc P (entry + 0x24), instruction "
      "'global_load_dwordx4 v[4:7], v[2:3], off', workgroup (0, 0, 0), wave 0, lanes 0-63, address P: P is near no "
      "allocation"}},
    {"scalar, past the end",
     "s_load_dwordx2 s[10:11], s[4:5], 0x1000",
     {"memory: load of 8 bytes outside every allocation: kernel 'k6', pc P (entry + 0x1c), instruction 's_load_dwordx2 "
      "s[10:11], s[4:5], 0x1000', workgroup (0, 0, 0), wave 0, address P: P is 0 bytes past the end of allocation N "
      "[P, P), 4096 bytes"}},
    {"scalar, unaligned",
     "s_add_u32 s10, s4, 2\n s_mov_b32 s11, s5\n s_load_dword s12, s[10:11], 0x0",
     {"memory: scalar access at an address that is not a multiple of 4 (the low bits are ignored): kernel 'k7', pc P "
      "(entry + 0x24), instruction 's_load_dword s12, s[10:11], 0x0', workgroup (0, 0, 0), wave 0, address P: P is 2 "
      "bytes into allocation N [P, P), 4096 bytes"}},
    {"store to the arguments",
     "v_mov_b32 v2, 0\n global_store_dword v2, v1, s[0:1]",
     {"memory: store to the kernel's arguments: kernel 'k8', pc P (entry + 0x20), instruction 'global_store_dword v2, "
      "v1, s[0:1]', workgroup (0, 0, 0), wave 0, lanes 0-63, address P: P is near no allocation"}},
    {"unaligned atomic",
     "v_mov_b32 v3, 1\n v_mov_b32 v2, 6\n global_atomic_add v2, v3, s[4:5]",
     {"memory: atomic operation of 4 bytes at an address that is not a multiple of its size: kernel 'k9', pc P (entry "
      "+ 0x24), instruction 'global_atomic_add v2, v3, s[4:5]', workgroup (0, 0, 0), wave 0, lanes 0-63, address P: P "
      "is 6 bytes into allocation N [P, P), 4096 bytes"}},
    {"aligned atomic", "v_mov_b32 v3, 1\n v_mov_b32 v2, 8\n global_atomic_add v2, v3, s[4:5]", {}},
    {"unaligned atomic in LDS",
     "v_mov_b32 v3, 1\n v_add_u32 v2, 2, v1\n ds_add_u32 v2, v3",
     {"memory: atomic operation of 4 bytes at LDS offset 2, which is not a multiple of its size: kernel 'k11', pc P "
      "(entry + 0x24), instruction 'ds_add_u32 v2, v3', workgroup (0, 0, 0), wave 0, lanes 0-63"}},
    {"unaligned read of LDS, which the chips do",
     "v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n ds_write_b64 v2, v[2:3] offset:1\n ds_read_b64 v[4:5], v2 offset:1",
     {}},
    {"past the LDS",
     "ds_write_b32 v1, v1 offset:896",
     {"memory: store of 4 bytes at LDS offset 1024, outside the 1024 bytes of the workgroup: kernel 'k13', pc P (entry "
      "+ 0x1c), instruction 'ds_write_b32 v1, v1 offset:896', workgroup (0, 0, 0), wave 0, lanes 32-63"}},
    {"far past the LDS",
     "v_mov_b32 v2, -16\n ds_read_b32 v3, v2",
     {"memory: load of 4 bytes at LDS offset -16, outside the 1024 bytes of the workgroup: kernel 'k14', pc P (entry + "
      "0x20), instruction 'ds_read_b32 v3, v2', workgroup (0, 0, 0), wave 0, lanes 0-63"}},
    {"into another allocation",
     "s_sub_u32 s10, s6, s4\n v_add_u32 v2, s10, v1\n global_load_dword v3, v2, s[4:5]",
     {"memory: the access ends in another allocation than it starts from: P is 0 bytes into allocation N [P, P), 4096 "
      "bytes: kernel 'k15', pc P (entry + 0x24), instruction 'global_load_dword v3, v2, s[4:5]', workgroup (0, 0, 0), "
      "wave 0, lanes 0-63, address P: P is 0 bytes into allocation N [P, P), 4096 bytes"}},
    {"outside a buffer's range, which reads zero",
     "s_mov_b32 s6, 128\n s_mov_b32 s7, 0x27000\n buffer_load_dword v2, v1, s[4:7], 0 offen\n"
     "buffer_store_dword v1, v1, s[4:7], 0 offen",
     {}},
    {"a buffer's range past its allocation",
     "s_mov_b32 s6, 0x10000\n s_mov_b32 s7, 0x27000\n v_lshlrev_b32 v2, 8, v0\n"
     "buffer_load_dword v3, v2, s[4:7], 0 offen",
     {"memory: load of 4 bytes outside every allocation: kernel 'k17', pc P (entry + 0x30), instruction "
      "'buffer_load_dword v3, v2, s[4:7], 0 offen', workgroup (0, 0, 0), wave 0, lanes 16-63, address P: P is 0 bytes "
      "past the end of allocation N [P, P), 4096 bytes"}},
    {"a branch to nowhere",
     "s_mov_b64 s[10:11], 64\n s_setpc_b64 s[10:11]",
     {"fault: jump to where no instruction begins: kernel 'k18', pc P (entry + 0x20), instruction 's_setpc_b64 "
      "s[10:11]', workgroup (0, 0, 0), wave 0, address 0x40: 0x40 is a null pointer plus 64 bytes"}},
    {"past the LDS in a loop, which goes on",
     "s_mov_b32 s10, 3\n .Lpast:\n ds_read_b32 v3, v1 offset:1024\n s_sub_u32 s10, s10, 1\n s_cmp_lg_u32 s10, 0\n"
     "s_cbranch_scc1 .Lpast",
     {"memory: load of 4 bytes at LDS offset 1024, outside the 1024 bytes of the workgroup: kernel 'k19', pc P (entry "
      "+ "
      "0x20), instruction 'ds_read_b32 v3, v1 offset:1024', workgroup (0, 0, 0), wave 0, lanes 0-63 (3 times)"}},
};

TEST(MemoryCheckTest, Gfx942) { runMemoryCases("gfx942", "memory", cases); }
TEST(MemoryCheckTest, Gfx90a) { runMemoryCases("gfx90a", "memory", cases); }

} // namespace
