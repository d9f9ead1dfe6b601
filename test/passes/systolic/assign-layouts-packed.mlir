// A tile in operand order that one wave multiplies is loaded in the layout of the product, as are elementwise ops on
// it. A tile for several waves, or one with a row index, keeps the layout of memory.
// RUN: nstf-opt %s --pass-pipeline='builtin.module(systolic.kernel(systolic-assign-layouts))' | FileCheck %s
// RUN: nstf-opt %s --pass-pipeline='builtin.module(systolic.kernel(systolic-assign-layouts))' --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o %t
!X = memref<64x64xf16, #systolic.axes<M, K>>
!x = tensor<32x32xf16, #systolic.axes<BM, BK>>
!w = tensor<32x32xf16, #systolic.axes<BK, BN>>
!y = tensor<32x32xf32, #systolic.axes<BM, BN>>
// CHECK-DAG: #[[B:.+]] = #systolic.fragment<reg [0:8*1], lane [1:16*1, 0:4*8], wave [1:2*16]>
// CHECK-DAG: #[[A:.+]] = #systolic.fragment<reg [1:8*1, 0:2*16], lane [0:16*1, 1:4*8], wave [-1:2*0]>
// CHECK-LABEL: systolic.kernel @packed
// CHECK: systolic.load
// CHECK: systolic.load {{.+}} transposed : {{.+}} -> tensor<32x32xf16, #[[B]]>
// CHECK-NEXT: %[[W:.+]] = arith.addf {{.+}} : tensor<32x32xf16, #[[B]]>
// CHECK: %[[A_TILE:.+]] = systolic.convert_layout {{.+}} -> tensor<32x32xf16, #[[A]]>
// CHECK-NEXT: systolic.mma %[[A_TILE]], %[[W]],
// expected-remark @+1 {{1 layout conversions}}
systolic.kernel @packed(%X: !X {systolic.packed = #systolic.packed<16 x 64 bytes>}, %Y: memref<64x64xf32, #systolic.axes<M, N>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x2, cell = 16x16x32, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : !y
  %x = systolic.load %X[%c0, %c0] : !X -> !x
  // expected-remark @+1 {{loaded as it is multiplied, in the order of operands}}
  %loaded = systolic.load %X[%c0, %c0] transposed : !X -> !w
  %w = arith.addf %loaded, %loaded : !w
  %y = systolic.mma %x, %w, %zero : !x, !w -> !y
  systolic.store %y, %Y[%c0, %c0] : !y, memref<64x64xf32, #systolic.axes<M, N>>
  systolic.return
}
