// Two loops with known waits, the first around the second, and a third that never waits.
  .text
  .globl loops
  .p2align 8
  .type loops,@function
loops:
outer:
  s_mov_b32 s9, 4
inner:
  s_waitcnt vmcnt(1)                                      // the first load, and of the last round
  v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15] // 32 clk
  buffer_load_dwordx4 v[4:7], v40, s[0:3], 0 offen
  ds_read_b128 v[8:11], v41
  v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]
  ds_read2st64_b64 v[12:15], v41 offset1:1
  buffer_load_dword v16, v40, s[0:3], 0 offen
  v_mfma_f32_16x16x16_f16 v[20:23], v[0:1], v[2:3], v[20:23] // 16 clk
  s_waitcnt lgkmcnt(1)                                    // ds_read_b128: 48 clk
  s_waitcnt lgkmcnt(0)                                    // ds_read2st64_b64: 16 clk
  v_accvgpr_read_b32 v24, a0
  v_exp_f32_e32 v25, v24
  v_add_f32_e32 v25, v25, v24
  ds_write_b64 v41, v[12:13]
  s_nop 3
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_waitcnt lgkmcnt(0)                                    // before the barrier
  s_nop 0
  s_barrier
  s_cbranch_scc1 inner
  s_sub_u32 s10, s10, 1
  s_cbranch_scc1 outer
streams:
  buffer_store_dwordx2 v[0:1], v40, s[0:3], 0 offen
  s_branch streams
  s_endpgm
  .size loops, .-loops

  .rodata
  .p2align 6
  .amdhsa_kernel loops
    .amdhsa_next_free_vgpr 64
    .amdhsa_next_free_sgpr 16
    .amdhsa_accum_offset 48
  .end_amdhsa_kernel
