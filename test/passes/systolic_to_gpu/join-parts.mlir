// The parts of a launch in a graph from nstf-join-kernels; functions of single parts stay.
// RUN: nstf-opt %s -nstf-pipeline-graph=max-tokens=8 -nstf-pipeline-tile=targets=gfx942 -nstf-pipeline-gpu | FileCheck %s
// RUN: nstf-opt %s -nstf-pipeline-graph=max-tokens=8 -nstf-pipeline-tile=targets=gfx942 -o %t.mlir
// RUN: not nstf-opt %t.mlir -pass-pipeline='builtin.module(builtin.module(nstf.variant(systolic-to-gpu-join-parts)))' 2>&1 | FileCheck %s --check-prefix=EARLY

// Workgroups of the first part come first, and the last part takes the rest. Arguments stand part by part, with one
// control block.
// CHECK: nstf.variant @linear_linear_0_t8 {{.*}}systolic.launch = #systolic.launch<[x = operand 0, w = operand 1, y = result 0, control, x_1 = operand 0, w_1 = operand 2, y_1 = result 1]>
// CHECK: nstf.part results [0] {{.*}}systolic.geometry
// CHECK: nstf.part results [1] {{.*}}systolic.geometry
// CHECK: gpu.module @kernels
// CHECK: gpu.func @linear_linear_0_t8(
// CHECK-NOT: gpu.func
// CHECK: %[[ID:.+]] = gpu.block_id x
// CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %[[ID]], %{{.+}} : index
// CHECK: scf.if %[[INSIDE]] {
// CHECK: amdgpu.mfma
// CHECK: } else {
// CHECK: arith.subi %[[ID]], %{{.+}} : index
// CHECK: amdgpu.mfma
// CHECK: gpu.return

// EARLY: error: 'nstf.part' op expected one gpu.module (systolic-to-gpu-lower-kernels makes it) but got 0

nstf.weight @a : tensor<96x8xf32>
nstf.weight @b : tensor<8x8xf32>
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x96xf32> {nstf.name = "y"}, tensor<?x8xf32> {nstf.name = "z"}) attributes {context = 64 : i64} {
  %a = nstf.get @a : tensor<96x8xf32>
  %b = nstf.get @b : tensor<8x8xf32>
  %0 = nstf.linear %x, %a : (tensor<?x8xf32>, tensor<96x8xf32>) -> tensor<?x96xf32>
  %1 = nstf.linear %x, %b : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %y = nstf.softmax %0 : tensor<?x96xf32>
  %z = nstf.softmax %1 : tensor<?x8xf32>
  nstf.return %y, %z : tensor<?x96xf32>, tensor<?x8xf32>
}
