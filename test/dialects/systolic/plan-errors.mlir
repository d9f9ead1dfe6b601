// Each numbered rule of #systolic.plan that concerns the attribute alone is violated once. The others concern a plan
// and its loop: test/passes/systolic/plan-loops-errors.mlir. Function names are the rules' numbers.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected 1 to 3 buffers but got 4}}
func.func private @plan_c1() attributes {plan = #systolic.plan<buffers = 4, order = merged, round = [multiply]>}

// -----

// expected-error @+1 {{expected a round that multiplies but got none}}
func.func private @plan_c2() attributes {plan = #systolic.plan<buffers = 1, order = merged, round = [barrier]>}

// -----

// expected-error @+1 {{expected load of 0 to 8 blocks ahead but got 9}}
func.func private @plan_c3() attributes {plan = #systolic.plan<buffers = 1, order = merged, round = [load 0 +9, multiply]>}

// -----

// expected-error @+1 {{expected read of a number of at least 0 but got -1}}
func.func private @plan_c3_step() attributes {plan = #systolic.plan<buffers = 1, order = merged, round = [read 0 step -1, multiply]>}

// -----

// expected-error @+1 {{expected three priorities of 0 to 3 but got [1, 2]}}
func.func private @plan_c4() attributes {plan = #systolic.plan<buffers = 1, order = merged, priorities = [1, 2], round = [multiply]>}

// -----

// expected-error @+1 {{expected three priorities of 0 to 3 but got [1, 2, 4]}}
func.func private @plan_c4_most() attributes {plan = #systolic.plan<buffers = 1, order = merged, priorities = [1, 2, 4], round = [multiply]>}

// -----

// expected-error @+1 {{expected turns without priorities but got [0, 2, 1]}}
func.func private @plan_c5() attributes {plan = #systolic.plan<buffers = 1, order = turns, priorities = [0, 2, 1], round = [multiply]>}

// -----

// expected-error @+1 {{expected pairs of loads only but got a write}}
func.func private @plan_c6() attributes {plan = #systolic.plan<buffers = 1, order = merged, round = [write 0 +1 pairs, multiply]>}

// -----

// expected-error @+1 {{expected a step of reads only but got a load}}
func.func private @plan_c6_step() attributes {plan = #systolic.plan<buffers = 1, order = merged, round = [load 0 step 1, multiply]>}

// -----

// expected-error @+1 {{expected load, write, stage, wait, barrier, read, multiply or reduce but got fetch}}
func.func private @plan_action() attributes {plan = #systolic.plan<buffers = 1, order = merged, round = [fetch 0, multiply]>}

// -----

// expected-error @+1 {{expected the number of what is meant by load}}
func.func private @plan_number() attributes {plan = #systolic.plan<buffers = 1, order = merged, round = [load, multiply]>}

// -----

// expected-error @+1 {{expected merged or turns but got both}}
func.func private @plan_order() attributes {plan = #systolic.plan<buffers = 1, order = both, round = [multiply]>}

// -----

// expected-error @+1 {{expected a #systolic.plan on a loop as "systolic.plan" but got 1}}
func.func private @plan_place() attributes {systolic.plan = 1 : i64}

// -----

func.func @plan_kind(%c0: index) {
  // expected-error @+1 {{expected a #systolic.plan on a loop as "systolic.plan" but got "merged"}}
  scf.for %i = %c0 to %c0 step %c0 {
  } {systolic.plan = "merged"}
  return
}

// -----

func.func @products(%c0: index) {
  // expected-error @+1 {{expected a unit attribute on a loop as "systolic.products" but got 1}}
  scf.for %i = %c0 to %c0 step %c0 {
  } {systolic.products = 1}
  return
}
