// A tile that several loops load is loaded once.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(systolic.kernel(systolic-share-loads))' | FileCheck %s
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(systolic.kernel(systolic-share-loads))' --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o %t

#array = #systolic.array<waves = 4x1>
!x = tensor<4x256xf32, #systolic.axes<BM, BN>>
!X = memref<64x200xf32, #systolic.axes<M, N>>
// Loads that differ in any operand stay. So do loads after the store, which may write what they read.
// CHECK-LABEL: systolic.kernel @rows(
// CHECK: %[[END:.+]] = arith.select %[[INSIDE:.+]], %c200, %c0
// CHECK: %[[X:.+]] = systolic.load %arg0[%[[M0:.+]], %c0] when %[[INSIDE]]
// CHECK: %[[MAX:.+]] = scf.for
// CHECK-NEXT: arith.maxnumf %{{.+}}, %[[X]]
// CHECK: scf.for %[[N:.+]] = %c0 to %[[END]]
// CHECK-NEXT: %[[Y:.+]] = systolic.load %arg1[%[[M0]], %[[N]]]
// CHECK-NEXT: arith.addf %[[X]], %[[MAX]]
// CHECK: systolic.store
// CHECK: scf.for
// CHECK-NEXT: systolic.load %arg0
systolic.kernel @rows(%X: !X, %Y: !X, %work: index)
    attributes {params = {M = 64}, grid = [], array = #array, wave_size = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c200 = arith.constant 200 : index
  %c256 = arith.constant 256 : index
  %m0 = arith.muli %work, %c4 : index
  %inside = arith.cmpi ult, %m0, %c200 : index
  %end = arith.select %inside, %c200, %c0 : index
  %zero = arith.constant dense<0.0> : !x
  %max = scf.for %n = %c0 to %end step %c256 iter_args(%acc = %zero) -> (!x) {
    // expected-remark @+1 {{[Passed] Loads | Category:systolic-share-loads | Function=rows | Remark="loaded once", loops=2, registers=4}}
    %x = systolic.load %X[%m0, %n] : !X -> !x
    %next = arith.maxnumf %acc, %x : !x
    scf.yield %next : !x
  }
  scf.for %n = %c0 to %end step %c256 {
    %x = systolic.load %X[%m0, %n] : !X -> !x
    %y = systolic.load %Y[%m0, %n] : !X -> !x
    %moved = arith.addf %x, %max : !x
    %sum = arith.addf %moved, %y : !x
    systolic.store %sum, %Y[%m0, %n] : !x, !X
  }
  scf.for %n = %c0 to %end step %c256 {
    %x = systolic.load %X[%m0, %n] : !X -> !x
    systolic.store %x, %Y[%m0, %n] : !x, !X
  }
  systolic.return
}

// -----

#array = #systolic.array<waves = 4x1>
!x = tensor<4x256xf32, #systolic.axes<BM, BN>>
!X = memref<64x300xf32, #systolic.axes<M, N>>
// CHECK-LABEL: systolic.kernel @two_blocks(
// CHECK-COUNT-2: systolic.load
systolic.kernel @two_blocks(%X: !X, %Y: !X, %work: index)
    attributes {params = {M = 64}, grid = [], array = #array, wave_size = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c300 = arith.constant 300 : index
  %zero = arith.constant dense<0.0> : !x
  %max = scf.for %n = %c0 to %c300 step %c256 iter_args(%acc = %zero) -> (!x) {
    // expected-remark @+1 {{[Missed] Loads | Category:systolic-share-loads | Function=two_blocks | Remark="loaded anew in each loop: the loops have 2 rounds"}}
    %x = systolic.load %X[%work, %n] : !X -> !x
    %next = arith.maxnumf %acc, %x : !x
    scf.yield %next : !x
  }
  scf.for %n = %c0 to %c300 step %c256 {
    %x = systolic.load %X[%work, %n] : !X -> !x
    %moved = arith.addf %x, %max : !x
    systolic.store %moved, %Y[%work, %n] : !x, !X
  }
  systolic.return
}

// -----

#array = #systolic.array<waves = 1x1>
!x = tensor<4x2048xf32, #systolic.axes<BM, BN>>
!X = memref<64x2000xf32, #systolic.axes<M, N>>
// CHECK-LABEL: systolic.kernel @long_rows(
// CHECK: scf.for
// CHECK-NEXT: systolic.load
systolic.kernel @long_rows(%X: !X, %Y: !X, %work: index)
    attributes {params = {M = 64}, grid = [], array = #array, wave_size = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c2000 = arith.constant 2000 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant dense<0.0> : !x
  %max = scf.for %n = %c0 to %c2000 step %c2048 iter_args(%acc = %zero) -> (!x) {
    // expected-remark @+1 {{[Missed] Loads | Category:systolic-share-loads | Function=long_rows | Remark="loaded anew in each loop: held, it would be too long", max_registers=64, registers=128}}
    %x = systolic.load %X[%work, %n] : !X -> !x
    %next = arith.maxnumf %acc, %x : !x
    scf.yield %next : !x
  }
  scf.for %n = %c0 to %c2000 step %c2048 {
    %x = systolic.load %X[%work, %n] : !X -> !x
    %moved = arith.addf %x, %max : !x
    systolic.store %moved, %Y[%work, %n] : !x, !X
  }
  systolic.return
}
