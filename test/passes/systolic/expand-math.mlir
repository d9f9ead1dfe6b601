// tanh and erf of tiles and scalars become arithmetic and exp; other functions stay.
// RUN: split-file %s %t
// RUN: nstf-opt %t/functions.mlir --pass-pipeline='builtin.module(systolic.kernel(systolic-expand-math))' | FileCheck %t/functions.mlir
// RUN: nstf-opt %t/remark.mlir --pass-pipeline='builtin.module(systolic.kernel(systolic-expand-math))' --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o /dev/null
// RUN: nstf-opt %t/f16.mlir --pass-pipeline='builtin.module(systolic.kernel(systolic-expand-math))' -verify-diagnostics

//--- functions.mlir
!x = tensor<16xf32, #systolic.axes<BN>>
!X = memref<64xf32, #systolic.axes<N>>

// A polynomial of the square near 0, else exp; the sign is that of x.
// CHECK-LABEL: @tile
// CHECK: %[[X:.+]] = systolic.load
// CHECK-NEXT: %[[T:.+]] = math.absf %[[X]] : tensor<16xf32, #systolic.axes<BN>>
// CHECK-NEXT: %[[S:.+]] = arith.mulf %[[T]], %[[T]]
// CHECK: %[[NEAR:.+]] = math.fma %{{.+}}, %[[T]], %[[T]]
// CHECK: %[[TWICE:.+]] = arith.addf %[[T]], %[[T]]
// CHECK: math.exp %[[TWICE]]
// CHECK: %[[FAR:.+]] = arith.subf
// CHECK: %[[BELOW:.+]] = arith.cmpf olt, %[[T]], %{{.+}}
// CHECK: %[[MAGNITUDE:.+]] = arith.select %[[BELOW]], %[[NEAR]], %[[FAR]]
// CHECK: %[[RESULT:.+]] = math.copysign %[[MAGNITUDE]], %[[X]]
// CHECK: systolic.store %[[RESULT]]
systolic.kernel @tile(%X: !X, %work: index) attributes {params = {}, grid = []} {
  %x = systolic.load %X[%work] : !X -> !x
  %y = math.tanh %x : !x
  systolic.store %y, %X[%work] : !x, !X
  systolic.return
}

// CHECK-LABEL: @number
// CHECK-NOT: math.erf
// CHECK: math.absf %{{.+}} : f32
// CHECK: math.exp %{{.+}} : f32
// CHECK: math.copysign
// CHECK: math.log
systolic.kernel @number(%X: !X, %work: index) attributes {params = {}, grid = []} {
  %i = arith.index_cast %work : index to i32
  %x = arith.bitcast %i : i32 to f32
  %y = math.erf %x : f32
  %z = math.log %y : f32
  %t = systolic.broadcast %z : f32 -> !x
  systolic.store %t, %X[%work] : !x, !X
  systolic.return
}

//--- remark.mlir
// expected-remark @+1 {{[Passed] ExpandMath | Category:systolic-expand-math | Function=two | Remark="functions became arithmetic", functions=2}}
systolic.kernel @two(%work: index) attributes {params = {}, grid = []} {
  %x = arith.constant 1.0 : f32
  %y = math.erf %x : f32
  %z = math.tanh %y : f32
  systolic.return
}

// Without such ops there is no remark.
systolic.kernel @none(%work: index) attributes {params = {}, grid = []} {
  systolic.return
}

//--- f16.mlir
systolic.kernel @half(%work: index) attributes {params = {}, grid = []} {
  %x = arith.constant 1.0 : f16
  // expected-error @+1 {{expected numbers of f32 but got 'f16'}}
  %y = math.tanh %x : f16
  systolic.return
}
