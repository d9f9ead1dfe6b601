// If memory's rows do not run along K, lanes load patches and transpose them on the way: the array has the order of the
// product and is read 8 bytes at a time instead of 2. A loop reuses the array of a loop that has ended.
// RUN: nstf-opt %s \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-stage-operands))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics | FileCheck %s

#v = #systolic.fragment<reg [0:8*1, 1:4*8], lane [0:8*8, 1:8*1], wave []>
#a = #systolic.fragment<reg [1:4*1, 1:2*16, 0:4*16], lane [0:16*1, 1:4*4], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*16], lane [1:16*1, 0:4*4], wave []>
#b = #systolic.fragment<reg [0:4*1, 0:2*16], lane [1:16*1, 0:4*4], wave []>
!V = memref<64x64xf16, #systolic.axes<L, D>>
!o = tensor<64x16xf32, #acc>
// CHECK-DAG: #[[ROWS:.+]] = #systolic.fragment<reg [0:8*1, 1:4*1], lane [1:8*4, 0:8*8], wave []>
// CHECK-DAG: #[[COLUMNS:.+]] = #systolic.fragment<reg [1:4*1, 0:8*1], lane [1:8*4, 0:8*8], wave []>
// CHECK-LABEL: systolic.kernel @values(
// CHECK-SAME: %[[LDS:[a-z0-9]+]]: !systolic.lds<1 x 64x32xf16, #systolic.swizzle<{{.+}}>, #systolic.axes<64, 32>>)
// CHECK: scf.for
// CHECK: %[[V:.+]] = systolic.load {{.+}} transposed : {{.+}} -> tensor<64x32xf16, #[[ROWS]]>
// CHECK: %[[TURNED:.+]] = systolic.convert_layout %[[V]] : {{.+}} -> tensor<64x32xf16, #[[COLUMNS]]>
// CHECK: systolic.barrier
// CHECK: systolic.write %[[TURNED]], %[[LDS]][%{{.+}}] :
// CHECK: systolic.barrier
// CHECK: systolic.read %[[LDS]][%{{[^]]+}}] :
// CHECK: scf.for
// CHECK: systolic.write %{{.+}}, %[[LDS]][
// CHECK: systolic.read %[[LDS]][
systolic.kernel @values(%V: !V, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %p = systolic.load %V[%c0, %c0] : !V -> tensor<32x16xf16, #b>
  %zero = arith.constant dense<0.0> : !o
  %first = scf.for %k = %c0 to %work step %c32 iter_args(%o = %zero) -> (!o) {
    %v = systolic.load %V[%k, %c0] transposed : !V -> tensor<64x32xf16, #v>
    // expected-remark-re @+1 {{{{.*}}writes of 8 bytes, reads of 8 bytes{{.*}}}}
    %a = systolic.convert_layout %v : tensor<64x32xf16, #v> -> tensor<64x32xf16, #a>
    %next = systolic.mma %a, %p, %o : tensor<64x32xf16, #a>, tensor<32x16xf16, #b> -> !o
    scf.yield %next : !o
  }
  %second = scf.for %k = %c0 to %work step %c32 iter_args(%o = %first) -> (!o) {
    %v = systolic.load %V[%k, %c0] transposed : !V -> tensor<64x32xf16, #v>
    // expected-remark-re @+1 {{{{.*}}writes of 8 bytes, reads of 8 bytes{{.*}}}}
    %a = systolic.convert_layout %v : tensor<64x32xf16, #v> -> tensor<64x32xf16, #a>
    %next = systolic.mma %a, %p, %o : tensor<64x32xf16, #a>, tensor<32x16xf16, #b> -> !o
    scf.yield %next : !o
  }
  systolic.store %second, %V[%c0, %c0] : !o, !V
  systolic.return
}

// Codes that are converted at the load are transposed after the conversion: memory delivers half the bytes, and the
// array is the same.
// CHECK-LABEL: systolic.kernel @codes(
// CHECK: %[[V:.+]] = systolic.load {{.+}} transposed : {{.+}} -> tensor<64x32xi8, #[[ROWS]]>
// CHECK: %[[NUMBERS:.+]] = arith.sitofp %[[V]] : tensor<64x32xi8, #[[ROWS]]> to tensor<64x32xf16, #[[ROWS]]>
// CHECK: systolic.convert_layout %[[NUMBERS]] : {{.+}} -> tensor<64x32xf16, #[[COLUMNS]]>
!C = memref<64x64xi8, #systolic.axes<L, D>>
systolic.kernel @codes(%V: !C, %P: !V, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %p = systolic.load %P[%c0, %c0] : !V -> tensor<32x16xf16, #b>
  %zero = arith.constant dense<0.0> : !o
  %sum = scf.for %k = %c0 to %work step %c32 iter_args(%o = %zero) -> (!o) {
    %c = systolic.load %V[%k, %c0] transposed : !C -> tensor<64x32xi8, #v>
    %v = arith.sitofp %c : tensor<64x32xi8, #v> to tensor<64x32xf16, #v>
    // expected-remark-re @+1 {{{{.*}}writes of 8 bytes, reads of 8 bytes{{.*}}}}
    %a = systolic.convert_layout %v : tensor<64x32xf16, #v> -> tensor<64x32xf16, #a>
    %next = systolic.mma %a, %p, %o : tensor<64x32xf16, #a>, tensor<32x16xf16, #b> -> !o
    scf.yield %next : !o
  }
  systolic.store %sum, %P[%c0, %c0] : !o, !V
  systolic.return
}
