// What a workgroup costs before, between and after its instructions.
#include "kernel.inc"

/// Nothing at all.
.text
.globl empty
.p2align 8
.type empty,@function
empty:
end empty

/// A slot's turn: launch, first instructions, kernel arguments. The LDS keeps all but one workgroup off the compute unit.
begin turn
v_lshlrev_b32 v1, 3, v0
s_mul_i32 s9, s2, s7
v_add_u32 v1, s9, v1
end turn, 32, 32, 65536

/// With a store of 8 bytes a work-item, each to its own place.
begin turn_store
v_lshlrev_b32 v1, 3, v0
s_mul_i32 s9, s2, s7
v_add_u32 v1, s9, v1
global_store_dwordx2 v1, v[2:3], s[4:5]
end turn_store, 32, 32, 65536

/// With a load instead.
begin turn_load
v_lshlrev_b32 v1, 3, v0
s_mul_i32 s9, s2, s7
v_add_u32 v1, s9, v1
global_load_dwordx2 v[2:3], v1, s[4:5]
s_waitcnt vmcnt(0)
end turn_load, 32, 32, 65536

repeated barrier, 64, s_barrier
repeated barrier_alone, 1024, s_barrier
