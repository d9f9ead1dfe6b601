// The overlaps in a loop must follow the loop's plan.
// RUN: nstf-opt %s -verify-diagnostics -pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic-to-gpu-merge-overlaps)'

func.func @no_plan(%a: vector<4xf16>, %acc: vector<16xf32>, %c0: index, %c1: index) {
  // expected-error @+1 {{expected a loop with a plan (systolic-plan-loops) but got none}}
  %sum = scf.for %i = %c0 to %c1 step %c1 iter_args(%d = %acc) -> (vector<16xf32>) {
    %next = systolic.overlap {
      %p = amdgpu.mfma 32x32x8 %a * %a + %d blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
      systolic.yield %p : vector<16xf32>
    } : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  return
}
