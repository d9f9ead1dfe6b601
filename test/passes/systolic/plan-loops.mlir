// The plan of a loop of products: chosen by the resources of a compute unit, taken from the text, or from a file.
// DEFINE: %{opt} = nstf-opt --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-plan-loops))'

// Rows are half a line: every other block, a load brings two, in even blocks of one tile, in odd blocks of the other.
// gfx90a's L1 has lines of 64 bytes.
// RUN: %{opt} %S/Inputs/product-loop.mlir | FileCheck %s --check-prefix=PAIRS
// PAIRS: } {systolic.plan = #systolic.plan<buffers = 2, order = merged, pinned, round = [barrier, read 0 +1, write 0 +2, write 1 +2, read 1 +1, load 0 +3 pairs, load 1 +4 pairs, multiply]>}
// RUN: nstf-opt %S/Inputs/product-loop.mlir --pass-pipeline='builtin.module(nstf-set-target{target=gfx90a},systolic.kernel(systolic-plan-loops))' | FileCheck %s --check-prefix=WHOLE
// WHOLE: } {systolic.plan = #systolic.plan<buffers = 2, order = merged, pinned, round = [barrier, read 0 +1, write 0 +2, load 0 +3, read 1 +1, write 1 +2, load 1 +3, multiply]>}
// Seven blocks are not loaded in pairs; a single block has nothing to prefetch.
// RUN: sed 's/constant 256/constant 224/' %S/Inputs/product-loop.mlir | %{opt} | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/constant 256/constant 32/' %S/Inputs/product-loop.mlir | %{opt} --remark-format=emitRemark --remarks-filter=systolic-.* 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: [Missed] Plan | Category:systolic-plan-loops | Function=pairs | Remark="it has no more than one block"
// ONE: } {systolic.plan = #systolic.plan<buffers = 1, order = merged, pinned, round = [load 0, load 1, barrier, write 0, write 1, barrier, read 1, read 0, multiply]>}
// If two waves share a SIMD, priorities fall along a block of one step (gfx942's large products).
// RUN: nstfc kernel matmul --type=f16 --m=4096 --n=4096 --k=4096 --target=gfx942 --emit=plan | FileCheck %s --check-prefix=FALL
// FALL: // matmul for gfx942
// FALL-NEXT: #systolic.plan<buffers = 2, order = merged, priorities = [0, 2, 1], pinned, reads_first, round = [barrier, read 0 +1,

// A plan that the loop has already is kept.
// RUN: sed 's/^  }$/  } {systolic.plan = #systolic.plan<buffers = 3, order = merged, round = [barrier, read 0 +1, \
// RUN:     read 1 +1, write 0 +2, write 1 +2, load 0 +3, load 1 +4, multiply]>}/' %S/Inputs/product-loop.mlir \
// RUN:   | %{opt} --remark-format=emitRemark --remarks-filter=systolic-.* 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: [Passed] Plan | Category:systolic-plan-loops | Function=pairs | Remark="as it was given", buffers=3, {{.*}}distance=4
// KEPT: } {systolic.plan = #systolic.plan<buffers = 3, order = merged, round = [barrier, read 0 +1, read 1 +1, write 0 +2, write 1 +2, load 0 +3, load 1 +4, multiply]>}

// A plan file with a plan for each loop is used.
// DEFINE: %{file} = nstf-opt --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-plan-loops{plan=%t.plan}))' %S/Inputs/product-loop.mlir
// RUN: echo '// by hand' >%t.plan && \
// RUN:   echo '#systolic.plan<buffers = 2, order = merged, round = [barrier, read 1 +1, read 0 +1, write 1 +2, \
// RUN:     write 0 +2, load 0 +3,' >>%t.plan && echo '  load 1 +3, multiply]>' >>%t.plan
// RUN: %{file} | FileCheck %s --check-prefix=FILE
// FILE: } {systolic.plan = #systolic.plan<buffers = 2, order = merged, round = [barrier, read 1 +1, read 0 +1, write 1 +2, write 0 +2, load 0 +3, load 1 +3, multiply]>}
// RUN: sed 's/write 0 +2/write 0 +3/' -i %t.plan && not %{file} 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: error: expected a tile to be loaded before it is written but got load 0, 3 blocks ahead, and write 0, 3
// RUN: sed 's/merged/mixed/' -i %t.plan && not %{file} 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: error: {{.*}}.plan:2: expected merged or turns but got mixed
// RUN: echo '#systolic.axes<M>' >%t.plan && not %{file} 2>&1 | FileCheck %s --check-prefix=ANOTHER
// ANOTHER: error: {{.*}}.plan:1: expected a #systolic.plan but got another attribute
// RUN: echo >%t.plan && not %{file} 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: {{.*}}.plan: expected a plan for each of 1 loops of products but got 0
// RUN: rm %t.plan && not %{file} 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}.plan{{.*}}No such file
