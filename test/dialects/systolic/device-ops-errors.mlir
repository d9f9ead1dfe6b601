// Every numbered constraint of the operations between workgroups, broken once. Names are the numbers.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

func.func @arrive_c1_type(%counters: memref<64xf32, #systolic.axes<M>>, %i: index) {
  // expected-error @+1 {{expected counters of i32 and rank 1 but got 'memref<64xf32, #systolic.axes<M>>'}}
  %last = systolic.arrive %counters[%i] of %i : memref<64xf32, #systolic.axes<M>>
  return
}

// -----

func.func @arrive_c1_rank(%counters: memref<64x1xi32, #systolic.axes<M, 1>>, %i: index) {
  // expected-error @+1 {{expected counters of i32 and rank 1 but got 'memref<64x1xi32, #systolic.axes<M, 1>>'}}
  %last = systolic.arrive %counters[%i] of %i : memref<64x1xi32, #systolic.axes<M, 1>>
  return
}
