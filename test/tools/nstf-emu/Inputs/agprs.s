; A kernel as people write them by hand: its metadata counts the VGPRs and has no .agpr_count.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .text
  .globl agprs
  .p2align 8
  .type agprs,@function
agprs:
  v_accvgpr_write_b32 a150, v0
  s_endpgm
.Lend:
  .size agprs, .Lend-agprs
  .rodata
  .p2align 6
  .amdhsa_kernel agprs
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 247
    .amdhsa_next_free_sgpr 8
    .amdhsa_accum_offset 96
  .end_amdhsa_kernel
  .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: agprs
    .symbol: agprs.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 96
    .max_flat_workgroup_size: 1024
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
  .end_amdgpu_metadata
