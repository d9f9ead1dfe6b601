// Where each XCD has an L2 of its own, stores of a dword or more pass it; with one L2, nothing changes.
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
}
