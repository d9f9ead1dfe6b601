// Parts of an overlap become one stream, merged by what the instructions take of their pipes; the order is pinned.
// RUN: nstf-opt %s -pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic-to-gpu-merge-overlaps)' | FileCheck %s

// Four products of 32 clocks beside two reads of 16: a read after the first and the third. What computes no result but an
// address goes with the instruction behind it.
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

// Without an overlap nothing changes, and no target is asked for.
// RUN: echo 'func.func @nothing() { return }' | nstf-opt -systolic-to-gpu-merge-overlaps | FileCheck %s --check-prefix=NOTHING
// NOTHING: func.func @nothing() {
// NOTHING-NEXT: return
