// All conversions and reductions across waves share one piece of LDS, as large as the largest needs.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-allocate-scratch))' | FileCheck %s
// RUN: nstf-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-allocate-scratch))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o /dev/null

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!lds = !systolic.lds<1 x 16x32xf32, unit, #systolic.axes<BM, BK>>

// 16 x 16 floats; the mask needs 256 bytes, which fit in as well.
// CHECK-LABEL: systolic.kernel @conversions(
// CHECK-SAME: !systolic.lds<1 x 16x32xf32, unit, #systolic.axes<BM, BK>>, %{{.+}}: !systolic.lds<1 x 1024xi8, unit, #systolic.axes<1024>> {systolic.scratch})
// expected-remark @+1 {{[Analysis] Lds | Category:systolic-allocate-scratch | Function=conversions | Remark="3072 bytes of LDS, 1024 of them scratch", lds=3072, scratch=1024}}
systolic.kernel @conversions(%work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %a = arith.constant dense<0.0> : tensor<16x16xf32, #rows>
  %b = systolic.convert_layout %a : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  %m = arith.constant dense<true> : tensor<16x16xi1, #rows>
  %n = systolic.convert_layout %m : tensor<16x16xi1, #rows> -> tensor<16x16xi1, #cols>
  systolic.return
}

// -----

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>

// An element of a mask takes a byte.
// CHECK-LABEL: systolic.kernel @mask(
// CHECK-SAME: !systolic.lds<1 x 256xi8
// expected-remark @+1 {{"256 bytes of LDS, 256 of them scratch"}}
systolic.kernel @mask(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %m = arith.constant dense<true> : tensor<16x16xi1, #rows>
  %n = systolic.convert_layout %m : tensor<16x16xi1, #rows> -> tensor<16x16xi1, #cols>
  systolic.return
}

// -----

#tile = #systolic.fragment<reg [1:4*1], lane [1:16*4, 0:4*1], wave [1:4*64]>
#row = #systolic.fragment<reg [], lane [-1:16*0, 0:4*1], wave [-1:4*0]>

// Each of four waves writes one value for each of its 64 lanes.
// CHECK-LABEL: systolic.kernel @across_waves(
// CHECK-SAME: !systolic.lds<1 x 1024xi8
// expected-remark @+1 {{"1024 bytes of LDS, 1024 of them scratch"}}
systolic.kernel @across_waves(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x4>} {
  %a = arith.constant dense<0.0> : tensor<4x256xf32, #tile>
  %b = systolic.reduce add %a along 1 : tensor<4x256xf32, #tile> -> tensor<4xf32, #row>
  systolic.return
}

// -----

#tile = #systolic.fragment<reg [1:4*1], lane [1:16*4, 0:4*1], wave [0:4*4]>
#row = #systolic.fragment<reg [], lane [-1:16*0, 0:4*1], wave [0:4*4]>
#other = #systolic.fragment<reg [1:2*2, 1:2*1], lane [1:16*4, 0:4*1], wave [0:4*4]>

// Reductions within a wave use shuffles, and another order of the same registers needs no move.
// CHECK-LABEL: systolic.kernel @none(%{{.+}}: index)
// expected-remark @+1 {{"0 bytes of LDS, 0 of them scratch"}}
systolic.kernel @none(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 4x1>} {
  %a = arith.constant dense<0.0> : tensor<16x64xf32, #tile>
  %b = systolic.reduce add %a along 1 : tensor<16x64xf32, #tile> -> tensor<16xf32, #row>
  %c = systolic.convert_layout %a : tensor<16x64xf32, #tile> -> tensor<16x64xf32, #other>
  systolic.return
}

// -----

!N = memref<4xi32, #systolic.axes<4>>

// One wave tells the others whether the workgroup is the last.
// CHECK-LABEL: systolic.kernel @arrive(
// CHECK-SAME: !systolic.lds<1 x 4xi8
// expected-remark @+1 {{"4 bytes of LDS, 4 of them scratch"}}
systolic.kernel @arrive(%n: !N, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x4>} {
  %is_last = systolic.arrive %n[%work] of %work : !N
  systolic.return
}

// -----

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!N = memref<4xi32, #systolic.axes<4>>

// Each crew has its own scratch.
// CHECK-LABEL: systolic.kernel @crews(
// CHECK-SAME: !systolic.lds<1 x 4096xi8
// expected-remark @+1 {{"4096 bytes of LDS, 4096 of them scratch"}}
systolic.kernel @crews(%n: !N, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c4 = arith.constant 4 : index
  %crew = systolic.crew of %c4
  %a = arith.constant dense<0.0> : tensor<16x16xf32, #rows>
  %b = systolic.convert_layout %a : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  %is_last = systolic.arrive %n[%crew] of %work : !N
  systolic.return
}

// -----

!N = memref<4xi32, #systolic.axes<4>>

// CHECK-LABEL: systolic.kernel @crews_arrive(
// CHECK-SAME: !systolic.lds<1 x 32xi8
// expected-remark @+1 {{"32 bytes of LDS, 32 of them scratch"}}
systolic.kernel @crews_arrive(%n: !N, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c2 = arith.constant 2 : index
  %crew = systolic.crew of %c2
  %is_last = systolic.arrive %n[%crew] of %work : !N
  systolic.return
}

// -----

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!lds = !systolic.lds<2 x 64x128xf32, unit, #systolic.axes<BM, BK>>
!whole = tensor<64x128xf32, #systolic.fragment<reg [1:128*1], lane [0:64*1], wave []>>

// The arrays take all 64 KiB. Their last access precedes the conversion, so the conversion uses the first of them,
// after a barrier.
// CHECK-LABEL: systolic.kernel @shared(
// CHECK-SAME: %{{.+}}: !systolic.lds<2 x 64x128xf32, unit, #systolic.axes<BM, BK>> {systolic.scratch})
// CHECK: systolic.read
// CHECK: systolic.barrier
// CHECK-NEXT: systolic.convert_layout
// expected-remark @below {{[Passed] SharedScratch | Category:systolic-allocate-scratch | Function=shared | Remark="scratch lies where the array of a loop before it does"}}
// expected-remark @+1 {{"65536 bytes of LDS, 0 of them scratch"}}
systolic.kernel @shared(%work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = systolic.read %lds[%c0] : !lds -> !whole
  %a = arith.constant dense<0.0> : tensor<16x16xf32, #rows>
  %b = systolic.convert_layout %a : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  systolic.return
}

// -----

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!lds = !systolic.lds<2 x 64x124xf32, unit, #systolic.axes<BM, BK>>
!whole = tensor<64x124xf32, #systolic.fragment<reg [1:124*1], lane [0:64*1], wave []>>

// Separate scratch leaves room for as many workgroups, so no barrier is added.
// CHECK-LABEL: systolic.kernel @apart(
// CHECK-SAME: !systolic.lds<1 x 1024xi8, unit, #systolic.axes<1024>> {systolic.scratch})
// CHECK-NOT: systolic.barrier
// expected-remark @+1 {{"64512 bytes of LDS, 1024 of them scratch"}}
systolic.kernel @apart(%work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = systolic.read %lds[%c0] : !lds -> !whole
  %a = arith.constant dense<0.0> : tensor<16x16xf32, #rows>
  %b = systolic.convert_layout %a : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  systolic.return
}

// -----

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!lds = !systolic.lds<1 x 64x128xf32, unit, #systolic.axes<BM, BK>>
!whole = tensor<64x128xf32, #systolic.fragment<reg [1:128*1], lane [0:64*1], wave []>>

// An array that is read after the conversion cannot hold its scratch.
// CHECK-LABEL: systolic.kernel @read_later(
// CHECK-SAME: !systolic.lds<1 x 1024xi8, unit, #systolic.axes<1024>> {systolic.scratch})
// expected-remark @+1 {{"33792 bytes of LDS, 1024 of them scratch"}}
systolic.kernel @read_later(%work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<16x16xf32, #rows>
  %b = systolic.convert_layout %a : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  %x = systolic.read %lds[%c0] : !lds -> !whole
  systolic.return
}
