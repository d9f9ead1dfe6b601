// RUN: nstf-opt %s -nstf-batch-requests=requests=4 -split-input-file -verify-diagnostics --remark-format=emitRemark --remarks-filter=nstf-.*
// RUN: not nstf-opt %s -nstf-batch-requests=requests=4 -split-input-file 2>%t.log | FileCheck %s
// RUN: nstf-opt %s -nstf-batch-requests=requests=1 -split-input-file -o %t.one && FileCheck %s --check-prefix=ONE <%t.one
// RUN: not nstf-opt %s -nstf-batch-requests=requests=0 -split-input-file 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not nstf-opt %s -nstf-batch-requests=requests=257 -split-input-file 2>&1 | FileCheck %s --check-prefix=MANY

// Each request has its own last row, and everything computed from it, outputs included, has a row for each request.
// With one request nothing changes.
// CHECK: nstf.state @k : tensor<8x4xf32>
// CHECK: nstf.graph @model(%{{.+}}: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<4x8xf32> {nstf.name = "logits"}, tensor<4xi32> {nstf.name = "next"})
// CHECK-SAME: requests = 4 : i64
// CHECK: nstf.kv_append %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK: nstf.attention {{.*}} -> tensor<?x4xf32>
// CHECK: nstf.last_row %{{.+}} {requests = 4 : i64} : (tensor<?x4xf32>) -> tensor<4x4xf32>
// CHECK: nstf.rms_norm {{.*}} -> tensor<4x4xf32>
// CHECK: nstf.linear {{.*}} -> tensor<4x8xf32>
// CHECK: nstf.argmax {{.*}} -> tensor<4xi32>
// ONE: nstf.graph @model({{.*}}) -> (tensor<1x8xf32> {nstf.name = "logits"}, tensor<1xi32> {nstf.name = "next"})
// ONE-NOT: requests
// ONE: nstf.last_row %{{.+}} : (tensor<?x4xf32>) -> tensor<1x4xf32>
// NONE: error: expected 1 to 256 requests but got 0
// MANY: error: expected 1 to 256 requests but got 257
nstf.state @k : tensor<8x4xf32>
nstf.weight @norm : tensor<4xf32>
nstf.weight @head : tensor<8x4xf32>
// expected-remark @below {{rows of up to 4 requests in a step, each with caches of its own}}
nstf.graph @model(%x: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<1x8xf32> {nstf.name = "logits"}, tensor<1xi32> {nstf.name = "next"})
    attributes {context = 8 : i64} {
  %k = nstf.get @k : tensor<8x4xf32>
  %norm = nstf.get @norm : tensor<4xf32>
  %head = nstf.get @head : tensor<8x4xf32>
  %c = nstf.kv_append %x, %k : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %a = nstf.attention %x, %c, %c {heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  %l = nstf.last_row %a : (tensor<?x4xf32>) -> tensor<1x4xf32>
  %n = nstf.rms_norm %l, %norm {eps = 1.0e-5 : f64} : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
  %y = nstf.linear %n, %head : (tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<1x8xf32>
  %t = nstf.argmax %y : (tensor<1x8xf32>) -> tensor<1xi32>
  nstf.return %y, %t : tensor<1x8xf32>, tensor<1xi32>
}

// -----

// expected-error @below {{expected a model with caches for 4 requests, but it has none}}
nstf.graph @without_caches(%x: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<?x4xf32> {nstf.name = "y"}) attributes {context = 8 : i64} {
  %y = nstf.silu %x : tensor<?x4xf32>
  nstf.return %y : tensor<?x4xf32>
}

// -----

nstf.state @k : tensor<8x4xf32>
nstf.graph @of_all_rows(%x: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<8x4xf32> {nstf.name = "c"}, tensor<1x4xf32> {nstf.name = "y"})
    attributes {context = 8 : i64} {
  %k = nstf.get @k : tensor<8x4xf32>
  %c = nstf.kv_append %x, %k : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  // expected-error @below {{expected operations on single rows, caches or the last row for 4 requests but got nstf.mean_rows}}
  %y = nstf.mean_rows %x : (tensor<?x4xf32>) -> tensor<1x4xf32>
  nstf.return %c, %y : tensor<8x4xf32>, tensor<1x4xf32>
}

// -----

nstf.state @k : tensor<8x4xf32>
nstf.graph @without_a_cache(%x: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<8x4xf32> {nstf.name = "c"}, tensor<?x4xf32> {nstf.name = "y"})
    attributes {context = 8 : i64} {
  %k = nstf.get @k : tensor<8x4xf32>
  %c = nstf.kv_append %x, %k : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  // expected-error @below {{expected operations on single rows, caches or the last row for 4 requests but got nstf.attention}}
  %y = nstf.attention %x, %x, %x {heads = 1 : i64, kv_heads = 1 : i64, scale = 1.0 : f64}
      : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  nstf.return %c, %y : tensor<8x4xf32>, tensor<?x4xf32>
}
