// Staged tiles are as many blocks ahead as there are LDS buffers, and are waited for by count.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-plan-loops,systolic-insert-prefetch))' | FileCheck %s
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942}, \
// RUN:     systolic.kernel(systolic-plan-loops,systolic-insert-prefetch))' --remark-format=emitRemark \
// RUN:   --remarks-filter=systolic-.* -verify-diagnostics -o %t
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942}, \
// RUN:     systolic.kernel(systolic-plan-loops,systolic-insert-prefetch,systolic-schedule-loop))' \
// RUN:   | FileCheck %s --check-prefix=FLOW

// Three buffers of 2 KiB, eight accesses each. The code before the loop waits for the first block. In the loop each
// block is waited for before the barrier that precedes its reads, while the next one may be in flight. Then the buffer
// that was read is staged again. Of four blocks one comes after the loop.
#a = #systolic.fragment<reg [1:8*1, 1:2*16], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 0:2*16], lane [1:32*1, 0:2*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8], lane [1:32*1, 0:2*4], wave []>
!X = memref<64x128xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<32, 32>>
// CHECK-LABEL: systolic.kernel @staged(
// CHECK-SAME: %[[LDS:[a-z0-9]+]]: !systolic.lds<3 x 32x32xf16,
// CHECK: systolic.stage %{{.+}}[%c0, %c0], %[[LDS]][%[[B0:.+]]] when
// CHECK: systolic.stage %{{.+}}, %[[LDS]][%[[B1:.+]]] when
// CHECK: systolic.stage %{{.+}}, %[[LDS]][%[[B2:.+]]] when
// CHECK-NEXT: systolic.wait 16
// CHECK-NEXT: systolic.barrier
// CHECK-COUNT-2: systolic.read %[[LDS]][%[[B0]]] from [0, 0]
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK-COUNT-2: systolic.read %[[LDS]][%[[B0]]] from [0, 16]
// CHECK: systolic.mma
// CHECK-NEXT: systolic.wait 8
// CHECK-NEXT: systolic.barrier
// CHECK: %[[AHEAD:.+]] = arith.addi %[[K]], %c96
// CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %[[AHEAD]], %c128
// CHECK-NEXT: systolic.stage %{{.+}}[%c0, %[[AHEAD]]], %[[LDS]][%[[B0]]] when %[[INSIDE]]
// CHECK-COUNT-2: systolic.read %[[LDS]][%[[B1]]] from [0, 0]
// CHECK: systolic.mma
// CHECK: systolic.mma
// CHECK: systolic.stage %{{.+}}, %[[LDS]][%[[B1]]] when
// CHECK: systolic.mma
// CHECK: systolic.mma
// CHECK: systolic.stage %{{.+}}, %[[LDS]][%[[B2]]] when
// CHECK: scf.yield
// CHECK-NOT: systolic.stage
// CHECK: systolic.store
// FLOW-LABEL: systolic.kernel @staged(
// FLOW: systolic.overlap {
// FLOW: } with {
// FLOW: systolic.overlap {
// FLOW: } with {
// FLOW-NEXT: systolic.wait 8
// FLOW-NEXT: systolic.barrier
// FLOW-NEXT: systolic.stage
// FLOW-COUNT-2: systolic.read
systolic.kernel @staged(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  // expected-remark @+1 {{Remark="a block is staged 3 blocks before its products, behind the reads of its buffer", buffers=3, bytes_in_flight=4096, bytes_needed=4999, cover=384, cover_needed=788, distance=3, distance_needed=7, lds=6144}}
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32, #acc>) {
    systolic.barrier
    systolic.stage %X[%c0, %k], %lds[%c0] : !X, !lds
    systolic.wait 0
    systolic.barrier
    %a = systolic.read %lds[%c0] : !lds -> tensor<32x32xf16, #a>
    %b = systolic.read %lds[%c0] transposed : !lds -> tensor<32x32xf16, #b>
    %next = systolic.mma %a, %b, %acc : tensor<32x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<32x32xf32, #acc>
    scf.yield %next : tensor<32x32xf32, #acc>
  }
  systolic.store %sum, %X[%c0, %c0] : tensor<32x32xf32, #acc>, !X
  systolic.return
}

// -----

// A block cannot be staged into the buffer that is read, and two buffers of 48 KiB do not fit.
#a = #systolic.fragment<reg [1:8*1, 1:48*16], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 0:48*16], lane [1:32*1, 0:2*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8], lane [1:32*1, 0:2*4], wave []>
!X = memref<64x3072xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x768xf16, #systolic.swizzle<8, 8, 1>, #systolic.axes<32, 768>>
// CHECK-LABEL: systolic.kernel @large(
// CHECK-SAME: !systolic.lds<1 x
systolic.kernel @large(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %c768 = arith.constant 768 : index
  %c3072 = arith.constant 3072 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  // expected-remark @+1 {{Remark="a second buffer would take 98304 bytes of LDS, gfx942 has 65536}}
  %sum = scf.for %k = %c0 to %c3072 step %c768 iter_args(%acc = %zero) -> (tensor<32x32xf32, #acc>) {
    systolic.barrier
    systolic.stage %X[%c0, %k], %lds[%c0] : !X, !lds
    systolic.wait 0
    systolic.barrier
    %a = systolic.read %lds[%c0] : !lds -> tensor<32x768xf16, #a>
    %b = systolic.read %lds[%c0] transposed : !lds -> tensor<768x32xf16, #b>
    %next = systolic.mma %a, %b, %acc : tensor<32x768xf16, #a>, tensor<768x32xf16, #b> -> tensor<32x32xf32, #acc>
    scf.yield %next : tensor<32x32xf32, #acc>
  }
  systolic.store %sum, %X[%c0, %c0] : tensor<32x32xf32, #acc>, !X
  systolic.return
}
