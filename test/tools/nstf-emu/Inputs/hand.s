; A kernel without metadata: stores the dword at offset 8 of its arguments to the address at offset 0, lane by lane.
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .text
  .globl hand
  .p2align 8
  .type hand,@function
hand:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  s_load_dword s4, s[0:1], 0x8
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v2, s4
  global_store_dword v1, v2, s[2:3]
  s_endpgm
  .long 0xffffffff
.Lend:
  .size hand, .Lend-hand
  .rodata
  .p2align 6
  .amdhsa_kernel hand
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 3
    .amdhsa_next_free_sgpr 8
    .amdhsa_accum_offset 4
  .end_amdhsa_kernel
