// RUN: nstf-opt %s -split-input-file -verify-diagnostics -pass-pipeline="builtin.module(gpu.module(systolic-to-gpu-convert-gpu-to-rocdl))"

// Without a target the pass cannot check the chip.
module {
  // expected-error @+1 {{expected a target (the attribute nstf.target on the module) but got none}}
  gpu.module @m {}
}

// -----

// An incomplete target is refused.
module attributes {nstf.target = {name = "x", chip = "gfx942", fp8 = "none", compute_units = 0 : i64}} {
  // expected-error @+1 {{expected a target to have a number 'compute_units' of at least 1 but got 0 : i64}}
  gpu.module @m {}
}
