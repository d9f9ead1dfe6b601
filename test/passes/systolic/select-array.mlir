// The virtual systolic array: waves from the schedule, the cell from the target's instructions and the sizes of the
// products.
// RUN: nstf-opt %s --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-select-array))' | FileCheck %s
// RUN: nstf-opt %s --pass-pipeline='builtin.module(nstf-set-target{target=gfx90a},systolic.kernel(systolic-select-array))' | FileCheck %s

// The largest instruction that divides the wave's part of the tile. An f32 instruction has one element per lane along
// K, but a cell is 8 (or 4) elements deep: four (or two) consecutive ones per lane.
// CHECK-LABEL: @large_f32
// CHECK-SAME: array = #systolic.array<waves = 2x2, cell = 32x32x8, instruction_k = 2>
systolic.kernel @large_f32(%work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 2x2>, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<64x32xf32, #systolic.axes<BM, BK>>
  %b = arith.constant dense<0.0> : tensor<32x64xf32, #systolic.axes<BK, BN>>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #systolic.axes<BM, BN>>
  %d = systolic.mma %a, %b, %c : tensor<64x32xf32, #systolic.axes<BM, BK>>, tensor<32x64xf32, #systolic.axes<BK, BN>> -> tensor<64x64xf32, #systolic.axes<BM, BN>>
  systolic.return
}

// Four waves along 64 columns leave 16 columns to each.
// CHECK-LABEL: @narrow_f32
// CHECK-SAME: array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>
systolic.kernel @narrow_f32(%work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 1x4>, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<64x32xf32, #systolic.axes<BM, BK>>
  %b = arith.constant dense<0.0> : tensor<32x64xf32, #systolic.axes<BK, BN>>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #systolic.axes<BM, BN>>
  %d = systolic.mma %a, %b, %c : tensor<64x32xf32, #systolic.axes<BM, BK>>, tensor<32x64xf32, #systolic.axes<BK, BN>> -> tensor<64x64xf32, #systolic.axes<BM, BN>>
  systolic.return
}

// A depth of 8 suffices for a 32x32 cell of f32; a 16x16 one needs 16.
// CHECK-LABEL: @shallow_f32
// CHECK-SAME: array = #systolic.array<waves = 1x1, cell = 32x32x8, instruction_k = 2>
systolic.kernel @shallow_f32(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<32x8xf32, #systolic.axes<BM, BK>>
  %b = arith.constant dense<0.0> : tensor<8x32xf32, #systolic.axes<BK, BN>>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BM, BN>>
  %d = systolic.mma %a, %b, %c : tensor<32x8xf32, #systolic.axes<BM, BK>>, tensor<8x32xf32, #systolic.axes<BK, BN>> -> tensor<32x32xf32, #systolic.axes<BM, BN>>
  systolic.return
}

// The array suits all products; the second one has 16 rows.
// CHECK-LABEL: @two_products
// CHECK-SAME: array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>
systolic.kernel @two_products(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BM, BK>>
  %b = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BK, BN>>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BM, BN>>
  %d = systolic.mma %a, %b, %c : tensor<32x32xf32, #systolic.axes<BM, BK>>, tensor<32x32xf32, #systolic.axes<BK, BN>> -> tensor<32x32xf32, #systolic.axes<BM, BN>>
  %e = arith.constant dense<0.0> : tensor<16x32xf32, #systolic.axes<D, BK>>
  %f = arith.constant dense<0.0> : tensor<16x32xf32, #systolic.axes<D, BN>>
  %g = systolic.mma %e, %b, %f : tensor<16x32xf32, #systolic.axes<D, BK>>, tensor<32x32xf32, #systolic.axes<BK, BN>> -> tensor<16x32xf32, #systolic.axes<D, BN>>
  systolic.return
}

// Operands that are not loaded are results of products or are multiplied with them: rows are chained, so that a lane
// holds 16 bytes.
// CHECK-LABEL: @f16
// CHECK-SAME: array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8, chained>
systolic.kernel @f16(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  %a = arith.constant dense<0.0> : tensor<32x32xf16, #systolic.axes<BM, BK>>
  %b = arith.constant dense<0.0> : tensor<32x32xf16, #systolic.axes<BK, BN>>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #systolic.axes<BM, BN>>
  %d = systolic.mma %a, %b, %c : tensor<32x32xf16, #systolic.axes<BM, BK>>, tensor<32x32xf16, #systolic.axes<BK, BN>> -> tensor<32x32xf32, #systolic.axes<BM, BN>>
  systolic.return
}

// A wave of 32 lanes has half the groups of lanes, so four elements per lane make the cell half as deep.
// CHECK-LABEL: @wave32
// CHECK-SAME: array = #systolic.array<waves = 1x1, cell = 16x16x8, instruction_k = 4>
systolic.kernel @wave32(%work: index) attributes {params = {}, grid = [], wave_size = 32 : i64} {
  %a = arith.constant dense<0.0> : tensor<16x16xf32, #systolic.axes<BM, BK>>
  %d = systolic.mma %a, %a, %a : tensor<16x16xf32, #systolic.axes<BM, BK>>, tensor<16x16xf32, #systolic.axes<BM, BK>> -> tensor<16x16xf32, #systolic.axes<BM, BK>>
  systolic.return
}

// A kernel without products has waves but no cell.
// CHECK-LABEL: @no_product
// CHECK-SAME: array = #systolic.array<waves = 4x1>
systolic.kernel @no_product(%work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 4x1>, grid = [], wave_size = 64 : i64} {
  systolic.return
}
