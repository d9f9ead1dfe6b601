// nstf-pipeline-tile: for each target, kernels and their templates become tile programs.
// RUN: nstf-opt %s -nstf-pipeline-graph=max-tokens=8 -nstf-pipeline-tile="targets=gfx942,gfx90a" | FileCheck %s
// RUN: nstf-opt %s -nstf-pipeline-graph=max-tokens=8 -nstf-pipeline-tile="one-bucket wave-size=64 tuning=waves=1x1" | FileCheck %s --check-prefix=ASKED
// RUN: not nstf-opt %s -nstf-pipeline-graph=max-tokens=8 -nstf-pipeline-tile=wave-size=32 2>&1 | FileCheck %s --check-prefix=WAVE

// CHECK: module @gfx942
// CHECK: nstf.variant @linear_silu_0_t1 of @linear_silu_0 tokens [1, 1]
// CHECK-NEXT: nstf.part results [0]
// CHECK-NEXT: systolic.kernel @linear_silu_0_t1(
// CHECK-SAME: array = #systolic.array<
// CHECK-NOT: nstf.kernel
// CHECK: nstf.variant @linear_silu_0_t8 of @linear_silu_0 tokens [2, 8]
// CHECK: systolic.mma {{.*}}#fragment
// CHECK: module @gfx90a
// CHECK: systolic.kernel @linear_silu_0_t8(
// ASKED: nstf.variant @linear_silu_0_t8 of @linear_silu_0 tokens [1, 8]
// ASKED: schedule = #systolic.schedule<waves = 1x1
// ASKED-NOT: nstf.variant @linear_silu
// WAVE: error: expected a wave size of gfx942 (64) but got 32

nstf.weight @w : tensor<8x8xf32>
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 64 : i64} {
  %w = nstf.get @w : tensor<8x8xf32>
  %y = nstf.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %z = nstf.silu %y : tensor<?x8xf32>
  %p = nstf.softmax %z : tensor<?x8xf32>
  nstf.return %p : tensor<?x8xf32>
}
