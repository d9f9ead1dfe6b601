// Vector instructions, scalar ones, and what fetching them costs.
#include "kernel.inc"

repeated vector_add_u32, 1024, v_add_u32 v8, v9, v10
repeated vector_fma_f32, 1024, v_fma_f32 v8, v9, v10, v11
repeated vector_fma_f64, 1024, v_fma_f64 v[8:9], v[10:11], v[12:13], v[14:15]
repeated vector_mul_lo_u32, 1024, v_mul_lo_u32 v8, v9, v10
repeated vector_dependent, 1024, v_add_u32 v8, v8, v9
repeated packed_fma_f32, 1024, v_pk_fma_f32 v[8:9], v[10:11], v[12:13], v[14:15]
repeated packed_add_f16, 1024, v_pk_add_f16 v8, v9, v10
repeated transcendental_exp, 512, v_exp_f32 v8, v9
repeated transcendental_rcp, 512, v_rcp_f32 v8, v9
repeated transcendental_sqrt, 512, v_sqrt_f32 v8, v9
repeated transcendental_log, 512, v_log_f32 v8, v9
repeated transcendental_sin, 512, v_sin_f32 v8, v9

/// An exponential and a plain instruction never overlap.
begin transcendental_vector
loop
.rept 256
v_exp_f32 v8, v9
v_add_u32 v8, v9, v10
.endr
again
end transcendental_vector

/// Every instruction of 8 bytes lies across a boundary of 8.
begin crossing_fma_f32
loop
s_nop 0
.rept 1024
v_fma_f32 v8, v9, v10, v11
.endr
again
end crossing_fma_f32

/// Two waves of a SIMD, four of them: a vector and a scalar instruction go out side by side.
begin mixed_scalar
loop
.rept 512
v_add_u32 v8, v9, v10
s_add_u32 s9, s10, s11
.endr
again
end mixed_scalar

repeated scalar_add, 1024, s_add_u32 s9, s10, s11
repeated scalar_nop, 256, s_nop 7
repeated scalar_sleep, 16, s_sleep 8
repeated scalar_memtime, 512, s_memtime s[10:11]

begin branch_taken
loop
.rept 128
s_branch 2f
2:
.endr
again
end branch_taken

/// Loops of 28 and 44 bytes, in one window of 32 and in three.
begin loop_in_window
loop
v_pk_fma_f32 v[8:9], v[10:11], v[12:13], v[14:15]
v_pk_fma_f32 v[8:9], v[10:11], v[12:13], v[14:15]
again
end loop_in_window

begin loop_across_windows
.p2align 6
.rept 6
s_nop 0
.endr
1:
.rept 4
v_fma_f64 v[8:9], v[10:11], v[12:13], v[14:15]
.endr
again
end loop_across_windows

begin branch_not_taken
s_cmp_eq_u32 s6, 0
loop
s_cmp_eq_u32 s6, 0
.rept 128
s_cbranch_scc1 3f
.endr
again
3:
end branch_not_taken

/// A loop of 80 KB: more than an instruction cache holds.
repeated cold_loop, 20480, v_add_u32 v8, v9, v10

/// Loops a sixteenth shorter than the instruction cache and a quarter longer.
#ifdef __gfx942__
#define CACHED 16384
#else
#define CACHED 8192
#endif
repeated code_that_fits, CACHED * 15 / 16, v_add_u32 v8, v9, v10
repeated code_beyond, CACHED * 5 / 4, v_add_u32 v8, v9, v10

/// 32 KB of code once: each line is fetched for the first time. s7: the wave leaves in the middle.
begin cold_code
s_cmp_lg_u32 s7, 0
s_cbranch_scc1 2f
.rept 4096
v_add_u32 v8, v9, v10
.endr
2:
.rept 4096
v_add_u32 v8, v9, v10
.endr
end cold_code

/// Clocks of the kernel's loop by its own reading, to memory.
begin self_timed
v_mov_b32 v4, 0
s_memtime s[12:13]
s_waitcnt lgkmcnt(0)
loop
.rept 256
v_add_u32 v8, v9, v10
.endr
again
s_memtime s[14:15]
s_waitcnt lgkmcnt(0)
s_sub_u32 s14, s14, s12
s_subb_u32 s15, s15, s13
v_mov_b32 v2, s14
v_mov_b32 v3, s15
global_store_dwordx2 v4, v[2:3], s[4:5]
end self_timed
