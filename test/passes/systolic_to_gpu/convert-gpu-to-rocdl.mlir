// RUN: nstf-opt %s -pass-pipeline="builtin.module(nstf-set-target{target=gfx942},gpu.module(expand-strided-metadata, \
// RUN:     lower-affine,convert-scf-to-cf,systolic-to-gpu-convert-gpu-to-rocdl,reconcile-unrealized-casts, \
// RUN:     canonicalize,cse),systolic-to-gpu-attach-debug-info)" | FileCheck %s
// RUN: nstf-opt %s -pass-pipeline="builtin.module(nstf-set-target{target=gfx90a},gpu.module(expand-strided-metadata, \
// RUN:     lower-affine,convert-scf-to-cf,systolic-to-gpu-convert-gpu-to-rocdl,reconcile-unrealized-casts, \
// RUN:     canonicalize,cse),systolic-to-gpu-attach-debug-info)" | FileCheck %s

// The math function becomes an intrinsic, and the matrix instruction becomes ROCDL's. The argument keeps its name and
// is preloaded, workgroup memory is aligned, and both attributes with the workgroup's size are set.

// CHECK: llvm.mlir.global internal @{{.*}}() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
// CHECK-LABEL: llvm.func @k
// CHECK-SAME: %{{.*}}: !llvm.ptr {llvm.inreg, llvm.noalias}
// CHECK-SAME: rocdl.flat_work_group_size = "64,64"
// CHECK-SAME: rocdl.kernel
// CHECK-SAME: rocdl.reqd_work_group_size = array<i32: 64, 1, 1>
// CHECK-SAME: rocdl.uniform_work_group_size = true
// CHECK-SAME: systolic.launch = #systolic.launch<[x]>
// CHECK: rocdl.mfma.f32.16x16x4f32
// CHECK: llvm.intr.exp2
// CHECK-NOT: llvm.call
module {
  gpu.module @m {
    gpu.func @k(%x: memref<64xf32> {llvm.noalias})
        workgroup(%lds : memref<64xf32, #gpu.address_space<workgroup>>)
        kernel attributes {known_block_size = array<i32: 64, 1, 1>, systolic.launch = #systolic.launch<[x]>} {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %zero = arith.constant dense<0.0> : vector<4xf32>
      %d = amdgpu.mfma 16x16x4 %v * %v + %zero {blocks = 1 : i32} blgp = none : f32, f32, vector<4xf32>
      %e = math.exp2 %d : vector<4xf32>
      %s = vector.extract %e[0] : f32 from vector<4xf32>
      memref.store %s, %lds[%i] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %c0 = arith.constant 0 : index
      %t = memref.load %lds[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %t, %x[%i] : memref<64xf32>
      gpu.return
    }
  }

  // Atomics have device scope and do not order other accesses.
  // CHECK-LABEL: llvm.func @count
  // CHECK: llvm.atomicrmw add %{{.+}}, %{{.+}} syncscope("agent") monotonic : !llvm.ptr, i32
  // CHECK: llvm.atomicrmw xchg %{{.+}}, %{{.+}} syncscope("agent") monotonic : !llvm.ptr, i32
  gpu.module @counters {
    gpu.func @count(%n: memref<4xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.block_id x
      %one = arith.constant 1 : i32
      %before = memref.atomic_rmw addi %one, %n[%i] : (i32, memref<4xi32>) -> i32
      %after = memref.atomic_rmw assign %before, %n[%i] : (i32, memref<4xi32>) -> i32
      memref.store %after, %n[%i] : memref<4xi32>
      gpu.return
    }
  }

  // Beside matrix instructions an fma of vectors becomes scalar ones; without them it stays, because LLVM packs it.
  // CHECK-LABEL: llvm.func @beside_products
  // CHECK-COUNT-4: llvm.intr.fma(%{{.+}}, %{{.+}}, %{{.+}}) : (f32, f32, f32) -> f32
  // CHECK-LABEL: llvm.func @without_products
  // CHECK: llvm.intr.fma(%{{.+}}, %{{.+}}, %{{.+}}) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  gpu.module @products {
    gpu.func @beside_products(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      %zero = arith.constant dense<0.0> : vector<4xf32>
      %d = amdgpu.mfma 16x16x4 %v * %v + %zero {blocks = 1 : i32} blgp = none : f32, f32, vector<4xf32>
      %f = math.fma %d, %d, %d : vector<4xf32>
      vector.store %f, %x[%i] : memref<64xf32>, vector<4xf32>
      gpu.return
    }
  }
  gpu.module @plain {
    gpu.func @without_products(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %d = vector.load %x[%i] : memref<64xf32>, vector<4xf32>
      %f = math.fma %d, %d, %d : vector<4xf32>
      vector.store %f, %x[%i] : memref<64xf32>, vector<4xf32>
      gpu.return
    }
  }

  // Each approximate exp2 is one instruction. Rounding to bf16 takes two instructions per element and one per pair,
  // because it does not preserve every NaN.
  // CHECK-LABEL: llvm.func @weights
  // CHECK-COUNT-2: rocdl.exp2 %{{.+}} f32 -> f32
  // CHECK-NOT: llvm.intr.exp2
  // CHECK-NOT: llvm.fptrunc
  // CHECK: llvm.lshr
  // CHECK: llvm.add
  // CHECK: llvm.trunc {{.+}} : vector<2xi32> to vector<2xi16>
  gpu.module @n {
    gpu.func @weights(%x: memref<64xf32> {llvm.noalias}, %y: memref<64xbf16> {llvm.noalias})
        kernel attributes {known_block_size = array<i32: 32, 1, 1>, systolic.launch = #systolic.launch<[x, y]>} {
      %i = gpu.thread_id x
      %v = vector.load %x[%i] : memref<64xf32>, vector<2xf32>
      %e = math.exp2 %v fastmath<afn> : vector<2xf32>
      %b = arith.truncf %e fastmath<nnan> : vector<2xf32> to vector<2xbf16>
      vector.store %b, %y[%i] : memref<64xbf16>, vector<2xbf16>
      gpu.return
    }
  }
}
