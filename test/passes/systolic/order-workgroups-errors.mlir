// Error of systolic-order-workgroups: the number of work items along a later axis must not depend on the launch.
// RUN: nstf-opt %s --pass-pipeline='builtin.module(systolic.kernel(systolic-order-workgroups))' -verify-diagnostics

!X = memref<64x64xf32, #systolic.axes<M, N>>

// expected-error @+1 {{expected only the first axis of grid to grow with the tokens but got "M"}}
systolic.kernel @late(%X: !X, %control: !systolic.control, %i: index, %j: index)
    attributes {launch = #systolic.launch<[x = operand 0, control], per_token = {M = 1 : i64}>,
                params = {M = 64, N = 50}, grid = ["N", 16, "M", 16]} {
  systolic.return
}
