// RUN: nstf-opt %s -split-input-file -nstf-normalize-tensor-ops -nstf-form-tensor-kernels | FileCheck %s
// RUN: nstf-opt %s -split-input-file -nstf-normalize-tensor-ops -nstf-form-tensor-kernels --remark-format=emitRemark \
// RUN:   '--remarks-filter=nstf-form-tensor.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// exp is read by the sum and by the quotient, so it is stored. The sum feeds a broadcast, so it is stored. The
// broadcast only moves elements, so each reader computes it.
// CHECK-LABEL: nstf.kernel @tensor_0(
// CHECK-SAME: tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK: math.exp
// CHECK-LABEL: nstf.kernel @tensor_1(
// CHECK-SAME: -> tensor<?xf32>
// CHECK: arith.addf
// CHECK-LABEL: nstf.kernel @tensor_2(
// CHECK-SAME: tensor<?x8xf32>, {{.*}}tensor<?xf32>) -> tensor<?x8xf32>
// CHECK-NOT: math.exp
// CHECK: arith.divf
// CHECK-LABEL: nstf.graph @softmax
// CHECK-NEXT: %[[E:.*]] = nstf.step @tensor_0(
// CHECK-NEXT: %[[S:.*]] = nstf.step @tensor_1(%[[E]])
// CHECK-NEXT: %[[Y:.*]] = nstf.step @tensor_2(%[[E]], %[[S]])
// CHECK-NEXT: nstf.silu %[[Y]]
// REMARK: [Passed] TensorKernels | Category:nstf-form-tensor-kernels | Function=softmax | Remark="tensor code was grouped into launches", launches=3, operations=12
nstf.graph @softmax(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x8xf32>
  %a = math.exp %x : tensor<?x8xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce {arith.addf} ins(%a : tensor<?x8xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  %e2 = tensor.empty(%d) : tensor<?x8xf32>
  %b = linalg.broadcast ins(%s : tensor<?xf32>) outs(%e2 : tensor<?x8xf32>) dimensions = [1]
  %q = arith.divf %a, %b : tensor<?x8xf32>
  %y = nstf.silu %q : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// A reduction and the elementwise code before and after it form one kernel, because each element is read once.
// CHECK-LABEL: nstf.kernel @tensor_0(
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: math.sqrt
// CHECK-NOT: nstf.kernel
// CHECK-LABEL: nstf.graph @norm
// CHECK-NEXT: nstf.step @tensor_0(%{{.*}}) : (tensor<?x8xf32>) -> tensor<?xf32>
// CHECK-NEXT: nstf.return
nstf.graph @norm(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x8xf32>
  %a = arith.mulf %x, %x : tensor<?x8xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce {arith.addf} ins(%a : tensor<?x8xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  %y = math.sqrt %s : tensor<?xf32>
  nstf.return %y : tensor<?xf32>
}

// -----

// A gather reads at arbitrary indices, so its operand is stored; slices and transposes of an input are not. A dead op
// is erased.
// CHECK-LABEL: nstf.kernel @tensor_0(
// CHECK: math.exp
// CHECK-LABEL: nstf.kernel @tensor_1(
// CHECK: tensor.extract %
// CHECK-LABEL: nstf.kernel @tensor_2(
// CHECK: tensor.extract_slice
// CHECK: linalg.generic
// CHECK-LABEL: nstf.graph @moves
// CHECK-COUNT-3: nstf.step
// CHECK-NEXT: nstf.return
nstf.graph @moves(%x: tensor<6x8xf32> {nstf.name = "x"}, %i: tensor<4xi32> {nstf.name = "i"})
    -> (tensor<4xf32> {nstf.name = "y"}, tensor<3x6xf32> {nstf.name = "z"}) attributes {context = 16 : i64} {
  %c1 = arith.constant 1 : index
  %a = math.exp %x : tensor<6x8xf32>
  %dead = math.log %x : tensor<6x8xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.map ins(%i : tensor<4xi32>) outs(%e : tensor<4xf32>) (%p: i32, %o: f32) {
    %1 = arith.index_cast %p : i32 to index
    %2 = tensor.extract %a[%1, %c1] : tensor<6x8xf32>
    linalg.yield %2 : f32
  }
  %s = tensor.extract_slice %x[0, 2] [6, 3] [1, 1] : tensor<6x8xf32> to tensor<6x3xf32>
  %e2 = tensor.empty() : tensor<3x6xf32>
  %z = linalg.transpose ins(%s : tensor<6x3xf32>) outs(%e2 : tensor<3x6xf32>) permutation = [1, 0]
  nstf.return %y, %z : tensor<4xf32>, tensor<3x6xf32>
}

// -----

// The two results of one op get a kernel each. Memory has no type for a mask, so both readers compute it.
// CHECK-LABEL: nstf.kernel @tensor_0(
// CHECK-SAME: -> tensor<4xf32>
// CHECK: nstf.return %[[R:.*]]#0
// CHECK-LABEL: nstf.kernel @tensor_1(
// CHECK-SAME: -> tensor<4xi32>
// CHECK: nstf.return %[[R:.*]]#1
// CHECK-LABEL: nstf.kernel @tensor_2(
// CHECK: arith.cmpf
// CHECK-NOT: nstf.kernel
// CHECK-LABEL: nstf.graph @several
nstf.graph @several(%x: tensor<4xf32> {nstf.name = "x"}) -> (tensor<4xf32> {nstf.name = "a"}, tensor<4xi32> {nstf.name = "b"}, tensor<4xf32> {nstf.name = "c"})
    attributes {context = 16 : i64} {
  %ef = tensor.empty() : tensor<4xf32>
  %ei = tensor.empty() : tensor<4xi32>
  %a, %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%ef, %ei : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%p: f32, %o: f32, %q: i32):
    %1 = arith.negf %p : f32
    %2 = arith.fptosi %p : f32 to i32
    linalg.yield %1, %2 : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %m = arith.cmpf olt, %x, %zero : tensor<4xf32>
  %s = arith.select %m, %zero, %x : tensor<4xi1>, tensor<4xf32>
  %u = arith.uitofp %m : tensor<4xi1> to tensor<4xf32>
  %c = arith.addf %s, %u : tensor<4xf32>
  nstf.return %a, %b, %c : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
}

// -----

// A graph without tensor code stays unchanged.
// CHECK-LABEL: nstf.graph @plain
// CHECK-NEXT: nstf.silu
nstf.graph @plain(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
