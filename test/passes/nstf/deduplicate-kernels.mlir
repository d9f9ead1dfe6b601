// RUN: nstf-opt %s -split-input-file -nstf-deduplicate-kernels | FileCheck %s
// RUN: nstf-opt %s -split-input-file -nstf-deduplicate-kernels --remark-format=emitRemark --remarks-filter=nstf-.* -verify-diagnostics -o %t
// RUN: nstf-opt %S/Inputs/llama.mlir -nstf-materialize-rope-tables -nstf-form-kernels -nstf-deduplicate-kernels | FileCheck %s --check-prefix=LLAMA

// Kernels that differ only in names and locations become one kernel. Another attribute, type or order of operands is
// another kernel. The numbers of the remaining kernels close the gaps.

// CHECK: nstf.kernel @norm_0(
// CHECK: nstf.kernel @norm_1(
// CHECK: nstf.kernel @mul_0(
// CHECK: nstf.kernel @mul_1(
// CHECK-NOT: nstf.kernel
// CHECK-LABEL: nstf.graph @main
// CHECK: nstf.step @norm_0(
// CHECK: nstf.step @norm_0(
// CHECK: nstf.step @norm_1(
// CHECK: nstf.step @mul_0(
// CHECK: nstf.step @mul_1(
nstf.weight @w : tensor<8xf32>
// expected-remark @+1 {{[Passed] EqualKernels | Category:nstf-deduplicate-kernels | Function=norm_0 | Remark="equal kernels became one", kernels=2}}
nstf.kernel @norm_0(%x: tensor<?x8xf32>, %w: tensor<8xf32>) -> tensor<?x8xf32> {
  %y = nstf.rms_norm %x, %w {eps = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("layer 0")
  nstf.return %y : tensor<?x8xf32>
}
nstf.kernel @norm_1(%a: tensor<?x8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
  %c = nstf.rms_norm %a, %b {eps = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> loc("layer 1")
  nstf.return %c : tensor<?x8xf32>
}
nstf.kernel @norm_2(%x: tensor<?x8xf32>, %w: tensor<8xf32>) -> tensor<?x8xf32> {
  %y = nstf.rms_norm %x, %w {eps = 1.0e-6 : f64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
nstf.kernel @mul_0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %s = nstf.swiglu %a, %b : tensor<?x8xf32>
  nstf.return %s : tensor<?x8xf32>
}
nstf.kernel @mul_1(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %s = nstf.swiglu %b, %a : tensor<?x8xf32>
  nstf.return %s : tensor<?x8xf32>
}
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %w = nstf.get @w : tensor<8xf32>
  %0 = nstf.step @norm_0(%x, %w) : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %1 = nstf.step @norm_1(%0, %w) : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %2 = nstf.step @norm_2(%1, %w) : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %3 = nstf.step @mul_0(%1, %2) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %4 = nstf.step @mul_1(%2, %3) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  nstf.return %4 : tensor<?x8xf32>
}

// -----

// Names without a number stay, and no other kernel takes them.

// CHECK: nstf.kernel @silu(
// CHECK: nstf.kernel @mul_1(
// CHECK: nstf.weight @mul_0
// CHECK: nstf.step @silu(
// CHECK: nstf.step @mul_1(
nstf.kernel @silu(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
nstf.kernel @mul_7(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.mul %x, %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
nstf.weight @mul_0 : tensor<8xf32>
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %0 = nstf.step @silu(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = nstf.step @mul_7(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  nstf.return %1 : tensor<?x8xf32>
}

// A Llama of any depth has these kernels.

// LLAMA: nstf.kernel @embedding_0(
// LLAMA: nstf.kernel @rms_norm_0(%{{.+}}: tensor<?x64xf32>
// LLAMA: nstf.kernel @linear_0(%{{.+}}: tensor<?x64xf32>, %{{.+}}: tensor<64x64xf32>)
// LLAMA: nstf.kernel @linear_1(%{{.+}}: tensor<?x64xf32>, %{{.+}}: tensor<32x64xf32>)
// LLAMA: nstf.kernel @rope_0(
// LLAMA: nstf.kernel @rope_kv_append_0(
// LLAMA: nstf.kernel @kv_append_0(
// LLAMA: nstf.kernel @attention_0(
// LLAMA: nstf.kernel @linear_add_0(
// LLAMA: nstf.kernel @linear_linear_swiglu_0(%{{.+}}: tensor<?x64xf32>, %{{.+}}: tensor<172x64xf32>, %{{.+}}: tensor<172x64xf32>)
// LLAMA: nstf.kernel @linear_add_1(
// LLAMA: nstf.kernel @last_row_0(
// LLAMA: nstf.kernel @rms_norm_1(%{{.+}}: tensor<1x64xf32>
// LLAMA: nstf.kernel @linear_2(%{{.+}}: tensor<1x64xf32>
// LLAMA: nstf.kernel @argmax_0(
// LLAMA-NOT: nstf.kernel
// LLAMA: nstf.graph @main

// The location of a kernel that stands for several names the first and counts the others.
// RUN: nstf-opt %S/Inputs/layers.mlir -nstf-deduplicate-kernels -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=NAMES
// NAMES: } loc("layers.0.act and 2 more"("model.yaml":7:3))
// NAMES: } loc("head"("model.yaml":9:3))
// NAMES: nstf.step @silu_0(%{{.*}} loc("layers.1.act"("model.yaml":7:3))
