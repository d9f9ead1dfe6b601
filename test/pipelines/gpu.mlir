// nstf-pipeline-gpu: tile programs become gpu.funcs, and attributes on their variants describe the launch.
// RUN: nstf-opt %s -nstf-pipeline-graph=max-tokens=8 -nstf-pipeline-tile=targets=gfx942,gfx90a -nstf-pipeline-gpu | FileCheck %s

// CHECK: module @gfx942
// CHECK: nstf.variant @linear_silu_0_t8 {{.*}}systolic.launch = #systolic.launch<
// CHECK-NEXT: nstf.part {{.*}}systolic.geometry = #systolic.geometry<
// CHECK: gpu.module @kernels
// CHECK-NEXT: gpu.func @linear_silu_0_t8(
// CHECK: amdgpu.mfma
// CHECK: module @gfx90a
// CHECK: gpu.func @linear_silu_0_t8(
// CHECK-NOT: systolic.kernel

nstf.weight @w : tensor<8x8xf32>
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 64 : i64} {
  %w = nstf.get @w : tensor<8x8xf32>
  %y = nstf.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %z = nstf.silu %y : tensor<?x8xf32>
  %p = nstf.softmax %z : tensor<?x8xf32>
  nstf.return %p : tensor<?x8xf32>
}
