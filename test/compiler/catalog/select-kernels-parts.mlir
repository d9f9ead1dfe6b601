// A kernel of several parts has a variant for each bucket, whatever the choices, and each part has its own template.
// RUN: nstf-opt %s -nstf-select-kernels=targets=gfx942 | FileCheck %s

// Up to 64 rows, adjacent products are tuned for the rows of both matrices, 1,024 and 8,192.
// CHECK: nstf.variant @linear_linear_silu_0_t1 of @linear_linear_silu_0 tokens [1, 1] {
// CHECK-NEXT: nstf.part results [0] binding <"matvec", tokens = 200, parameters = {K = 4096 : i64, N = 1024 : i64},
// CHECK-SAME: buffers = {w = 2 : i64, x = 1 : i64}, tile = 4
// CHECK: nstf.kernel @linear_linear_silu_0_t1_part0(%{{.*}}, %[[X:[^:]+]]: tensor<?x4096xf16>, %[[A:[^:]+]]: tensor<1024x4096xf16>,
// CHECK-NEXT: nstf.linear %[[X]], %[[A]]
// CHECK-NEXT: nstf.return
// CHECK: nstf.part results [1] binding <"matvec", tokens = 200, parameters = {K = 4096 : i64, N = 8192 : i64},
// CHECK: nstf.part results [2] binding <"elementwise"
// CHECK: nstf.kernel @linear_linear_silu_0_t1_part2(%[[S:[^:]+]]: tensor<?x8xf32>,
// CHECK-NEXT: nstf.silu %[[S]]
// CHECK: nstf.variant @linear_linear_silu_0_t16 {{.*}} tokens [2, 16] {
// CHECK-NEXT: nstf.part results [0] {{.*}}N = 1024 : i64{{.*}}BN = 48 : i64{{.*}}"tuning/gfx942/matmul/f16.yaml row {{[0-9]+}}: N is 9216, not 4865 to 6144"
// CHECK: nstf.part results [1] {{.*}}N = 8192 : i64{{.*}}BN = 48 : i64
// CHECK: nstf.variant @linear_linear_silu_0_t64 {{.*}} tokens [17, 64] {
// With more rows each product is tuned for its own matrix.
// CHECK: nstf.variant @linear_linear_silu_0_t200 {{.*}} tokens [65, 200] {
// CHECK-NEXT: nstf.part results [0] {{.*}}"tuning/gfx942/matmul/f16.yaml row {{[0-9]+}}: N is 1024, not at least 6145"
// CHECK-NOT: nstf.variant
module attributes {nstf.max_tokens = 200 : i64} {
  nstf.kernel @linear_linear_silu_0(%s: tensor<?x8xf32>, %x: tensor<?x4096xf16>, %a: tensor<1024x4096xf16>, %b: tensor<8192x4096xf16>)
      -> (tensor<?x1024xf32>, tensor<?x8192xf32>, tensor<?x8xf32>) {
    %0 = nstf.linear %x, %a : (tensor<?x4096xf16>, tensor<1024x4096xf16>) -> tensor<?x1024xf32>
    %1 = nstf.linear %x, %b : (tensor<?x4096xf16>, tensor<8192x4096xf16>) -> tensor<?x8192xf32>
    %2 = nstf.silu %s : tensor<?x8xf32>
    nstf.return %0, %1, %2 : tensor<?x1024xf32>, tensor<?x8192xf32>, tensor<?x8xf32>
  }
}
