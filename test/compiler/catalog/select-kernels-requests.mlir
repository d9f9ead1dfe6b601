// Steps of several requests. Kernels that use positions, caches or last rows process each request separately, in one
// variant for each bucket; the others only process rows. A single row has no bucket of its own.
// DEFINE: %{model} = nstf-batch-requests{requests=4},nstf-materialize-rope-tables,nstf-form-kernels,nstf-deduplicate-kernels,nstf-plan-memory{max-tokens=40},nstf-select-kernels{targets=gfx942}
// RUN: nstf-opt %s -pass-pipeline='builtin.module(%{model})' | FileCheck %s
// RUN: nstf-opt %s -pass-pipeline='builtin.module(%{model},builtin.module(nstf.variant(nstf.part(nstf-to-systolic-fill-template))))' | FileCheck %s --check-prefix=FILL

// CHECK: module @gfx942
// CHECK-NOT: tokens [1, 1]
// CHECK: nstf.variant @kv_append_0_t16 of @kv_append_0 tokens [1, 16] {
// CHECK-NEXT: nstf.part results [0] binding <"kv_append" of 4 requests, tokens = 16,
// CHECK: nstf.variant @attention_0_t16 of @attention_0 tokens [1, 16] {
// CHECK-NEXT: nstf.part results [0] binding <"attention" of 4 requests, tokens = 16,
// CHECK: nstf.variant @silu_0_t16 of @silu_0 tokens [1, 16], [17, 40] {
// CHECK-NEXT: nstf.part results [0] binding <"elementwise", tokens = 40,
// CHECK-NOT: requests
// CHECK: nstf.variant @last_row_0_t16 of @last_row_0 tokens [1, 16] {
// CHECK-NEXT: nstf.part results [0] binding <"elementwise" of 4 requests, tokens = 16, {{.*}}M = 1 : i64
// CHECK: nstf.variant @kv_append_0_t40 of @kv_append_0 tokens [17, 40] {
// CHECK-NEXT: nstf.part results [0] binding <"kv_append" of 4 requests, tokens = 40,
// CHECK: nstf.variant @attention_0_t40 {{.*}} tokens [17, 40] {
// CHECK: nstf.variant @last_row_0_t40 {{.*}} tokens [17, 40] {

// A cache has a slot for each request, and the last rows have one row for each.
// FILL: systolic.kernel @kv_append_0_t16(%{{.+}}: memref<{{.+}}> {systolic.per_token = 4 : i64}, %{{.+}}: memref<{{.+}}> {systolic.per_slot}, %{{.+}}: !systolic.control
// FILL-SAME: requests = 4 : i64
// FILL: systolic.kernel @attention_0_t16({{.*}} {systolic.per_token = 4 : i64}, {{.*}} {systolic.per_slot}, {{.*}} {systolic.per_slot}, {{.*}}requests = 4 : i64
// FILL: systolic.kernel @silu_0_t16(
// FILL-NOT: requests = 4
// FILL: systolic.kernel @last_row_0_t16(%{{.+}}: memref<{{.+}}> {systolic.per_token = 4 : i64}, %{{.+}}: memref<{{.+}}> {systolic.per_request}
// FILL-SAME: requests = 4 : i64
nstf.state @k : tensor<64x4xf32>
nstf.graph @model(%x: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<1x4xf32> {nstf.name = "y"}) attributes {context = 64 : i64} {
  %k = nstf.get @k : tensor<64x4xf32>
  %c = nstf.kv_append %x, %k : (tensor<?x4xf32>, tensor<64x4xf32>) -> tensor<64x4xf32>
  %a = nstf.attention %x, %c, %c {heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<?x4xf32>
  %s = nstf.silu %a : tensor<?x4xf32>
  %b = nstf.attention %s, %c, %c {heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x4xf32>, tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<?x4xf32>
  %l = nstf.last_row %b : (tensor<?x4xf32>) -> tensor<1x4xf32>
  nstf.return %l : tensor<1x4xf32>
}
