// RUN: nstf-opt %s -split-input-file -nstf-normalize-tensor-ops | FileCheck %s

// Named ops and elementwise ops on tensors become linalg.generic; nstf ops and ops that move elements stay.
// CHECK-LABEL: nstf.graph @named
// CHECK-NOT: linalg.{{fill|reduce|map|transpose|broadcast|matmul}}
// CHECK: linalg.generic
// CHECK: math.exp {{.*}} : f32
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: tensor.concat
// CHECK: nstf.silu
nstf.graph @named(%x: tensor<?x8xf32> {nstf.name = "x"}, %w: tensor<8x8xf32> {nstf.name = "w"})
    -> (tensor<?x16xf32> {nstf.name = "y"}, tensor<?xf32> {nstf.name = "s"}) attributes {context = 16 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x8xf32>
  %a = math.exp %x : tensor<?x8xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce {arith.addf} ins(%a : tensor<?x8xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  %e2 = tensor.empty(%d) : tensor<?x8xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %m = linalg.matmul ins(%a, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%f2 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %c = tensor.concat dim(1) %m, %a : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  %y = nstf.silu %c : tensor<?x16xf32>
  nstf.return %y, %s : tensor<?x16xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: nstf.graph @softmax
// CHECK-NOT: linalg.softmax
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.divf
nstf.graph @softmax(%x: tensor<4x8xf32> {nstf.name = "x"}) -> (tensor<4x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  nstf.return %y : tensor<4x8xf32>
}

// -----

// The conversion of a tensor-code result becomes tensor code; that of an nstf op's result stays.
// CHECK-LABEL: nstf.graph @converted
// CHECK: math.exp
// CHECK: arith.truncf {{.*}} : f32 to f16
// CHECK: nstf.silu
// CHECK-NEXT: nstf.convert
nstf.graph @converted(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf16> {nstf.name = "y"}, tensor<?x8xf16> {nstf.name = "z"})
    attributes {context = 16 : i64} {
  %a = math.exp %x : tensor<?x8xf32>
  %y = nstf.convert %a {type = f16} : (tensor<?x8xf32>) -> tensor<?x8xf16>
  %b = nstf.silu %x : tensor<?x8xf32>
  %z = nstf.convert %b {type = f16} : (tensor<?x8xf32>) -> tensor<?x8xf16>
  nstf.return %y, %z : tensor<?x8xf16>, tensor<?x8xf16>
}

// -----

// A graph without tensor code stays as it is.
// CHECK-LABEL: nstf.graph @plain
// CHECK-NEXT: nstf.silu
// CHECK-NEXT: nstf.return
nstf.graph @plain(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
