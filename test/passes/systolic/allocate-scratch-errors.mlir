// Errors of systolic-allocate-scratch.
// RUN: split-file %s %t
// RUN: nstf-opt %t/gfx942.mlir -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-allocate-scratch))' -verify-diagnostics
// RUN: nstf-opt %t/no-target.mlir --pass-pipeline='builtin.module(systolic.kernel(systolic-allocate-scratch))' -verify-diagnostics

//--- gfx942.mlir
#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!lds = !systolic.lds<1 x 16384xf32, unit, #systolic.axes<BK>>

// Without scratch the arrays would just fit.
// expected-error @+1 {{expected at most 65536 bytes of LDS on gfx942 but got 66560, 1024 of them for layout conversions}}
systolic.kernel @too_much(%work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %a = arith.constant dense<0.0> : tensor<16x16xf32, #rows>
  %b = systolic.convert_layout %a : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  systolic.return
}

// -----

// expected-error @+1 {{expected a wave size (systolic-select-wave-size) but got none}}
systolic.kernel @no_wave_size(%work: index) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

systolic.kernel @no_layout(%x: memref<4x4xf32, #systolic.axes<M, K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64} {
  // expected-error @+1 {{expected tiles with layouts (systolic-assign-layouts) but got one without}}
  %a = systolic.load %x[%work, %work] : memref<4x4xf32, #systolic.axes<M, K>> -> tensor<4x4xf32, #systolic.axes<BM, BK>>
  %b = systolic.reduce add %a along 1 : tensor<4x4xf32, #systolic.axes<BM, BK>> -> tensor<4xf32, #systolic.axes<BM>>
  systolic.return
}

//--- no-target.mlir
// expected-error @+1 {{expected a target}}
systolic.kernel @no_target(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  systolic.return
}
