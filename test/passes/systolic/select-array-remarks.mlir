// Remarks of systolic-select-array: the choice, and why others were rejected.
// RUN: nstf-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-select-array))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o /dev/null

// expected-remark @+2 {{[Missed] Array | Category:systolic-select-array | Function=rows | Remark="v_mfma_f32_32x32x2_f32: its cells do not tile 32x32 on 2x1 waves"}}
// expected-remark @+1 {{[Passed] Array | Category:systolic-select-array | Function=rows | Remark="v_mfma_f32_16x16x4_f32 on 2x1 waves"}}
systolic.kernel @rows(%work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 2x1>, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BM, BK>>
  %b = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BK, BN>>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BM, BN>>
  %d = systolic.mma %a, %b, %c : tensor<32x32xf32, #systolic.axes<BM, BK>>, tensor<32x32xf32, #systolic.axes<BK, BN>> -> tensor<32x32xf32, #systolic.axes<BM, BN>>
  systolic.return
}

// -----

// expected-remark @+2 {{Function=large | Remark="v_mfma_f32_32x32x2_f32 on 1x1 waves"}}
// expected-remark @+1 {{Function=large | Remark="v_mfma_f32_16x16x4_f32: smaller than the one that fits"}}
systolic.kernel @large(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BM, BK>>
  %d = systolic.mma %a, %a, %a : tensor<32x32xf32, #systolic.axes<BM, BK>>, tensor<32x32xf32, #systolic.axes<BM, BK>> -> tensor<32x32xf32, #systolic.axes<BM, BK>>
  systolic.return
}

// -----

// expected-remark @+3 {{Function=shallow | Remark="v_mfma_f32_32x32x2_f32: its cells are 8 deep, which does not divide the 4 of a product"}}
// expected-remark @+2 {{Function=shallow | Remark="v_mfma_f32_16x16x4_f32: its cells are 16 deep, which does not divide the 4 of a product"}}
// expected-error @+1 {{expected a matrix instruction of gfx942}}
systolic.kernel @shallow(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<32x4xf32, #systolic.axes<BM, BK>>
  %b = arith.constant dense<0.0> : tensor<4x32xf32, #systolic.axes<BK, BN>>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BM, BN>>
  %d = systolic.mma %a, %b, %c : tensor<32x4xf32, #systolic.axes<BM, BK>>, tensor<4x32xf32, #systolic.axes<BK, BN>> -> tensor<32x32xf32, #systolic.axes<BM, BN>>
  systolic.return
}

// -----

// expected-remark @+3 {{Function=wide | Remark="v_mfma_f32_32x32x2_f32: 256 accumulators a lane, over the 128 that do not spill"}}
// expected-remark @+2 {{Function=wide | Remark="v_mfma_f32_16x16x4_f32: 256 accumulators a lane, over the 128 that do not spill"}}
// expected-error @+1 {{expected a matrix instruction of gfx942}}
systolic.kernel @wide(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<128x16xf32, #systolic.axes<BM, BK>>
  %b = arith.constant dense<0.0> : tensor<16x128xf32, #systolic.axes<BK, BN>>
  %c = arith.constant dense<0.0> : tensor<128x128xf32, #systolic.axes<BM, BN>>
  %d = systolic.mma %a, %b, %c : tensor<128x16xf32, #systolic.axes<BM, BK>>, tensor<16x128xf32, #systolic.axes<BK, BN>> -> tensor<128x128xf32, #systolic.axes<BM, BN>>
  systolic.return
}

// -----

// expected-remark @+3 {{Function=mixed | Remark="v_mfma_f32_32x32x2_f32: the kernel's products have different types, and an array has one instruction"}}
// expected-remark @+2 {{Function=mixed | Remark="v_mfma_f32_16x16x4_f32: the kernel's products have different types, and an array has one instruction"}}
// expected-error @+1 {{expected a matrix instruction of gfx942}}
systolic.kernel @mixed(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BM, BK>>
  %b = arith.constant dense<0.0> : tensor<32x32xf16, #systolic.axes<BM, BK>>
  %d = systolic.mma %a, %a, %a : tensor<32x32xf32, #systolic.axes<BM, BK>>, tensor<32x32xf32, #systolic.axes<BM, BK>> -> tensor<32x32xf32, #systolic.axes<BM, BK>>
  %e = systolic.mma %b, %b, %d : tensor<32x32xf16, #systolic.axes<BM, BK>>, tensor<32x32xf16, #systolic.axes<BM, BK>> -> tensor<32x32xf32, #systolic.axes<BM, BK>>
  systolic.return
}
