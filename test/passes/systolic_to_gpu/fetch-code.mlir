// A kernel's code is fetched before all other loads, and the code after a loop of products again after that loop. The
// words stay live until loads are waited for anyway.
// RUN: nstf-opt %s -pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic-to-gpu-fetch-code)' | FileCheck %s

// CHECK-LABEL: gpu.func @waits_before_a_loop
// CHECK-NEXT:    %[[THREAD:.*]] = gpu.thread_id x
// CHECK-NEXT:    %[[CODE:.*]] = llvm.inline_asm has_side_effects "s_getpc_b64 $0{{.*}}s_mov_b32 $1, .Lfunc_end0-{{.*}}", "=s,=s"
// CHECK-DAG:     %[[BEGIN:.*]] = llvm.extractvalue %[[CODE]][0]
// CHECK-DAG:     %[[BYTES:.*]] = llvm.extractvalue %[[CODE]][1]
// CHECK-DAG:     %[[POINTER:.*]] = llvm.inttoptr %[[BEGIN]]
// CHECK-DAG:     %[[WIDE:.*]] = llvm.zext %[[BYTES]]
// CHECK:         %[[BUFFER:.*]] = rocdl.make.buffer.rsrc %[[POINTER]], %{{.*}}, %[[WIDE]], %{{.*}}
// CHECK:         %[[NUMBER:.*]] = arith.index_castui %[[THREAD]]
// CHECK:         %[[LINE:.*]] = llvm.mlir.constant(128 : i32)
// CHECK:         %[[OFFSET:.*]] = arith.muli %[[NUMBER]], %[[LINE]]
// CHECK:         %[[WORD:.*]] = rocdl.raw.ptr.buffer.load %[[BUFFER]], %[[OFFSET]]
// CHECK-NEXT:    amdgpu.sched_barrier allow = <none>
// CHECK:         memref.load
// CHECK:         llvm.inline_asm has_side_effects {{.*}} "v" %[[WORD]]
// CHECK-NEXT:    scf.for
// CHECK:           amdgpu.lds_barrier
// CHECK:           scf.yield
// CHECK-NEXT:    } {systolic.products}
// CHECK-NEXT:    %[[LANE:.*]] = gpu.lane_id
// CHECK-NEXT:    llvm.inline_asm has_side_effects "s_getpc_b64
// CHECK:         arith.index_castui %[[LANE]]
// CHECK:         %[[BEHIND:.*]] = rocdl.raw.ptr.buffer.load
// CHECK:         memref.store
// CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}} "v" %[[BEHIND]]
// CHECK-NEXT:    gpu.return

// CHECK-LABEL: gpu.func @waits_at_the_end
// CHECK:         %[[WORD:.*]] = rocdl.raw.ptr.buffer.load
// CHECK:         amdgpu.mfma
// CHECK:         llvm.inline_asm has_side_effects {{.*}} "v" %[[WORD]]
// CHECK-NEXT:    gpu.return

// CHECK-LABEL: gpu.func @is_no_kernel
// CHECK-NOT:     llvm.inline_asm
// CHECK:         gpu.return

gpu.module @a_loop {
  gpu.func @waits_before_a_loop(%a: vector<4xf16>, %c: vector<4xf32>, %x: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %value = memref.load %x[%c0] : memref<64xf32>
    %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%d = %c) -> (vector<4xf32>) {
      amdgpu.lds_barrier
      %next = amdgpu.mfma 16x16x16 %a * %a + %d blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      scf.yield %next : vector<4xf32>
    } {systolic.products}
    memref.store %value, %x[%c1] : memref<64xf32>
    gpu.return
  }
}

gpu.module @no_barrier {
  gpu.func @waits_at_the_end(%a: vector<4xf16>, %c: vector<4xf32>) kernel {
    %next = amdgpu.mfma 16x16x16 %a * %a + %c blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    gpu.return
  }
}

gpu.module @no_kernel {
  gpu.func @is_no_kernel(%a: vector<4xf16>, %c: vector<4xf32>) {
    %next = amdgpu.mfma 16x16x16 %a * %a + %c blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    gpu.return
  }
}

// RUN: echo 'func.func @nothing() { return }' | nstf-opt -systolic-to-gpu-fetch-code | FileCheck %s --check-prefix=NOTHING
// NOTHING: func.func @nothing

// RUN: not nstf-opt %s -systolic-to-gpu-fetch-code 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: {{.*}}target
