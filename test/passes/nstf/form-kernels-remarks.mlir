// RUN: nstf-opt %s -nstf-form-kernels --remark-format=emitRemark --remarks-filter=nstf-.* -verify-diagnostics -o %t
// RUN: nstf-opt %S/Inputs/llama.mlir -nstf-form-kernels -mlir-print-debuginfo | FileCheck %s

// Remarks count operations and launches, and tell what a second use of a value costs.

nstf.weight @w : tensor<8x8xf32>
// expected-remark @+1 {{[Passed] Kernels | Category:nstf-form-kernels | Function=main | Remark="operations were grouped into launches", launches=4, operations=5}}
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}, tensor<?x8xf32> {nstf.name = "n"}, tensor<?x8xi8> {nstf.name = "q"},
    tensor<?x1xf32> {nstf.name = "s"}) attributes {context = 16 : i64} {
  %w = nstf.get @w : tensor<8x8xf32>
  %l = nstf.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  // expected-remark @+1 {{[Missed] Epilogue | Category:nstf-form-kernels | Remark="every operand has other uses, so its kernel must store it"}}
  %s = nstf.silu %l : tensor<?x8xf32>
  %y = nstf.mul %s, %l : tensor<?x8xf32>
  %n = nstf.l2_normalize %x {eps = 1.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  // expected-remark @+1 {{[Missed] Codes | Category:nstf-form-kernels | Remark="the rows have other uses, so the norm's kernel must store them"}}
  %q, %scales = nstf.quantize %n {type = i8, group = 8 : i64} : tensor<?x8xf32> -> tensor<?x8xi8>, tensor<?x1xf32>
  nstf.return %y, %n, %q, %scales : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xi8>, tensor<?x1xf32>
}

// A step keeps the name of its anchor's layer, not the residual's.
// CHECK-DAG: nstf.step @linear_add_0({{.*}} loc(#[[LOC:.+]])
// CHECK-DAG: #[[LOC]] = loc("model.layers.0.self_attn.o_proj")
