// RUN: nstf-opt %s -split-input-file -nstf-join-kernels | FileCheck %s
// RUN: nstf-opt %s -split-input-file -nstf-join-kernels --remark-format=emitRemark --remarks-filter=nstf-.* -verify-diagnostics -o %t
// RUN: nstf-opt %S/Inputs/llama.mlir -nstf-materialize-rope-tables -nstf-form-kernels -nstf-join-kernels -nstf-deduplicate-kernels -nstf-plan-memory=max-tokens=64 | FileCheck %s --check-prefix=LLAMA

// Products of one x are joined. So are the steps that read their results, though one of them stands between the
// products. An input with several readers is a single argument of the kernel.

// CHECK: nstf.kernel @silu_0(
// CHECK-NOT: nstf.kernel @linear
// CHECK: nstf.kernel @linear_linear_0(%[[X:.*]]: tensor<?x8xf32>, %[[A:.*]]: tensor<8x8xf32>, %[[B:.*]]: tensor<4x8xf32>) -> (tensor<?x8xf32>, tensor<?x4xf32>) {
// CHECK-NEXT: nstf.linear %[[X]], %[[A]]
// CHECK-NEXT: nstf.linear %[[X]], %[[B]]
// CHECK: nstf.kernel @relu_tanh_0(
// CHECK: nstf.graph
// CHECK: %[[NORM:.*]] = nstf.step @silu_0(%arg0)
// CHECK: %[[BOTH:.*]]:2 = nstf.step @linear_linear_0(%[[NORM]], %arg1, %arg2)
// CHECK: %[[LAST:.*]]:2 = nstf.step @relu_tanh_0(%[[BOTH]]#0, %[[BOTH]]#1)
// CHECK: nstf.return %[[LAST]]#0, %[[LAST]]#1
nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
nstf.kernel @linear_0(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
nstf.kernel @linear_1(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>) -> tensor<?x4xf32> {
  %y = nstf.linear %x, %w : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  nstf.return %y : tensor<?x4xf32>
}
nstf.kernel @relu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.relu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
nstf.kernel @tanh_0(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = nstf.tanh %x : tensor<?x4xf32>
  nstf.return %y : tensor<?x4xf32>
}
// expected-remark @+1 {{[Passed] Launches | Category:nstf-join-kernels | Function=main | Remark="launches that need nothing of each other were joined", kernels=5, launches=3}}
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}, %a: tensor<8x8xf32> {nstf.name = "a"}, %b: tensor<4x8xf32> {nstf.name = "b"})
    -> (tensor<?x8xf32> {nstf.name = "y"}, tensor<?x4xf32> {nstf.name = "z"}) attributes {context = 16 : i64} {
  %0 = nstf.step @silu_0(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = nstf.step @linear_0(%0, %a) : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %2 = nstf.step @relu_0(%1) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = nstf.step @linear_1(%0, %b) : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  %4 = nstf.step @tanh_0(%3) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  nstf.return %2, %4 : tensor<?x8xf32>, tensor<?x4xf32>
}

// -----

// Steps that depend on each other are not joined, and their kernels stay.

// CHECK: nstf.kernel @silu_0(
// CHECK-NOT: nstf.kernel
// CHECK: %[[ONE:.*]] = nstf.step @silu_0(%arg0)
// CHECK: nstf.step @silu_0(%[[ONE]])
nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
// expected-remark @+1 {{kernels=2, launches=2}}
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %0 = nstf.step @silu_0(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = nstf.step @silu_0(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  nstf.return %1 : tensor<?x8xf32>
}

// The launches of a layer: norm; q, k and v; ropes and appends; attention; o; norm; gate and up; down.
// LLAMA: nstf.step @embedding_0
// LLAMA: nstf.step @rms_norm_0
// LLAMA: nstf.step @linear_linear_linear_0
// LLAMA: nstf.step @rope_rope_kv_append_kv_append_0
// LLAMA: nstf.step @attention_0
// LLAMA: nstf.step @linear_add_0
// LLAMA: nstf.step @rms_norm_0
// LLAMA: nstf.step @linear_linear_swiglu_0
// LLAMA: nstf.step @linear_add_1
// LLAMA: nstf.step @rms_norm_0
