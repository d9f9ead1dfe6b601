// One LDS buffer, with halves of the waves that will take turns: loads stand in the steps with few reads, which are the
// last step, after the write (they are of the block after next), and the first. Without turns they are spread over the
// steps before the write.
// RUN: nstf-opt %s --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-plan-loops,systolic-insert-prefetch))' | FileCheck %s
// RUN: sed 's/order = turns/order = merged/' %s \
// RUN:   | nstf-opt --pass-pipeline='builtin.module(nstf-set-target{target=gfx942}, \
// RUN:     systolic.kernel(systolic-plan-loops,systolic-insert-prefetch))' | FileCheck %s --check-prefix=SPREAD

#acc = #systolic.fragment<reg [1:4*1, 1:8*8, 0:4*32], lane [0:32*1, 1:2*4], wave [0:2*128, 1:4*64]>
#x = #systolic.fragment<reg [1:8*1, 0:4*64], lane [1:8*8, 0:8*1], wave [0:8*8]>
#w = #systolic.fragment<reg [0:8*1, 1:4*64], lane [0:8*8, 1:8*1], wave [1:8*8]>
#a = #systolic.fragment<reg [1:8*1, 1:4*16, 0:4*32], lane [0:32*1, 1:2*8], wave [0:2*128, -1:4*0]>
#b = #systolic.fragment<reg [0:8*1, 0:4*16, 1:2*32], lane [1:32*1, 0:2*8], wave [-1:2*0, 1:4*64]>
!X = memref<512x512xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 256x64xf16, #systolic.swizzle<8, 8, 1>, #systolic.axes<256, 64>>

// CHECK-LABEL: systolic.kernel @turns(
// CHECK: scf.for
// CHECK: systolic.load %{{.+}} transposed when
// CHECK-COUNT-3: systolic.mma
// CHECK: systolic.barrier
// CHECK-COUNT-2: systolic.write
// CHECK: systolic.barrier
// CHECK: arith.constant 128 : index
// CHECK: systolic.load %{{.+}} when
// CHECK-NEXT: systolic.mma
// CHECK-NEXT: scf.yield
// SPREAD-LABEL: systolic.kernel @turns(
// SPREAD: scf.for
// SPREAD: systolic.load %{{.+}} when
// SPREAD-NEXT: systolic.mma
// SPREAD: systolic.load %{{.+}} transposed when
// SPREAD-NEXT: systolic.mma
// SPREAD: systolic.mma
// SPREAD: systolic.barrier
// SPREAD-COUNT-2: systolic.write
// SPREAD-NOT: systolic.load
// SPREAD: scf.yield
systolic.kernel @turns(%X: !X, %W: !X, %work: index, %lds_x: !lds, %lds_w: !lds)
    attributes {params = {}, schedule = #systolic.schedule<order = turns>, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 2x4, cell = 32x32x16, instruction_k = 8, transposed>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant dense<0.0> : tensor<256x256xf32, #acc>
  %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %zero) -> (tensor<256x256xf32, #acc>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<256x64xf16, #x>
    %w = systolic.load %W[%c0, %k] transposed : !X -> tensor<64x256xf16, #w>
    systolic.barrier
    systolic.write %x, %lds_x[%c0] : tensor<256x64xf16, #x>, !lds
    systolic.write %w, %lds_w[%c0] transposed : tensor<64x256xf16, #w>, !lds
    systolic.barrier
    %a = systolic.read %lds_x[%c0] : !lds -> tensor<256x64xf16, #a>
    %b = systolic.read %lds_w[%c0] transposed : !lds -> tensor<64x256xf16, #b>
    %next = systolic.mma %a, %b, %acc : tensor<256x64xf16, #a>, tensor<64x256xf16, #b> -> tensor<256x256xf32, #acc>
    scf.yield %next : tensor<256x256xf32, #acc>
  }
  systolic.store %sum, %X[%c0, %c0] : tensor<256x256xf32, #acc>, !X
  systolic.return
}
