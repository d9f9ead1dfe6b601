// nstf-pipeline-graph: a model's graph becomes kernels and steps, with its options.
// RUN: nstf-opt %s -nstf-pipeline-graph=max-tokens=8 | FileCheck %s
// RUN: nstf-opt %s -nstf-pipeline-graph="precision=f16 max-tokens=4" | FileCheck %s --check-prefix=HALF
// RUN: not nstf-opt %s -nstf-pipeline-graph=tokens=8 2>&1 | FileCheck %s --check-prefix=OPTION

// CHECK: nstf.max_tokens = 8 : i64
// CHECK: nstf.kernel @linear_silu_0
// CHECK: nstf.step @linear_silu_0({{.*}}) {offsets = array<i64: 0>}
// CHECK: nstf.step @softmax_0({{.*}}) {offsets = array<i64: -1>}
// HALF: nstf.max_tokens = 4 : i64
// HALF: nstf.weight @w : tensor<8x8xf16>
// OPTION: tokens
nstf.weight @w : tensor<8x8xf32>
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 64 : i64} {
  %w = nstf.get @w : tensor<8x8xf32>
  %y = nstf.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %z = nstf.silu %y : tensor<?x8xf32>
  %p = nstf.softmax %z : tensor<?x8xf32>
  nstf.return %p : tensor<?x8xf32>
}
