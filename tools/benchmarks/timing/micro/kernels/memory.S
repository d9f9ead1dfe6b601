// Memory: chases through chains of pointers, streams over a set of a size, and what one small workgroup a slot waits for.
#include "kernel.inc"

#ifdef __gfx942__
#define COHERENT sc1
#else
#define COHERENT glc
#endif

/// One work-item follows the chain at s[4:5].
.macro chase name, policy
  begin \name
  s_mov_b64 exec, 1
  v_mov_b32 v2, s4
  v_mov_b32 v3, s5
  loop
  .rept 64
  global_load_dwordx2 v[2:3], v[2:3], off \policy
  s_waitcnt vmcnt(0)
  .endr
  again
  end \name
.endm
chase chase_plain
chase chase_coherent, COHERENT

begin chase_scalar
loop
.rept 64
s_load_dwordx2 s[4:5], s[4:5], 0x0
s_waitcnt lgkmcnt(0)
.endr
again
end chase_scalar

/// Every workgroup of 256 goes over the same s7 bytes s6 times, 16 bytes a lane at v2.
.macro shared name, instruction:vararg
  begin \name
  v_lshlrev_b32 v1, 4, v0
  loop
  s_mov_b32 s9, 0
  2:
  .rept 4
  v_add_u32 v2, s9, v1
  \instruction
  s_add_u32 s9, s9, 4096
  .endr
  s_cmp_lt_u32 s9, s7
  s_cbranch_scc1 2b
  again
  s_waitcnt vmcnt(0)
  end \name
.endm
shared shared_read, global_load_dwordx4 v[4:7], v2, s[4:5]
shared shared_write, global_store_dwordx4 v2, v[4:7], s[4:5]

/// Each workgroup of 256 has a part of s6 times 8 KiB to itself, 16 bytes a lane. s8: its distance to the next one's, of 8 KiB.
.macro stream name
  begin \name
  s_mul_i32 s9, s2, s8
  s_mul_hi_u32 s11, s9, 0x2000
  s_mul_i32 s10, s9, 0x2000
  s_add_u32 s4, s4, s10
  s_addc_u32 s5, s5, s11
  v_lshlrev_b32 v1, 4, v0
  v_add_u32 v2, 0x1000, v1
.endm
.macro streamed name
  s_add_u32 s4, s4, 0x2000
  s_addc_u32 s5, s5, 0
  again
  s_waitcnt vmcnt(0)
  end \name
.endm
stream stream_read
loop
global_load_dwordx4 v[4:7], v1, s[4:5]
global_load_dwordx4 v[8:11], v2, s[4:5]
streamed stream_read
stream stream_write
loop
global_store_dwordx4 v1, v[4:7], s[4:5]
global_store_dwordx4 v2, v[8:11], s[4:5]
streamed stream_write

/// A copy to s7 times 8 KiB further on.
stream stream_copy
s_mul_hi_u32 s11, s7, 0x2000
s_mul_i32 s10, s7, 0x2000
s_add_u32 s12, s4, s10
s_addc_u32 s13, s5, s11
loop
global_load_dwordx4 v[4:7], v1, s[4:5]
global_load_dwordx4 v[8:11], v2, s[4:5]
s_waitcnt vmcnt(1)
global_store_dwordx4 v1, v[4:7], s[12:13]
s_waitcnt vmcnt(1)
global_store_dwordx4 v2, v[8:11], s[12:13]
s_add_u32 s12, s12, 0x2000
s_addc_u32 s13, s13, 0
streamed stream_copy

/// Loads of one address each lane, s7 bytes between lanes, all of them in L1 from the second round on.
.macro strided name, instruction:vararg
  begin \name
  v_mul_lo_u32 v1, v0, s7
  loop
  .rept 64
  \instruction
  .endr
  again
  s_waitcnt vmcnt(0)
  end \name
.endm
strided strided_dword, global_load_dword v4, v1, s[4:5]
strided strided_dwordx4, global_load_dwordx4 v[4:7], v1, s[4:5]
strided strided_store, global_store_dwordx4 v1, v[4:7], s[4:5]

/// s6 times 64 loads, each of lines of its own: as many are under way as a wave may have.
begin burst
v_lshlrev_b32 v1, 2, v0
loop
.rept 64
global_load_dword v4, v1, s[4:5]
v_add_u32 v1, s7, v1
.endr
again
s_waitcnt vmcnt(0)
end burst

/// Straight into LDS, a dword a lane.
begin lds_dma
v_lshlrev_b32 v1, 2, v0
s_mov_b32 m0, 0
s_mov_b32 s12, s4
s_mov_b32 s13, s5
s_mov_b32 s14, 0x1000
s_mov_b32 s15, 0x27000
loop
.rept 64
buffer_load_dword v1, s[12:15], 0 offen lds
.endr
again
s_waitcnt vmcnt(0)
end lds_dma, 32, 32, 65536

/// Eight loads between invalidations, and after a write-back.
begin invalidate
v_lshlrev_b32 v1, 4, v0
loop
global_load_dwordx4 v[4:7], v1, s[4:5]
s_waitcnt vmcnt(0)
#ifdef __gfx942__
buffer_inv sc1
#else
buffer_wbinvl1_vol
#endif
again
end invalidate

/// s7: bytes from lane to lane.
begin atomic_add
v_mul_lo_u32 v1, v0, s7
v_mov_b32 v4, 1
loop
.rept 16
global_atomic_add v1, v4, s[4:5]
.endr
again
s_waitcnt vmcnt(0)
end atomic_add
