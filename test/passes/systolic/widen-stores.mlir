// Results are stored in whole segments, by way of LDS that the loops no longer use; stores that stay are in
// widen-stores-remarks.mlir.
// RUN: nstf-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-widen-stores))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics | FileCheck %s

// Two waves side by side. A lane has four columns of a row. Each wave rounds its half of the tile to memory's type and
// exchanges lanes, so that eight lanes fill a line of memory. The largest array has room for all of it.
#acc = #systolic.fragment<reg [1:4*1, 1:8*8, 0:2*32], lane [0:32*1, 1:2*4], wave [1:2*64]>
#a = #systolic.fragment<reg [1:8*1, 0:2*32], lane [0:32*1, 1:2*8], wave [-1:2*0]>
#b = #systolic.fragment<reg [0:8*1, 1:2*32], lane [1:32*1, 0:2*8], wave [1:2*64]>
!X = memref<64x16xf16, #systolic.axes<M, K>>
!W = memref<128x16xf16, #systolic.axes<N, K>>
!Y = memref<64x128xf16, #systolic.axes<M, N>>
!small = !systolic.lds<1 x 64x16xf16, unit, #systolic.axes<BM, BK>>
!large = !systolic.lds<4 x 128x16xf16, unit, #systolic.axes<BN, BK>>
// CHECK-DAG: #[[ACC:.+]] = #systolic.fragment<reg [1:4*1, 1:8*8, 0:2*32], lane [0:32*1, 1:2*4], wave [1:2*64]>
// CHECK-DAG: #[[ROWS:.+]] = #systolic.fragment<reg [1:8*1, 0:8*8], lane [1:8*8, 0:8*1], wave [1:2*64]>
// CHECK-LABEL: systolic.kernel @product(
// CHECK-SAME: %[[LARGE:[a-z0-9]+]]: !systolic.lds<4 x
// CHECK: %[[SUM:.+]] = systolic.mma
// CHECK-NEXT: %[[ROUNDED:.+]] = arith.truncf %[[SUM]] : tensor<64x128xf32, #[[ACC]]> to tensor<64x128xf16, #[[ACC]]>
// CHECK-NEXT: %[[ARRAY:.+]] = systolic.view %[[LARGE]] : {{.+}} -> !systolic.lds<1 x 64x128xf16, #systolic.swizzle<4, 16, 1>, #systolic.axes<64, 128>>
// CHECK-NEXT: %[[WIDE:.+]] = systolic.convert_layout %[[ROUNDED]] through %[[ARRAY]] : {{.+}} -> tensor<64x128xf16, #[[ROWS]]>
// CHECK-NEXT: systolic.store %[[WIDE]],
systolic.kernel @product(%Y: !Y, %x: !small, %w: !large, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x2, cell = 32x32x16, instruction_k = 8, transposed>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #acc>
  %a = systolic.read %x[%c0] : !small -> tensor<64x16xf16, #a>
  %b = systolic.read %w[%c0] transposed : !large -> tensor<16x128xf16, #b>
  %sum = systolic.mma %a, %b, %zero : tensor<64x16xf16, #a>, tensor<16x128xf16, #b> -> tensor<64x128xf32, #acc>
  // expected-remark @+1 {{Remark="stores of 16 bytes a lane, 64 of a segment, instead of 8, 16", bytes=16, bytes_before=8, clocks=776, clocks_before=2048, conflicts=0, lds=16384, rounds=1}}
  systolic.store %sum, %Y[%c0, %c0] : tensor<64x128xf32, #acc>, !Y
  systolic.return
}

// -----

// The epilogue loads a tile of the result's shape, so all ops up to it get the layout along rows, broadcasts included.
// Sums are not rounded yet, and the array holds a quarter of them.
#acc = #systolic.fragment<reg [1:4*1, 1:4*8, 0:4*32], lane [0:32*1, 1:2*4], wave []>
#bias = #systolic.fragment<reg [0:4*1, 0:4*8], lane [-1:32*0, 0:2*4], wave []>
#operand = #systolic.fragment<reg [1:8*1, 0:4*32], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1], lane [1:32*1, 0:2*8], wave []>
!Y = memref<128x32xf16, #systolic.axes<M, N>>
!B = memref<32xf32, #systolic.axes<N>>
!lds = !systolic.lds<2 x 64x16xf16, unit, #systolic.axes<BM, BK>>
// CHECK-DAG: #[[BIAS:.+]] = #systolic.fragment<reg [0:8*1], lane [0:4*8, -1:16*0], wave []>
// CHECK-DAG: #[[ROWS:.+]] = #systolic.fragment<reg [1:8*1, 0:8*16], lane [1:4*8, 0:16*1], wave []>
// CHECK-LABEL: systolic.kernel @epilogue(
// CHECK: %[[SUM:.+]] = systolic.mma
// CHECK-NEXT: %[[ARRAY:.+]] = systolic.view {{.+}} -> !systolic.lds<1 x 32x32xf32,
// CHECK-NEXT: %[[WIDE:.+]] = systolic.convert_layout %[[SUM]] through %[[ARRAY]] : {{.+}} -> tensor<128x32xf32, #[[ROWS]]>
// CHECK-NEXT: %[[ONE:.+]] = systolic.load {{.+}} -> tensor<32xf32, #[[BIAS]]>
// CHECK-NEXT: %[[ALL:.+]] = systolic.broadcast %[[ONE]] : {{.+}} -> tensor<128x32xf32, #[[ROWS]]>
// CHECK-NEXT: %[[RESIDUAL:.+]] = systolic.load {{.+}} -> tensor<128x32xf32, #[[ROWS]]>
// CHECK-NEXT: %[[BIASED:.+]] = arith.addf %[[WIDE]], %[[ALL]]
// CHECK-NEXT: %[[RESULT:.+]] = arith.addf %[[BIASED]], %[[RESIDUAL]]
// CHECK-NEXT: systolic.store %[[RESULT]],
// CHECK-NEXT: systolic.return
systolic.kernel @epilogue(%Y: !Y, %B: !B, %lds: !lds, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8, transposed>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x32xf32, #acc>
  %a = arith.constant dense<1.0> : tensor<128x16xf16, #operand>
  %b = systolic.read %lds[%c0] from [0, 0] transposed : !lds -> tensor<16x32xf16, #b>
  %sum = systolic.mma %a, %b, %zero : tensor<128x16xf16, #operand>, tensor<16x32xf16, #b> -> tensor<128x32xf32, #acc>
  %bias = systolic.load %B[%c0] : !B -> tensor<32xf32, #bias>
  %all = systolic.broadcast %bias : tensor<32xf32, #bias> -> tensor<128x32xf32, #acc>
  %residual = systolic.load %Y[%c0, %c0] : !Y -> tensor<128x32xf32, #acc>
  %biased = arith.addf %sum, %all : tensor<128x32xf32, #acc>
  %result = arith.addf %biased, %residual : tensor<128x32xf32, #acc>
  // expected-remark @+1 {{64 of a segment, instead of 8, 16; the epilogue's loads too", bytes=16, bytes_before=8, clocks=616, clocks_before=1024, conflicts=0, lds=4096, rounds=4}}
  systolic.store %result, %Y[%c0, %c0] : tensor<128x32xf32, #acc>, !Y
  systolic.return
}

// -----

// Waves of 16 columns, 32 bytes, share rows. Two arrays hold half of the tile each: one part is written to one of them
// while the other is read. A tile that is stored transposed goes through arrays along memory's rows.
#acc = #systolic.fragment<reg [0:4*1, 1:8*16], lane [1:16*1, 0:4*4], wave [0:4*16]>
#a = #systolic.fragment<reg [1:8*1], lane [0:16*1, 1:4*8], wave [0:4*16]>
#b = #systolic.fragment<reg [0:8*1, 1:8*16], lane [1:16*1, 0:4*8], wave [-1:4*0]>
!Y = memref<128x64xf16, #systolic.axes<N, M>>
!x = !systolic.lds<2 x 64x32xf16, unit, #systolic.axes<BM, BK>>
!w = !systolic.lds<1 x 128x32xf16, unit, #systolic.axes<BN, BK>>
// CHECK-DAG: #[[TURNED:.+]] = #systolic.fragment<reg [0:8*1, 1:4*32], lane [0:8*8, 1:8*1], wave [1:4*8]>
// CHECK-LABEL: systolic.kernel @transposed(
// CHECK-SAME: %[[X:[a-z0-9]+]]: !systolic.lds<2 x 64x32xf16
// CHECK-SAME: %[[W:[a-z0-9]+]]: !systolic.lds<1 x 128x32xf16
// CHECK: %[[ROUNDED:.+]] = arith.truncf
// CHECK-NEXT: %[[FIRST:.+]] = systolic.view %[[X]] : {{.+}} -> !systolic.lds<1 x 64x64xf16, #systolic.swizzle<4, 16, 1>, #systolic.axes<64, 64>>
// CHECK-NEXT: %[[SECOND:.+]] = systolic.view %[[W]] : {{.+}} -> !systolic.lds<1 x 64x64xf16,
// CHECK-NEXT: %[[WIDE:.+]] = systolic.convert_layout %[[ROUNDED]] through %[[FIRST]], %[[SECOND]] : {{.+}} transposed : {{.+}} -> tensor<64x128xf16, #[[TURNED]]>
// CHECK-NEXT: systolic.store %[[WIDE]], {{.+}} transposed
systolic.kernel @transposed(%Y: !Y, %x: !x, %w: !w, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 4x1, cell = 16x16x32, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #acc>
  %a = systolic.read %x[%c0] : !x -> tensor<64x32xf16, #a>
  %b = systolic.read %w[%c0] transposed : !w -> tensor<32x128xf16, #b>
  %sum = systolic.mma %a, %b, %zero : tensor<64x32xf16, #a>, tensor<32x128xf16, #b> -> tensor<64x128xf32, #acc>
  // expected-remark @+1 {{64 of a segment, instead of 8, 32", bytes=16, bytes_before=8, clocks=776, clocks_before=2048, conflicts=0, lds=8192, rounds=2}}
  systolic.store %sum, %Y[%c0, %c0] transposed : tensor<64x128xf32, #acc>, !Y
  systolic.return
}

// -----

// Rows of odd length are stored 16 bytes per lane like all others; the elements that the end of a row cuts off are
// stored separately.
#acc = #systolic.fragment<reg [1:4*1, 1:4*8, 0:2*32], lane [0:32*1, 1:2*4], wave []>
#a = #systolic.fragment<reg [1:8*1, 0:2*32], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1], lane [1:32*1, 0:2*8], wave []>
!Y = memref<64x31xf16, #systolic.axes<M, N>>
!lds = !systolic.lds<2 x 64x16xf16, unit, #systolic.axes<BM, BK>>
// CHECK: #[[ROWS:.+]] = #systolic.fragment<reg [1:8*1, 0:4*16], lane [1:4*8, 0:16*1], wave []>
// CHECK-LABEL: systolic.kernel @odd(
// CHECK: systolic.convert_layout {{.+}} -> tensor<64x32xf16, #[[ROWS]]>
systolic.kernel @odd(%Y: !Y, %lds: !lds, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8, transposed>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #acc>
  %a = systolic.read %lds[%c0] : !lds -> tensor<64x16xf16, #a>
  %b = systolic.read %lds[%c0] from [0, 0] transposed : !lds -> tensor<16x32xf16, #b>
  %sum = systolic.mma %a, %b, %zero : tensor<64x16xf16, #a>, tensor<16x32xf16, #b> -> tensor<64x32xf32, #acc>
  // expected-remark @+1 {{stores of 16 bytes a lane, 64 of a segment, instead of 8, 16"}}
  systolic.store %sum, %Y[%c0, %c0] : tensor<64x32xf32, #acc>, !Y
  systolic.return
}

// -----

// Sums of bf16 products are rounded by addition, because no NaN among them has bits in its lower half. That does not
// hold for products of f16 (@product), nor for values computed from a sum.
#acc = #systolic.fragment<reg [1:4*1, 1:8*8, 0:2*32], lane [0:32*1, 1:2*4], wave [1:2*64]>
#a = #systolic.fragment<reg [1:8*1, 0:2*32], lane [0:32*1, 1:2*8], wave [-1:2*0]>
#b = #systolic.fragment<reg [0:8*1, 1:2*32], lane [1:32*1, 0:2*8], wave [1:2*64]>
!X = memref<64x16xbf16, #systolic.axes<M, K>>
!W = memref<128x16xbf16, #systolic.axes<N, K>>
!Y = memref<64x128xbf16, #systolic.axes<M, N>>
!small = !systolic.lds<1 x 64x16xbf16, unit, #systolic.axes<BM, BK>>
!large = !systolic.lds<4 x 128x16xbf16, unit, #systolic.axes<BN, BK>>
// CHECK-LABEL: systolic.kernel @sum_of_bf16(
// CHECK: arith.truncf %{{.+}} fastmath<nnan> : tensor<64x128xf32,
systolic.kernel @sum_of_bf16(%Y: !Y, %x: !small, %w: !large, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x2, cell = 32x32x16, instruction_k = 8, transposed>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #acc>
  %a = systolic.read %x[%c0] : !small -> tensor<64x16xbf16, #a>
  %b = systolic.read %w[%c0] transposed : !large -> tensor<16x128xbf16, #b>
  %sum = systolic.mma %a, %b, %zero : tensor<64x16xbf16, #a>, tensor<16x128xbf16, #b> -> tensor<64x128xf32, #acc>
  // expected-remark @+1 {{stores of 16 bytes a lane}}
  systolic.store %sum, %Y[%c0, %c0] : tensor<64x128xf32, #acc>, !Y
  systolic.return
}

// -----

#acc = #systolic.fragment<reg [1:4*1, 1:8*8, 0:2*32], lane [0:32*1, 1:2*4], wave [1:2*64]>
#a = #systolic.fragment<reg [1:8*1, 0:2*32], lane [0:32*1, 1:2*8], wave [-1:2*0]>
#b = #systolic.fragment<reg [0:8*1, 1:2*32], lane [1:32*1, 0:2*8], wave [1:2*64]>
!X = memref<64x16xbf16, #systolic.axes<M, K>>
!W = memref<128x16xbf16, #systolic.axes<N, K>>
!Y = memref<64x128xbf16, #systolic.axes<M, N>>
!small = !systolic.lds<1 x 64x16xbf16, unit, #systolic.axes<BM, BK>>
!large = !systolic.lds<4 x 128x16xbf16, unit, #systolic.axes<BN, BK>>
// CHECK-LABEL: systolic.kernel @more_than_a_sum(
// CHECK: arith.truncf %{{[a-z0-9_]+}} : tensor<64x128xf32,
systolic.kernel @more_than_a_sum(%Y: !Y, %x: !small, %w: !large, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x2, cell = 32x32x16, instruction_k = 8, transposed>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #acc>
  %a = systolic.read %x[%c0] : !small -> tensor<64x16xbf16, #a>
  %b = systolic.read %w[%c0] transposed : !large -> tensor<16x128xbf16, #b>
  %sum = systolic.mma %a, %b, %zero : tensor<64x16xbf16, #a>, tensor<16x128xbf16, #b> -> tensor<64x128xf32, #acc>
  %more = arith.addf %sum, %sum : tensor<64x128xf32, #acc>
  // expected-remark @+1 {{stores of 16 bytes a lane}}
  systolic.store %more, %Y[%c0, %c0] : tensor<64x128xf32, #acc>, !Y
  systolic.return
}

// -----

// Only the store rounds to integers; until then the values are floats.
#acc = #systolic.fragment<reg [1:4*1, 1:8*8, 0:2*32], lane [0:32*1, 1:2*4], wave [1:2*64]>
#a = #systolic.fragment<reg [1:8*1, 0:2*32], lane [0:32*1, 1:2*8], wave [-1:2*0]>
#b = #systolic.fragment<reg [0:8*1, 1:2*32], lane [1:32*1, 0:2*8], wave [1:2*64]>
!Y = memref<64x128xi8, #systolic.axes<M, N>>
!small = !systolic.lds<1 x 64x16xf16, unit, #systolic.axes<BM, BK>>
!large = !systolic.lds<4 x 128x16xf16, unit, #systolic.axes<BN, BK>>
// CHECK-LABEL: systolic.kernel @codes(
// CHECK: %[[SUM:.+]] = systolic.mma
// CHECK-NOT: trunc
// CHECK: %[[WIDE:.+]] = systolic.convert_layout %[[SUM]] through {{.+}} -> tensor<64x128xf32,
// CHECK-NEXT: systolic.store %[[WIDE]],
systolic.kernel @codes(%Y: !Y, %x: !small, %w: !large, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x2, cell = 32x32x16, instruction_k = 8, transposed>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #acc>
  %a = systolic.read %x[%c0] : !small -> tensor<64x16xf16, #a>
  %b = systolic.read %w[%c0] transposed : !large -> tensor<16x128xf16, #b>
  %sum = systolic.mma %a, %b, %zero : tensor<64x16xf16, #a>, tensor<16x128xf16, #b> -> tensor<64x128xf32, #acc>
  // expected-remark @+1 {{Remark="stores of 8 bytes a lane, 64 of a segment, instead of 4, 8", bytes=8, bytes_before=4, clocks=904, clocks_before=2048, conflicts=0, lds=16384, rounds=2}}
  systolic.store %sum, %Y[%c0, %c0] : tensor<64x128xf32, #acc>, !Y
  systolic.return
}
