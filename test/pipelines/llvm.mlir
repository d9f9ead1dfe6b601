// nstf-pipeline-llvm: gpu.funcs become functions of the LLVM and ROCDL dialects.
// RUN: nstf-opt %s -nstf-pipeline-graph=max-tokens=8 -nstf-pipeline-tile=targets=gfx942,gfx90a -nstf-pipeline-gpu -nstf-pipeline-llvm | FileCheck %s

// CHECK: module @gfx942
// CHECK: llvm.func @linear_silu_0_t8(
// CHECK: rocdl.mfma
// CHECK: module @gfx90a
// CHECK: llvm.func @linear_silu_0_t8(
// CHECK-NOT: gpu.func

nstf.weight @w : tensor<8x8xf32>
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 64 : i64} {
  %w = nstf.get @w : tensor<8x8xf32>
  %y = nstf.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %z = nstf.silu %y : tensor<?x8xf32>
  %p = nstf.softmax %z : tensor<?x8xf32>
  nstf.return %p : tensor<?x8xf32>
}
