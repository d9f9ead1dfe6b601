// A control block without readers is removed; one with readers and all other arguments stay.
// RUN: nstf-opt %s --pass-pipeline='builtin.module(systolic.kernel(systolic-drop-unused-arguments))' -split-input-file -verify-diagnostics | FileCheck %s
!X = memref<64xf32, #systolic.axes<N>>

// CHECK-LABEL: systolic.kernel @unread(%{{.*}}: memref<64xf32, #systolic.axes<N>>, %{{.*}}: index)
// CHECK-SAME: launch = #systolic.launch<[x]>
systolic.kernel @unread(%X: !X, %control: !systolic.control, %work: index)
    attributes {launch = #systolic.launch<[x, control]>, params = {}, grid = []} {
  systolic.return
}

// CHECK-LABEL: systolic.kernel @read(%{{.*}}: memref<64xf32, #systolic.axes<N>>, %{{.*}}: !systolic.control, %{{.*}}: index)
// CHECK-SAME: launch = #systolic.launch<[x, control]>
systolic.kernel @read(%X: !X, %control: !systolic.control, %work: index)
    attributes {launch = #systolic.launch<[x, control]>, params = {}, grid = []} {
  %tokens = systolic.control tokens %control
  %x = systolic.load %X[%tokens] : !X -> tensor<16xf32, #systolic.axes<BN>>
  systolic.store %x, %X[%work] : tensor<16xf32, #systolic.axes<BN>>, !X
  systolic.return
}

// A buffer whose size depends on the launch's tokens needs the control block; one for a single token does not.
// CHECK-LABEL: systolic.kernel @ends_with_tokens(
// CHECK-SAME: !systolic.control
systolic.kernel @ends_with_tokens(%X: !X {systolic.per_token = 8 : i64}, %control: !systolic.control, %work: index)
    attributes {params = {}, grid = []} {
  systolic.return
}

// CHECK-LABEL: systolic.kernel @one_token(
// CHECK-NOT: !systolic.control
systolic.kernel @one_token(%X: !X {systolic.per_token = 64 : i64}, %control: !systolic.control, %work: index)
    attributes {params = {}, grid = []} {
  systolic.return
}

// A buffer that no launch passes is removed too.
// CHECK-LABEL: systolic.kernel @none(
// CHECK-SAME: %{{[^:]*}}: memref<64xf32, #systolic.axes<N>>, %{{[^:]*}}: index)
// CHECK-SAME: launch = #systolic.launch<[x = operand 0]>
systolic.kernel @none(%scales: !X, %X: !X, %work: index)
    attributes {launch = #systolic.launch<[scales = none, x = operand 0]>, params = {}, grid = []} {
  systolic.return
}

// -----

!X = memref<64xf32, #systolic.axes<N>>

// expected-error @+1 {{expected no use of buffer scales, which no launch passes}}
systolic.kernel @none_that_is_read(%scales: !X, %X: !X, %work: index)
    attributes {launch = #systolic.launch<[scales = none, x = operand 0]>, params = {}, grid = []} {
  // expected-note @+1 {{use}}
  %x = systolic.load %scales[%work] : !X -> tensor<16xf32, #systolic.axes<BN>>
  systolic.store %x, %X[%work] : tensor<16xf32, #systolic.axes<BN>>, !X
  systolic.return
}

// -----

!X = memref<64xf32, #systolic.axes<N>>
!N = memref<4xi32, #systolic.axes<4>>

// The launch's own memory is removed if the kernel does not use it.
// CHECK-LABEL: systolic.kernel @own(
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, n = zeros]>
systolic.kernel @own(%X: !X, %p: !X, %n: !N, %work: index)
    attributes {launch = #systolic.launch<[x = operand 0, p = scratch, n = zeros]>, params = {}, grid = []} {
  %is_last = systolic.arrive %n[%work] of %work : !N
  systolic.return
}
