// Kernels beside much code that they never reach. -DDWORDS=N: how much.
//
// `direct` stores 7 for each lane; `pointer` calls a function for that, whose address only execution tells; `empty` does
// nothing.
.text
.macro BEGIN name
  .globl \name
  .p2align 8
  .type \name,@function
\name:
.endm
.macro END name
  .size \name, .-\name
.endm

  BEGIN direct
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  v_mov_b32_e32 v1, 7
  v_lshlrev_b32_e32 v0, 2, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v0, v1, s[2:3]
  s_endpgm
  END direct

  BEGIN pointer
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  v_mov_b32_e32 v1, seven-.Lhere
  v_readfirstlane_b32 s6, v1
  s_getpc_b64 s[4:5]
.Lhere:
  s_add_u32 s4, s4, s6
  s_addc_u32 s5, s5, 0
  s_swappc_b64 s[30:31], s[4:5]
  v_lshlrev_b32_e32 v0, 2, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v0, v1, s[2:3]
  s_endpgm
  END pointer

  BEGIN empty
  s_endpgm
  END empty

  BEGIN others
  .fill DWORDS, 4, 0x7e020302 // v_mov_b32_e32 v1, v2
  s_endpgm
  END others

  BEGIN seven
  v_mov_b32_e32 v1, 7
  s_setpc_b64 s[30:31]
  END seven

.rodata
.macro KERNEL name
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 40
    .amdhsa_accum_offset 8
    .amdhsa_kernarg_size 8
  .end_amdhsa_kernel
.endm
  KERNEL direct
  KERNEL pointer
  KERNEL empty
  KERNEL others

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: direct
    .symbol: direct.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - {.name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: pointer
    .symbol: pointer.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - {.name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: empty
    .symbol: empty.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - {.name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: others
    .symbol: others.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - {.name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
