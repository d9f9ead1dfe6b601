// Matrix instructions: each alone, and what runs in its shadow.
#include "kernel.inc"

/// NAME_dependent: one accumulator; NAME_independent: two in turns.
.macro matrix name, one, other, operands:vararg
  begin \name\()_dependent
  loop
  .rept 256
  v_\name \one, \operands, \one
  .endr
  again
  end \name\()_dependent, 16, 80
  begin \name\()_independent
  loop
  .rept 128
  v_\name \one, \operands, \one
  v_\name \other, \operands, \other
  .endr
  again
  end \name\()_independent, 16, 80
.endm

#define C32 a[0:31], a[32:63]
#define C16 a[0:15], a[16:31]
#define C8 a[0:7], a[8:15]
#define C4 a[0:3], a[4:7]
#define C2 a[0:1], a[2:3]

#ifdef __gfx942__
#define SHADE v_mfma_f32_16x16x16_f16
matrix mfma_f32_32x32x2_f32, C16, v0, v1
matrix mfma_f32_32x32x1_2b_f32, C32, v0, v1
matrix mfma_f32_16x16x4_f32, C4, v0, v1
matrix mfma_f32_16x16x1_4b_f32, C16, v0, v1
matrix mfma_f32_4x4x1_16b_f32, C4, v0, v1
matrix mfma_f32_32x32x4_xf32, C16, v[0:1], v[2:3]
matrix mfma_f32_16x16x8_xf32, C4, v[0:1], v[2:3]
matrix mfma_f32_32x32x8_f16, C16, v[0:1], v[2:3]
matrix mfma_f32_16x16x16_f16, C4, v[0:1], v[2:3]
matrix mfma_f32_32x32x4_2b_f16, C32, v[0:1], v[2:3]
matrix mfma_f32_16x16x4_4b_f16, C16, v[0:1], v[2:3]
matrix mfma_f32_4x4x4_16b_f16, C4, v[0:1], v[2:3]
matrix mfma_f32_32x32x8_bf16, C16, v[0:1], v[2:3]
matrix mfma_f32_16x16x16_bf16, C4, v[0:1], v[2:3]
matrix mfma_i32_32x32x16_i8, C16, v[0:1], v[2:3]
matrix mfma_i32_16x16x32_i8, C4, v[0:1], v[2:3]
matrix mfma_f32_32x32x16_fp8_fp8, C16, v[0:1], v[2:3]
matrix mfma_f32_16x16x32_fp8_fp8, C4, v[0:1], v[2:3]
matrix mfma_f32_16x16x32_bf8_fp8, C4, v[0:1], v[2:3]
matrix mfma_f64_16x16x4_f64, C8, v[0:1], v[2:3]
matrix mfma_f64_4x4x4_4b_f64, C2, v[0:1], v[2:3]

/// Sparse ones have their accumulator as destination only.
.macro sparse name, one, other, operands:vararg
  begin \name\()_dependent
  loop
  .rept 256
  v_\name \one, \operands
  .endr
  again
  end \name\()_dependent, 16, 80
  begin \name\()_independent
  loop
  .rept 128
  v_\name \one, \operands
  v_\name \other, \operands
  .endr
  again
  end \name\()_independent, 16, 80
.endm
sparse smfmac_f32_32x32x16_f16, C16, v[0:1], v[2:5], v6
sparse smfmac_f32_16x16x32_f16, C4, v[0:1], v[2:5], v6
sparse smfmac_i32_32x32x32_i8, C16, v[0:1], v[2:5], v6
sparse smfmac_f32_16x16x64_fp8_fp8, C4, v[0:1], v[2:5], v6

/// A sparse instruction of 16 clocks and four plain ones.
begin shadow_sparse
loop
.rept 256
v_smfmac_f32_16x16x32_f16 a[0:3], v[0:1], v[2:5], v6
v_add_u32 v8, v9, v10
v_add_u32 v8, v9, v10
v_add_u32 v8, v9, v10
v_add_u32 v8, v9, v10
.endr
again
end shadow_sparse, 16, 32
#else
#define SHADE v_mfma_f32_16x16x16f16
matrix mfma_f32_32x32x2f32, C16, v0, v1
matrix mfma_f32_32x32x1f32, C32, v0, v1
matrix mfma_f32_16x16x4f32, C4, v0, v1
matrix mfma_f32_16x16x1f32, C16, v0, v1
matrix mfma_f32_4x4x1f32, C4, v0, v1
matrix mfma_f32_32x32x8f16, C16, v[0:1], v[2:3]
matrix mfma_f32_16x16x16f16, C4, v[0:1], v[2:3]
matrix mfma_f32_32x32x4f16, C32, v[0:1], v[2:3]
matrix mfma_f32_16x16x4f16, C16, v[0:1], v[2:3]
matrix mfma_f32_4x4x4f16, C4, v[0:1], v[2:3]
matrix mfma_f32_32x32x8bf16_1k, C16, v[0:1], v[2:3]
matrix mfma_f32_16x16x16bf16_1k, C4, v[0:1], v[2:3]
matrix mfma_f32_32x32x4bf16, C16, v0, v1
matrix mfma_f32_16x16x8bf16, C4, v0, v1
matrix mfma_i32_32x32x8i8, C16, v0, v1
matrix mfma_i32_16x16x16i8, C4, v0, v1
matrix mfma_f64_16x16x4f64, C8, v[0:1], v[2:3]
matrix mfma_f64_4x4x4f64, C2, v[0:1], v[2:3]
#endif

/// shadow_N: a 16x16x16 f16 and N plain vector instructions of the same wave behind it. All are
/// of 8 bytes, so that none lies across a boundary.
.macro shadow count
  begin shadow_\count
  loop
  .rept 256
  SHADE a[0:3], v[0:1], v[2:3], a[0:3]
  .rept \count
  v_add3_u32 v8, v9, v10, v11
  .endr
  .endr
  again
  end shadow_\count, 16, 32
.endm
.irp count, 1, 2, 3, 4, 5, 6, 7, 8
  shadow \count
.endr

begin shadow_packed
loop
.rept 256
SHADE a[0:3], v[0:1], v[2:3], a[0:3]
v_pk_fma_f32 v[8:9], v[10:11], v[12:13], v[14:15]
.endr
again
end shadow_packed, 16, 32

begin shadow_exp
loop
.rept 256
SHADE a[0:3], v[0:1], v[2:3], a[0:3]
v_exp_f32 v8, v9
.endr
again
end shadow_exp, 16, 32

/// Two matrix instructions, three plain ones under the first, an exponential under the second.
begin shadow_mixed
loop
.rept 256
SHADE a[0:3], v[0:1], v[2:3], a[0:3]
v_add3_u32 v8, v9, v10, v11
v_add3_u32 v8, v9, v10, v11
v_add3_u32 v8, v9, v10, v11
SHADE a[0:3], v[0:1], v[2:3], a[0:3]
v_exp_f32_e64 v8, v9
.endr
again
end shadow_mixed, 16, 32

/// Waves 0 to 3 execute matrix instructions, 4 to 7 what follows, s7 times as often: waves i and i + 4 share a SIMD.
.macro beside name, count, instruction:vararg
  begin \name
  v_lshrrev_b32 v8, 8, v0
  s_nop 0
  v_readfirstlane_b32 s9, v8
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 2f
  loop
  .rept 256
  SHADE a[0:3], v[0:1], v[2:3], a[0:3]
  .endr
  again
  s_endpgm
  .p2align 6
2:
  .rept 256
  .rept \count
  \instruction
  .endr
  .endr
  s_sub_u32 s6, s6, 1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 2b
  end \name, 16, 32
.endm
beside beside_vector, 3, v_add_u32 v8, v9, v10
beside beside_packed, 1, v_pk_fma_f32 v[8:9], v[10:11], v[12:13], v[14:15]
