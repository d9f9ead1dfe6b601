// Some results are stored while others still go through LDS.
// RUN: nstf-opt %s -systolic-to-gpu-issue-stores | FileCheck %s

!lds = memref<256xf32, #gpu.address_space<workgroup>>
!y = memref<?xf32, #gpu.address_space<global>>
!x = memref<?xf32, #gpu.address_space<global>>

gpu.module @kernels {
  // Three parts through one array: the store of the first part, with its address, comes after the reads of the second
  // part, that of the second after the reads of the third, and that of the third stays. A store uses only its own
  // elements.
  // CHECK-LABEL: gpu.func @parts(
  // CHECK: vector.store
  // CHECK-NEXT: amdgpu.lds_barrier
  // CHECK-NEXT: %[[R0:.+]] = vector.load
  // CHECK-NEXT: vector.store
  // CHECK-NEXT: vector.load
  // CHECK-NEXT: amdgpu.sched_barrier
  // CHECK-NEXT: %[[E:.+]]:4 = vector.to_elements %[[R0]]
  // CHECK-NEXT: %[[P0:.+]] = vector.from_elements %[[E]]#0, %[[E]]#1, %[[E]]#2, %[[E]]#3
  // CHECK: %[[PLACE:.+]] = arith.addi
  // CHECK-NEXT: amdgpu.raw_buffer_store %[[P0]] -> %{{.+}}[%[[PLACE]]]
  // CHECK-NEXT: amdgpu.sched_barrier
  // CHECK-NEXT: amdgpu.lds_barrier
  // CHECK-NEXT: vector.store
  // CHECK-NEXT: %[[R2:.+]] = vector.load
  // CHECK-NEXT: amdgpu.sched_barrier
  // CHECK: amdgpu.raw_buffer_store
  // CHECK-NEXT: amdgpu.sched_barrier
  // CHECK-NEXT: llvm.fence
  // CHECK-NEXT: amdgpu.raw_buffer_store %[[R2]]
  // CHECK-NEXT: gpu.return
  gpu.func @parts(%lds: !lds, %y: !y, %a: vector<4xf32>, %i: index, %j: i32) kernel {
    %four = arith.constant 4 : i32
    amdgpu.sched_barrier allow = <none> {systolic.part}
    vector.store %a, %lds[%i] : !lds, vector<4xf32>
    amdgpu.lds_barrier
    %r0 = vector.load %lds[%i] : !lds, vector<4xf32>
    %e0:4 = vector.to_elements %r0 : vector<4xf32>
    amdgpu.sched_barrier allow = <none> {systolic.part}
    vector.store %a, %lds[%i] : !lds, vector<4xf32>
    %r1 = vector.load %lds[%i] : !lds, vector<4xf32>
    %e1:4 = vector.to_elements %r1 : vector<4xf32>
    amdgpu.sched_barrier allow = <none> {systolic.part}
    amdgpu.lds_barrier
    vector.store %a, %lds[%i] : !lds, vector<4xf32>
    %r2 = vector.load %lds[%i] : !lds, vector<4xf32>
    amdgpu.sched_barrier allow = <none> {systolic.part}
    llvm.fence syncscope("wavefront") acq_rel
    %all = vector.from_elements %e0#0, %e0#1, %e0#2, %e0#3, %e1#0, %e1#1, %e1#2, %e1#3 : vector<8xf32>
    %p0 = vector.extract_strided_slice %all {offsets = [0], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
    %k = arith.addi %j, %four : i32
    amdgpu.raw_buffer_store %p0 -> %y[%k] : vector<4xf32> -> !y, i32
    %p1 = vector.extract_strided_slice %all {offsets = [4], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
    amdgpu.raw_buffer_store %p1 -> %y[%j] : vector<4xf32> -> !y, i32
    amdgpu.raw_buffer_store %r2 -> %y[%j] : vector<4xf32> -> !y, i32
    gpu.return
  }

  // Ops on results move to their use by a store.
  // CHECK-LABEL: gpu.func @rounded(
  // CHECK: vector.load
  // CHECK-NEXT: arith.truncf
  // CHECK-NEXT: vector.store
  gpu.func @rounded(%lds: memref<256xf16, #gpu.address_space<workgroup>>, %a: vector<4xf32>, %b: vector<4xf32>, %i: index,
                    %y: memref<?xf16, #gpu.address_space<global>>, %j: i32) kernel {
    %first = arith.truncf %a : vector<4xf32> to vector<4xf16>
    %second = arith.truncf %b : vector<4xf32> to vector<4xf16>
    amdgpu.sched_barrier allow = <none> {systolic.part}
    vector.store %first, %lds[%i] : memref<256xf16, #gpu.address_space<workgroup>>, vector<4xf16>
    %r0 = vector.load %lds[%i] : memref<256xf16, #gpu.address_space<workgroup>>, vector<4xf16>
    amdgpu.sched_barrier allow = <none> {systolic.part}
    vector.store %second, %lds[%i] : memref<256xf16, #gpu.address_space<workgroup>>, vector<4xf16>
    %r1 = vector.load %lds[%i] : memref<256xf16, #gpu.address_space<workgroup>>, vector<4xf16>
    amdgpu.raw_buffer_store %r0 -> %y[%j] : vector<4xf16> -> memref<?xf16, #gpu.address_space<global>>, i32
    amdgpu.raw_buffer_store %r1 -> %y[%j] : vector<4xf16> -> memref<?xf16, #gpu.address_space<global>>, i32
    gpu.return
  }

  // A store does not move past a load, which may read the stored memory.
  // CHECK-LABEL: gpu.func @loads(
  // CHECK: amdgpu.raw_buffer_load
  // CHECK-NOT: sched_barrier
  // CHECK: amdgpu.raw_buffer_store
  gpu.func @loads(%lds: !lds, %y: !y, %x: !x, %a: vector<4xf32>, %i: index, %j: i32) kernel {
    amdgpu.sched_barrier allow = <none> {systolic.part}
    vector.store %a, %lds[%i] : !lds, vector<4xf32>
    %r0 = vector.load %lds[%i] : !lds, vector<4xf32>
    amdgpu.sched_barrier allow = <none> {systolic.part}
    vector.store %a, %lds[%i] : !lds, vector<4xf32>
    %r1 = vector.load %lds[%i] : !lds, vector<4xf32>
    amdgpu.sched_barrier allow = <none> {systolic.part}
    amdgpu.lds_barrier
    %l = amdgpu.raw_buffer_load %x[%j] : !x, i32 -> vector<4xf32>
    %s = arith.addf %r0, %l : vector<4xf32>
    amdgpu.raw_buffer_store %s -> %y[%j] : vector<4xf32> -> !y, i32
    amdgpu.raw_buffer_store %r1 -> %y[%j] : vector<4xf32> -> !y, i32
    gpu.return
  }

  // With a single part nothing follows that could cover a store.
  // CHECK-LABEL: gpu.func @whole(
  // CHECK-NOT: sched_barrier
  // CHECK: gpu.return
  gpu.func @whole(%lds: !lds, %y: !y, %a: vector<4xf32>, %i: index, %j: i32) kernel {
    amdgpu.sched_barrier allow = <none> {systolic.part}
    vector.store %a, %lds[%i] : !lds, vector<4xf32>
    amdgpu.lds_barrier
    %r0 = vector.load %lds[%i] : !lds, vector<4xf32>
    amdgpu.raw_buffer_store %r0 -> %y[%j] : vector<4xf32> -> !y, i32
    gpu.return
  }

  // LDS accesses without the mark are not parts of a tile, so the store stays.
  // CHECK-LABEL: gpu.func @unmarked(
  // CHECK-NOT: sched_barrier
  // CHECK: amdgpu.raw_buffer_store
  // CHECK-NEXT: gpu.return
  gpu.func @unmarked(%lds: !lds, %y: !y, %a: vector<4xf32>, %i: index, %j: i32) kernel {
    vector.store %a, %lds[%i] : !lds, vector<4xf32>
    %r0 = vector.load %lds[%i] : !lds, vector<4xf32>
    vector.store %a, %lds[%i] : !lds, vector<4xf32>
    %r1 = vector.load %lds[%i] : !lds, vector<4xf32>
    amdgpu.lds_barrier
    amdgpu.raw_buffer_store %r0 -> %y[%j] : vector<4xf32> -> !y, i32
    gpu.return
  }

  // A block inside a loop, and a block without stores, whose marks are removed.
  // CHECK-LABEL: gpu.func @nothing(
  // CHECK-NOT: sched_barrier
  // CHECK: gpu.return
  gpu.func @nothing(%lds: !lds, %a: vector<4xf32>, %i: index, %n: index) kernel {
    scf.for %k = %i to %n step %i {
      amdgpu.sched_barrier allow = <none> {systolic.part}
      vector.store %a, %lds[%k] : !lds, vector<4xf32>
    }
    gpu.return
  }
}
