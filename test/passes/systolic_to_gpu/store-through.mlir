// If each XCD has its own L2, stores of at least a dword bypass it; with several rounds of workgroups, only those of
// the last round do. With a single L2 nothing changes.
// RUN: nstf-opt %s -pass-pipeline='builtin.module(nstf-set-target{target=gfx942},gpu.module(systolic-to-gpu-store-through))' | FileCheck %s
// RUN: nstf-opt %s -pass-pipeline='builtin.module(nstf-set-target{target=gfx90a},gpu.module(systolic-to-gpu-store-through))' | FileCheck %s --check-prefix=ONE
// RUN: not nstf-opt %s -pass-pipeline='builtin.module(gpu.module(systolic-to-gpu-store-through))' 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: {{.*}}target

// CHECK-LABEL: llvm.func @stores(
// CHECK:         %[[NEAR:.*]] = llvm.mlir.constant(0 : i32)
// CHECK:         %[[WIDE:.*]] = llvm.mlir.constant(16 : i32)
// CHECK-NEXT:    rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %[[NEAR]], %[[NEAR]], %[[WIDE]] : vector<2xi32>
// CHECK-NEXT:    %[[DWORD:.*]] = llvm.mlir.constant(16 : i32)
// CHECK-NEXT:    rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %[[NEAR]], %[[NEAR]], %[[DWORD]] : f32
// CHECK-NEXT:    rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %[[NEAR]], %[[NEAR]], %[[NEAR]] : f16
// CHECK-NEXT:    llvm.return

// ONE-LABEL:   llvm.func @stores(
// ONE:           %[[NEAR:.*]] = llvm.mlir.constant(0 : i32)
// ONE-NEXT:      rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %[[NEAR]], %[[NEAR]], %[[NEAR]] : vector<2xi32>
// ONE-NEXT:      rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %[[NEAR]], %[[NEAR]], %[[NEAR]] : f32
gpu.module @kernels {
  llvm.func @stores(%buffer: !llvm.ptr<8>, %two: vector<2xi32>, %one: f32, %half: f16) {
    %zero = llvm.mlir.constant(0 : i32) : i32
    rocdl.raw.ptr.buffer.store %two, %buffer, %zero, %zero, %zero : vector<2xi32>
    rocdl.raw.ptr.buffer.store %one, %buffer, %zero, %zero, %zero : f32
    rocdl.raw.ptr.buffer.store %half, %buffer, %zero, %zero, %zero : f16
    llvm.return
  }

  // Stores with only arithmetic between them share a branch; a load ends such a run, as does the eighth store.
  // CHECK-LABEL: llvm.func @rounds(
  // CHECK-NOT: last_round
  // CHECK: %[[NEAR:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.add
  // CHECK-NEXT: %[[NUMBER:.+]] = rocdl.workgroup.id.x : i32
  // CHECK-NEXT: %[[FIRST:.+]] = llvm.mlir.constant(880 : i32)
  // CHECK-NEXT: %[[IS_LAST:.+]] = llvm.icmp "uge" %[[NUMBER]], %[[FIRST]]
  // CHECK-NEXT: llvm.cond_br %[[IS_LAST]], ^[[PAST:.+]], ^[[INTO:.+]]
  // CHECK-NEXT: ^[[INTO]]:
  // CHECK-COUNT-2: rocdl.raw.ptr.buffer.store %{{.+}}, %{{.+}}, %{{.+}}, %[[NEAR]], %[[NEAR]] : f32
  // CHECK-NEXT: llvm.br ^[[AFTER:.+]]
  // CHECK-NEXT: ^[[PAST]]:
  // CHECK: %[[FAR:.+]] = llvm.mlir.constant(16 : i32)
  // CHECK-NEXT: rocdl.raw.ptr.buffer.store %{{.+}}, %{{.+}}, %[[NEAR]], %[[NEAR]], %[[FAR]] : f32
  // CHECK: rocdl.raw.ptr.buffer.store
  // CHECK-NEXT: llvm.br ^[[AFTER]]
  // CHECK-NEXT: ^[[AFTER]]:
  // CHECK-NEXT: rocdl.raw.ptr.buffer.load
  // CHECK: llvm.cond_br
  // CHECK-COUNT-8: rocdl.raw.ptr.buffer.store
  // CHECK-NEXT: llvm.br
  // CHECK: llvm.cond_br
  // CHECK: rocdl.raw.ptr.buffer.store
  // CHECK-NEXT: llvm.br
  // CHECK: llvm.return
  // ONE-LABEL: llvm.func @rounds(
  // ONE-NOT: last_round
  // ONE-NOT: cond_br
  llvm.func @rounds(%buffer: !llvm.ptr<8>, %one: f32) attributes {systolic.last_round = 880 : i64} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    rocdl.raw.ptr.buffer.store %one, %buffer, %zero, %zero, %zero : f32
    %next = llvm.add %zero, %zero : i32
    rocdl.raw.ptr.buffer.store %one, %buffer, %next, %zero, %zero : f32
    %read = rocdl.raw.ptr.buffer.load %buffer, %zero, %zero, %zero : f32
    rocdl.raw.ptr.buffer.store %read, %buffer, %zero, %zero, %zero : f32
    rocdl.raw.ptr.buffer.store %read, %buffer, %zero, %zero, %zero : f32
    rocdl.raw.ptr.buffer.store %read, %buffer, %zero, %zero, %zero : f32
    rocdl.raw.ptr.buffer.store %read, %buffer, %zero, %zero, %zero : f32
    rocdl.raw.ptr.buffer.store %read, %buffer, %zero, %zero, %zero : f32
    rocdl.raw.ptr.buffer.store %read, %buffer, %zero, %zero, %zero : f32
    rocdl.raw.ptr.buffer.store %read, %buffer, %zero, %zero, %zero : f32
    rocdl.raw.ptr.buffer.store %read, %buffer, %zero, %zero, %zero : f32
    rocdl.raw.ptr.buffer.store %read, %buffer, %zero, %zero, %zero : f32
    llvm.return
  }
}
