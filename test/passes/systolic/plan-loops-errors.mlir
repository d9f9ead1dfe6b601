// Plans that do not fit the loop: each rule of #systolic.plan that involves the loop (plan_c7 to plan_c15) is broken
// once; the plan that the pass chooses breaks none. ROUND is replaced by the round under test.
// DEFINE: %{round} =
// DEFINE: %{plan} = sed 's/ROUND/%{round}/' %s
// DEFINE: %{opt} = nstf-opt - -o %t --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-plan-loops))'

// REDEFINE: %{round} = buffers = 2, order = merged, round = [barrier, read 0 +1, write 0 +2, write 1 +2, read 1 +1, load 0 +3 pairs, load 1 +4 pairs, multiply]
// RUN: %{plan} | %{opt}

// REDEFINE: %{round} = buffers = 2, order = merged, round = [barrier, read 0 +1, write 0 +2, write 1 +2, load 0 +3, load 1 +3, multiply]
// RUN: %{plan} | not %{opt} 2>&1 | FileCheck %s --check-prefix=C7
// C7: error: expected the plan of this loop, with read 1 1 time in a round, but got it 0 times
// REDEFINE: %{round} = buffers = 2, order = merged, round = [barrier, read 0 +1, read 1 +1, write 0 +2, write 1 +2, load 0 +3, load 1 +3, multiply, multiply]
// RUN: %{plan} | not %{opt} 2>&1 | FileCheck %s --check-prefix=C7B
// C7B: error: expected the plan of this loop, with multiply 0 1 time in a round, but got it 2 times
// REDEFINE: %{round} = buffers = 2, order = merged, round = [barrier, read 0 +1, read 1 +1, write 0 +2, write 2 +2, load 0 +3, load 1 +3, multiply]
// RUN: %{plan} | not %{opt} 2>&1 | FileCheck %s --check-prefix=C7C
// C7C: error: expected the plan of a loop with 2 of its kind and 1 steps but got write 2

// REDEFINE: %{round} = buffers = 2, order = merged, round = [barrier, read 0 +1, read 1 +1, write 0 +2, write 1 +2, load 0 +1, load 1 +3, multiply]
// RUN: %{plan} | not %{opt} 2>&1 | FileCheck %s --check-prefix=C8
// C8: error: expected a tile to be loaded before it is written but got load 0, 1 blocks ahead, and write 0, 2
// REDEFINE: %{round} = buffers = 2, order = merged, round = [barrier, read 0 +1, read 1 +1, write 0 +2, write 1 +2, load 0 +2, load 1 +3, multiply]
// RUN: %{plan} | not %{opt} 2>&1 | FileCheck %s --check-prefix=C8B
// C8B: error: expected a tile to be loaded before it is written but got load 0, 2 blocks ahead, and write 0, 2

// REDEFINE: %{round} = buffers = 2, order = merged, round = [read 0 +1, read 1 +1, write 0 +2, write 1 +2, load 0 +3, load 1 +3, multiply]
// RUN: %{plan} | not %{opt} 2>&1 | FileCheck %s --check-prefix=C10B
// C10B: error: expected a barrier {{.*}} but got none
// REDEFINE: %{round} = buffers = 2, order = merged, round = [barrier, write 0 +1, write 1 +1, read 0 +1, read 1 +1, load 0 +2, load 1 +2, multiply]
// RUN: %{plan} | not %{opt} 2>&1 | FileCheck %s --check-prefix=C9
// C9: error: expected a barrier before read 0 of block 1 but got none behind what puts it there
// REDEFINE: %{round} = buffers = 2, order = merged, round = [barrier, read 0 +1, read 1 +1, write 0 +3, write 1 +3, load 0 +4, load 1 +4, multiply]
// RUN: %{plan} | not %{opt} 2>&1 | FileCheck %s --check-prefix=C9B
// C9B: error: expected what read 0 of block 0 reads to be written by then but got block 2 there

// REDEFINE: %{round} = buffers = 1, order = merged, round = [barrier, read 0 +1, read 1 +1, write 0 +2, write 1 +2, load 0 +3, load 1 +3, multiply]
// RUN: %{plan} | not %{opt} 2>&1 | FileCheck %s --check-prefix=C10
// C10: error: expected
// REDEFINE: %{round} = buffers = 1, order = merged, round = [barrier, write 0, write 1, barrier, read 0, read 1, load 0 +1, load 1 +1, multiply]
// RUN: %{plan} | %{opt}
// REDEFINE: %{round} = buffers = 1, order = merged, round = [write 0, write 1, barrier, read 0, read 1, load 0 +1, load 1 +1, multiply]
// RUN: %{plan} | not %{opt} 2>&1 | FileCheck %s --check-prefix=C10C
// C10C: error: expected a barrier between the last read of block 0 and what puts block 1 in its place but got none

// REDEFINE: %{round} = buffers = 2, order = merged, round = [write 0 +1, write 1 +1, load 0 +2, load 1 +2, read 0, multiply, read 1, barrier]
// RUN: %{plan} | not %{opt} 2>&1 | FileCheck %s --check-prefix=C11
// C11: error: expected read 1 of block 0 for step 0 before its product but got none

// REDEFINE: %{round} = buffers = 2, order = merged, round = [barrier, read 0 +1, read 1 +1, write 0 +2, write 1 +2, load 0 +5, load 1 +3, multiply]
// RUN: %{plan} | sed 's/constant 256/constant 64/' | not %{opt} 2>&1 | FileCheck %s --check-prefix=C13
// C13: error: expected blocks of a loop that has 2 but got load 0, 5 ahead

// REDEFINE: %{round} = buffers = 2, order = merged, round = [barrier, read 0 +1, read 1 +1, write 0 +2, write 1 +2, load 0 +3 pairs, load 1 +3, multiply]
// RUN: %{plan} | sed 's/constant 256/constant 224/' | not %{opt} 2>&1 | FileCheck %s --check-prefix=C14
// C14: error: expected pairs in a loop of an even number of blocks but got 7
// RUN: %{plan} | sed 's/target=gfx942/target=gfx90a/' \
// RUN:   | not nstf-opt - -o %t --pass-pipeline='builtin.module(nstf-set-target{target=gfx90a}, \
// RUN:     systolic.kernel(systolic-plan-loops))' 2>&1 | FileCheck %s --check-prefix=C14B
// C14B: error: expected pairs of blocks whose rows are halves of a line of 64 bytes but got load 0

// Loops without plans are refused.
// RUN: not nstf-opt %S/Inputs/product-loop.mlir --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-insert-prefetch))' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not nstf-opt %S/Inputs/product-loop.mlir --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-schedule-loop))' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected a loop of products with a plan (systolic-plan-loops) but got none

#x = #systolic.fragment<reg [1:8*1, 0:2*16], lane [1:4*8, 0:16*1], wave []>
#w = #systolic.fragment<reg [0:8*1, 1:2*16], lane [0:4*8, 1:16*1], wave []>
#a = #systolic.fragment<reg [1:8*1, 0:2*16], lane [0:16*1, 1:4*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 1:2*16], lane [1:16*1, 0:4*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 1:2*16, 0:2*16], lane [1:16*1, 0:4*4], wave []>
!X = memref<64x256xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<32, 32>>
systolic.kernel @pairs(%X: !X, %work: index, %lds_x: !lds, %lds_w: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x32, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %sum = scf.for %k = %c0 to %c256 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32, #acc>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<32x32xf16, #x>
    %w = systolic.load %X[%c32, %k] transposed : !X -> tensor<32x32xf16, #w>
    systolic.barrier
    systolic.write %x, %lds_x[%c0] : tensor<32x32xf16, #x>, !lds
    systolic.write %w, %lds_w[%c0] transposed : tensor<32x32xf16, #w>, !lds
    systolic.barrier
    %a = systolic.read %lds_x[%c0] : !lds -> tensor<32x32xf16, #a>
    %b = systolic.read %lds_w[%c0] transposed : !lds -> tensor<32x32xf16, #b>
    %next = systolic.mma %a, %b, %acc : tensor<32x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<32x32xf32, #acc>
    scf.yield %next : tensor<32x32xf32, #acc>
  } {systolic.plan = #systolic.plan<ROUND>}
  systolic.store %sum, %X[%c0, %c0] : tensor<32x32xf32, #acc>, !X
  systolic.return
}
