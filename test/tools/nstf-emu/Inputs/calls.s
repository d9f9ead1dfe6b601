; A kernel that calls a function that stands before it.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .text
  .p2align 8
callee:
  v_mov_b32_e32 v0, 1
  s_setpc_b64 s[30:31]
  .globl calls
  .p2align 8
  .type calls,@function
calls:
  s_call_b64 s[30:31], callee
  s_endpgm
.Lend:
  .size calls, .Lend-calls
  .rodata
  .p2align 6
  .amdhsa_kernel calls
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 40
    .amdhsa_accum_offset 8
  .end_amdhsa_kernel
  .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: calls
    .symbol: calls.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
  .end_amdgpu_metadata
