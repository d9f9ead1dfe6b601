// The parts of an overlap become one stream, merged by the clocks for which instructions occupy their pipes; the order
// is pinned.
// RUN: nstf-opt %s -pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic-to-gpu-merge-overlaps)' | FileCheck %s

// Four products of 32 clocks beside two reads of 16, whose port two SIMDs share: a read after the first and the third
// product. An op that computes an address moves with the instruction after it.
// CHECK-LABEL: func.func @evenly(
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: %[[P0:.+]] = amdgpu.mfma 32x32x8 {{.+}} + %[[ACC:.+]] blgp
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: arith.addi
// CHECK-NEXT: %[[R0:.+]] = vector.load
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: %[[P1:.+]] = amdgpu.mfma {{.+}} + %[[P0]] blgp
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: %[[P2:.+]] = amdgpu.mfma {{.+}} + %[[P1]] blgp
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: %[[R1:.+]] = vector.load
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: %[[P3:.+]] = amdgpu.mfma {{.+}} + %[[P2]] blgp
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: return %[[P3]], %[[R0]], %[[R1]]
func.func @evenly(%a: vector<4xf16>, %acc: vector<16xf32>, %lds: memref<64xf16, #gpu.address_space<workgroup>>, %i: index)
    -> (vector<16xf32>, vector<8xf16>, vector<8xf16>) {
  %all:3 = systolic.overlap {
    %p0 = amdgpu.mfma 32x32x8 %a * %a + %acc blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %p1 = amdgpu.mfma 32x32x8 %a * %a + %p0 blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %p2 = amdgpu.mfma 32x32x8 %a * %a + %p1 blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %p3 = amdgpu.mfma 32x32x8 %a * %a + %p2 blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    systolic.yield %p3 : vector<16xf32>
  } with {
    %j = arith.addi %i, %i : index
    %r0 = vector.load %lds[%j] : memref<64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %r1 = vector.load %lds[%i] : memref<64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    systolic.yield %r0, %r1 : vector<8xf16>, vector<8xf16>
  } : vector<16xf32>, vector<8xf16>, vector<8xf16>
  return %all#0, %all#1, %all#2 : vector<16xf32>, vector<8xf16>, vector<8xf16>
}

// A staged access occupies a pipe that four SIMDs share for eleven clocks, a store one that two share for twelve. With
// two of them, more than half of the part is done. A wait takes no time and moves with the instruction after it.
// CHECK-LABEL: func.func @staged(
// CHECK: amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: amdgpu.memory_counter_wait load(0)
// CHECK-NEXT: amdgpu.gather_to_lds
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: amdgpu.gather_to_lds
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: vector.store
func.func @staged(%a: vector<4xf16>, %acc: vector<16xf32>, %lds: memref<512xf16, #gpu.address_space<workgroup>>,
                  %memory: memref<512xf16, #amdgpu.address_space<fat_raw_buffer>>, %i: index) -> vector<16xf32> {
  %all = systolic.overlap {
    %p0 = amdgpu.mfma 32x32x8 %a * %a + %acc blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %p1 = amdgpu.mfma 32x32x8 %a * %a + %p0 blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    systolic.yield %p1 : vector<16xf32>
  } with {
    amdgpu.memory_counter_wait load(0)
    amdgpu.gather_to_lds %memory[%i], %lds[%i] : vector<2xf16>, memref<512xf16, #amdgpu.address_space<fat_raw_buffer>>, memref<512xf16, #gpu.address_space<workgroup>>
    amdgpu.gather_to_lds %memory[%i], %lds[%i] : vector<2xf16>, memref<512xf16, #amdgpu.address_space<fat_raw_buffer>>, memref<512xf16, #gpu.address_space<workgroup>>
    vector.store %a, %lds[%i] : memref<512xf16, #gpu.address_space<workgroup>>, vector<4xf16>
    vector.store %a, %lds[%i] : memref<512xf16, #gpu.address_space<workgroup>>, vector<4xf16>
    vector.store %a, %lds[%i] : memref<512xf16, #gpu.address_space<workgroup>>, vector<4xf16>
    systolic.yield
  } : vector<16xf32>
  return %all : vector<16xf32>
}

// A barrier waits for the LDS accesses before it: products run until these are done, and one more runs between the wait
// and the barrier. A priority is set before the next access, or after the last one if none follows.
// CHECK-LABEL: func.func @barrier(
// CHECK: amdgpu.mfma
// CHECK: rocdl.s.setprio 0
// CHECK-COUNT-2: amdgpu.mfma
// CHECK: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: amdgpu.lds_barrier
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: rocdl.s.setprio 2
// CHECK-NEXT: vector.load
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: vector.load
// CHECK-NEXT: rocdl.s.setprio 1
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: amdgpu.mfma
func.func @barrier(%a: vector<4xf16>, %acc: vector<16xf32>, %lds: memref<64xf16, #gpu.address_space<workgroup>>, %i: index)
    -> (vector<16xf32>, vector<8xf16>, vector<8xf16>) {
  %all:3 = systolic.overlap {
    %p0 = amdgpu.mfma 32x32x8 %a * %a + %acc blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %p1 = amdgpu.mfma 32x32x8 %a * %a + %p0 blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %p2 = amdgpu.mfma 32x32x8 %a * %a + %p1 blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %p3 = amdgpu.mfma 32x32x8 %a * %a + %p2 blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %p4 = amdgpu.mfma 32x32x8 %a * %a + %p3 blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %p5 = amdgpu.mfma 32x32x8 %a * %a + %p4 blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    systolic.yield %p5 : vector<16xf32>
  } with {
    rocdl.s.setprio 0
    amdgpu.memory_counter_wait ds(0)
    amdgpu.lds_barrier
    rocdl.s.setprio 2
    %r0 = vector.load %lds[%i] : memref<64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %r1 = vector.load %lds[%i] : memref<64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    rocdl.s.setprio 1
    systolic.yield %r0, %r1 : vector<8xf16>, vector<8xf16>
  } : vector<16xf32>, vector<8xf16>, vector<8xf16>
  return %all#0, %all#1, %all#2 : vector<16xf32>, vector<8xf16>, vector<8xf16>
}

// Loads from the same lines stay together, others do not.
// CHECK-LABEL: func.func @lines(
// CHECK: amdgpu.raw_buffer_load %{{.+}}[%{{.+}}] :
// CHECK-NEXT: amdgpu.raw_buffer_load {indexOffset = 32 :
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: amdgpu.mfma
// CHECK-NEXT: amdgpu.sched_barrier
// CHECK-NEXT: amdgpu.raw_buffer_load {indexOffset = 512 :
func.func @lines(%a: vector<4xf16>, %acc: vector<16xf32>, %x: memref<?xf16, #gpu.address_space<global>>, %i: i32)
    -> (vector<16xf32>, vector<8xf16>, vector<8xf16>, vector<8xf16>) {
  %all:4 = systolic.overlap {
    %p0 = amdgpu.mfma 32x32x8 %a * %a + %acc blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    %p1 = amdgpu.mfma 32x32x8 %a * %a + %p0 blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    systolic.yield %p1 : vector<16xf32>
  } with {
    %l0 = amdgpu.raw_buffer_load %x[%i] : memref<?xf16, #gpu.address_space<global>>, i32 -> vector<8xf16>
    %l1 = amdgpu.raw_buffer_load {indexOffset = 32 : i32} %x[%i] : memref<?xf16, #gpu.address_space<global>>, i32 -> vector<8xf16>
    %l2 = amdgpu.raw_buffer_load {indexOffset = 512 : i32} %x[%i] : memref<?xf16, #gpu.address_space<global>>, i32 -> vector<8xf16>
    systolic.yield %l0, %l1, %l2 : vector<8xf16>, vector<8xf16>, vector<8xf16>
  } : vector<16xf32>, vector<8xf16>, vector<8xf16>, vector<8xf16>
  return %all#0, %all#1, %all#2, %all#3 : vector<16xf32>, vector<8xf16>, vector<8xf16>, vector<8xf16>
}

// Without an overlap nothing changes, and no target is needed.
// RUN: echo 'func.func @nothing() { return }' | nstf-opt -systolic-to-gpu-merge-overlaps | FileCheck %s --check-prefix=NOTHING
// NOTHING: func.func @nothing() {
// NOTHING-NEXT: return
