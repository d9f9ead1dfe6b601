// Errors of systolic-select-array.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-select-array))' -verify-diagnostics -o /dev/null
// RUN: not nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx90a},systolic.kernel(systolic-select-array))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROUNDS

// expected-error @+1 {{expected a wave size (systolic-select-wave-size) but got none}}
systolic.kernel @no_wave_size(%work: index) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

// expected-error @+1 {{expected at most 1024 work-items in a workgroup but got 5x4 waves of 64}}
systolic.kernel @too_many_waves(%work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 5x4>, grid = [], wave_size = 64 : i64} {
  systolic.return
}

// -----

// expected-error @+1 {{expected at most 1024 work-items in a workgroup but got 17 crews of 1x1 waves of 64}}
systolic.kernel @more_crews_than_waves(%work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 1x1>, grid = [], wave_size = 64 : i64} {
  %c17 = arith.constant 17 : index
  %crew = systolic.crew of %c17
  systolic.return
}

// -----

// expected-error @+1 {{expected at most 1024 work-items in a workgroup but got 16 crews of 1x2 waves of 64}}
systolic.kernel @too_many_crews(%work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 1x2>, grid = [], wave_size = 64 : i64} {
  %c16 = arith.constant 16 : index
  %crew = systolic.crew of %c16
  systolic.return
}

// -----

// expected-error @+1 {{expected crews of one wave but got 1x2 waves}}
systolic.kernel @wide_crews(%work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 1x2>, grid = [], wave_size = 64 : i64} {
  %c2 = arith.constant 2 : index
  %crew = systolic.crew of %c2
  systolic.return
}

// -----

// expected-error @+1 {{expected a schedule of waves along rows and columns alone for a kernel without matrix products but got buffers=2 order=turns}}
systolic.kernel @nothing_to_order(%work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 1x4, buffers = 2, order = turns>, grid = [], wave_size = 64 : i64} {
  systolic.return
}

// -----

// expected-error @+1 {{expected a schedule of waves along rows and columns alone for a kernel without matrix products but got waves=1x4x2}}
systolic.kernel @no_sum(%work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 1x4x2>, grid = [], wave_size = 64 : i64} {
  systolic.return
}

// -----

// expected-error @+1 {{expected a matrix instruction of gfx942 that divides the products of the kernel but got none for 'tensor<24x32xf32, #systolic.axes<BM, BK>>' x 'tensor<32x32xf32, #systolic.axes<BK, BN>>' on 1x1 waves}}
systolic.kernel @undivided(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<24x32xf32, #systolic.axes<BM, BK>>
  %b = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BK, BN>>
  %c = arith.constant dense<0.0> : tensor<24x32xf32, #systolic.axes<BM, BN>>
  %d = systolic.mma %a, %b, %c : tensor<24x32xf32, #systolic.axes<BM, BK>>, tensor<32x32xf32, #systolic.axes<BK, BN>> -> tensor<24x32xf32, #systolic.axes<BM, BN>>
  systolic.return
}

// -----

// 256 accumulators per lane would spill.
// expected-error @+1 {{but got none for 'tensor<128x16xf32, #systolic.axes<BM, BK>>' x 'tensor<16x128xf32, #systolic.axes<BK, BN>>' on 1x1 waves}}
systolic.kernel @too_many_accumulators(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<128x16xf32, #systolic.axes<BM, BK>>
  %b = arith.constant dense<0.0> : tensor<16x128xf32, #systolic.axes<BK, BN>>
  %c = arith.constant dense<0.0> : tensor<128x128xf32, #systolic.axes<BM, BN>>
  %d = systolic.mma %a, %b, %c : tensor<128x16xf32, #systolic.axes<BM, BK>>, tensor<16x128xf32, #systolic.axes<BK, BN>> -> tensor<128x128xf32, #systolic.axes<BM, BN>>
  systolic.return
}

// -----

// No instruction multiplies i32.
// expected-error @+1 {{expected products of f32, f16, bf16, i8, e4m3fnuz, e5m2fnuz, which the matrix cores of gfx942 multiply, but got i32}}
systolic.kernel @no_type(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0> : tensor<32x32xi32, #systolic.axes<BM, BK>>
  %d = systolic.mma %a, %a, %a : tensor<32x32xi32, #systolic.axes<BM, BK>>, tensor<32x32xi32, #systolic.axes<BM, BK>> -> tensor<32x32xi32, #systolic.axes<BM, BK>>
  systolic.return
}

// -----

// An array has a single instruction.
// expected-error @+1 {{expected a matrix instruction of gfx942}}
systolic.kernel @two_types(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BM, BK>>
  %b = arith.constant dense<0.0> : tensor<32x32xf16, #systolic.axes<BM, BK>>
  %d = systolic.mma %a, %a, %a : tensor<32x32xf32, #systolic.axes<BM, BK>>, tensor<32x32xf32, #systolic.axes<BM, BK>> -> tensor<32x32xf32, #systolic.axes<BM, BK>>
  %e = systolic.mma %b, %b, %d : tensor<32x32xf16, #systolic.axes<BM, BK>>, tensor<32x32xf16, #systolic.axes<BM, BK>> -> tensor<32x32xf32, #systolic.axes<BM, BK>>
  systolic.return
}

// -----

// 513 f32 for each of 64 lanes.
// expected-error @+1 {{expected tiles of at most 512 registers a lane but got 'tensor<64x513xf32, #systolic.axes<BM, BN>>' on 64 work-items}}
systolic.kernel @too_large(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<64x513xf32, #systolic.axes<BM, BN>>
  systolic.return
}

// -----

// Every chip can decode floats of 8 bits, but only some have instructions that round to them.
// ROUNDS: error: expected a chip that rounds to 'f8E4M3FNUZ', as gfx942 does, but got gfx90a, which only decodes what it reads (i8 runs on it)
systolic.kernel @rounds(%Y: memref<64xf8E4M3FNUZ, #systolic.axes<N>>, %work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64xf32, #systolic.axes<N>>
  systolic.store %a, %Y[%c0] : tensor<64xf32, #systolic.axes<N>>, memref<64xf8E4M3FNUZ, #systolic.axes<N>>
  systolic.return
}
