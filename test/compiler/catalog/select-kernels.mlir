// Beside the graph the pass adds a module for each target with the kernels of every token bucket; equal choices share a
// variant.
// RUN: nstf-opt %s -nstf-select-kernels=targets=gfx942,mi250x | FileCheck %s
// RUN: nstf-opt %s -nstf-select-kernels | FileCheck %s --check-prefix=DEFAULT
// RUN: nstf-opt %s -nstf-select-kernels=max-tokens=16 | FileCheck %s --check-prefix=FEWER
// RUN: nstf-opt %s -nstf-select-kernels="max-tokens=16 one-bucket tuning=BM=4,waves=2x1" | FileCheck %s --check-prefix=ASKED
// RUN: nstf-opt %s -nstf-select-kernels=batch-invariant | FileCheck %s --check-prefix=INVARIANT
// RUN: nstf-opt %s -nstf-select-kernels | nstf-opt -verify-roundtrip -o /dev/null

module attributes {nstf.max_tokens = 200 : i64} {
  // A kernel that no step launches is not compiled.
  nstf.kernel @unused(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.relu %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
  nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.silu %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
  nstf.kernel @linear_1(%x: tensor<?x8xf16>, %w: tensor<8x8xf16>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
    %y = nstf.linear %x, %w, %b : (tensor<?x8xf16>, tensor<8x8xf16>, tensor<8xf32>) -> tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
  nstf.graph @main(%x: tensor<?x8xf16> {nstf.name = "x"}, %w: tensor<8x8xf16> {nstf.name = "w"}, %b: tensor<8xf32> {nstf.name = "b"})
      -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 200 : i64} {
    %0 = nstf.step @linear_1(%x, %w, %b) : (tensor<?x8xf16>, tensor<8x8xf16>, tensor<8xf32>) -> tensor<?x8xf32>
    %1 = nstf.step @silu_0(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %2 = nstf.step @silu_0(%1) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    nstf.return %2 : tensor<?x8xf32>
  }
}

// CHECK: nstf.graph @main
// CHECK: module @gfx942 attributes {nstf.target = {{{.*}}chip = "gfx942",
// One row uses another template, which has no row extent. The variant contains the template and a copy of the kernel.
// CHECK: nstf.variant @linear_1_t1 of @linear_1 tokens [1, 1] {
// CHECK-NEXT: nstf.part results [0] binding <"matvec", tokens = 200, parameters = {K = 8 : i64, N = 8 : i64}, per_token = {}, buffers = {w = 1 : i64, x = 0 : i64}, tile = 3, operand = f16>
// CHECK-SAME: template why "one row: vector units" not ["matmul: one row: vector units"]
// CHECK-NEXT: func.func private @epilogue
// CHECK: systolic.kernel @matvec(
// CHECK: nstf.kernel @linear_1_t1(
// CHECK: nstf.variant @silu_0_t1 of @silu_0 tokens [1, 1] {
// CHECK-NEXT: nstf.part results [0] binding <"elementwise", tokens = 200, parameters = {M = 200 : i64, MX = 200 : i64, N = 8 : i64, ROWS = 0 : i64}, per_token = {M = 1 : i64}, buffers = {x = 0 : i64}, tile = 0>
// CHECK-SAME: template why "" not []
// The binding is for the max tokens of all buckets, the tuning for the max of this bucket.
// CHECK: nstf.variant @linear_1_t16 of @linear_1 tokens [2, 16] {
// CHECK-NEXT: nstf.part results [0] binding <"matmul", tokens = 200, parameters = {K = 8 : i64, M = 200 : i64, N = 8 : i64, ROWS = 0 : i64}, per_token = {M = 1 : i64}, buffers = {w = 1 : i64, x = 0 : i64}, tile = 3, operand = f16>
// CHECK-SAME: choice <{{{.*}}BM = 16 : i64{{.*}}} schedule #systolic.schedule<waves = 1x4, sum = all>, template why "up to 16 rows: matrix cores" not ["matvec: up to 16 rows: matrix cores"], tuning why "tuning/{{.*}}/matmul/f16.yaml row 1 {{.*}}" not ["tuning/gfx942/matmul/f16.yaml row 1: M is 16, not at least 3072", {{.*}}]>
// CHECK: nstf.variant @silu_0_t16 of @silu_0 tokens [2, 16], [17, 64], [65, 200] {
// CHECK-NEXT: nstf.part results [0] binding
// CHECK: nstf.variant @linear_1_t64 of @linear_1 tokens [17, 64], [65, 200] {
// CHECK-NEXT: nstf.part results [0] binding
// CHECK-SAME: not [{{.*}}"tuning/{{.*}} row 1: M is 64, not 1 to 16"{{.*}} lies inside it"]
// CHECK-NOT: nstf.variant
// CHECK: module @gfx90a attributes {nstf.target = {{{.*}}chip = "gfx90a",
// CHECK: nstf.variant @linear_1_t1 of @linear_1 tokens [1, 1]
// CHECK-NOT: @unused

// One row has the kernels of 16.
// INVARIANT: nstf.variant @linear_1_t16 of @linear_1 tokens [1, 16] {
// INVARIANT-NEXT: nstf.part results [0] binding <"matmul"
// INVARIANT: nstf.variant @silu_0_t16 of @silu_0 tokens [1, 16], [17, 64], [65, 200] {

// DEFAULT: module @gfx942
// DEFAULT-NOT: module @

// FEWER: nstf.part results [0] binding <"elementwise", tokens = 16,
// FEWER: tokens [2, 16] {
// FEWER-NOT: [17,

// ASKED: nstf.variant @linear_1_t16 of @linear_1 tokens [1, 16]
// ASKED-NEXT: nstf.part {{.*}}choice <{{{.*}}BM = 4 : i64{{.*}}} schedule #systolic.schedule<waves = 2x1, sum = all>
// ASKED-SAME: BM=4 asked for; waves=2x1 asked for"
// ASKED: nstf.variant @silu_0_t16 of @silu_0 tokens [1, 16]
// ASKED-NOT: nstf.variant
