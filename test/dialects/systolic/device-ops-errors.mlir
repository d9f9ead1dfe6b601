// Each numbered constraint of the ops between workgroups and between crews is violated once. Names are the constraints'
// numbers.
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

// -----

func.func @crew_c1() {
  %count = arith.constant 0 : index
  // expected-error @+1 {{expected at least 1 crew but got 0}}
  %crew = systolic.crew of %count
  return
}

// -----

systolic.kernel @crew_c2(%work: index) attributes {params = {}, grid = []} {
  %four = arith.constant 4 : index
  %two = arith.constant 2 : index
  %crew = systolic.crew of %four
  // expected-error @+1 {{expected the kernel's 4 crews but got 2}}
  %other = systolic.crew of %two
  systolic.return
}
