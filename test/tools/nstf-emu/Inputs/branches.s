// A branch back to code that does not come to the branch again, as compilers place what is rarely wanted, and one that does.
  .text
  .globl branches
  .type branches,@function
branches:
  s_cbranch_scc1 rare
common:
  v_mov_b32 v0, v1
  s_cbranch_scc0 rounds
  s_endpgm
rare:
  v_add_f32_e32 v2, v2, v3
  s_cbranch_execnz common
rounds:
  s_cbranch_scc1 over
  s_branch under
over:
  s_nop 0
under:
  v_mul_f32_e32 v2, v2, v3
  s_cbranch_scc1 rounds
  s_endpgm
  .size branches, .-branches
