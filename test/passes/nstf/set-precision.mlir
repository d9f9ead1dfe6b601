// RUN: nstf-opt %s -split-input-file -nstf-set-precision=type=f16 --remark-format=emitRemark \
// RUN:   --remarks-filter=nstf-set-precision -verify-diagnostics | FileCheck %s
// RUN: not nstf-opt %s -split-input-file -nstf-set-precision=type=bf16 2>/dev/null | FileCheck %s --check-prefix=BF16
// RUN: nstf-opt %s -split-input-file -nstf-set-precision | FileCheck %s --check-prefix=F32
// RUN: not nstf-opt %s -split-input-file -nstf-set-precision=type=f8 2>&1 | FileCheck %s --check-prefix=TYPE

// TYPE: for the --type option: Cannot find option named 'f8'!

// One layer: a single conversion for both products that read the norm; caches and weights get the type; arithmetic
// stays f32.
// F32-NOT: {{[^b]}}f16
// CHECK-DAG: nstf.weight @table : tensor<54x8xf16>
// CHECK-DAG: nstf.weight @norm : tensor<8xf32>
// CHECK-DAG: nstf.weight @q : tensor<8x8xf16>
// CHECK-DAG: nstf.weight @k : tensor<8x8xf16>
// CHECK-DAG: nstf.state @keys : tensor<16x8xf16>
// CHECK-DAG: nstf.state @values : tensor<16x8xf16>
// CHECK: %[[X:.*]] = nstf.embedding {{.*}} -> tensor<?x8xf32>
// CHECK: %[[H:.*]] = nstf.rms_norm %[[X]]
// CHECK: %[[T:.*]] = nstf.convert %[[H]] {type = f16}
// CHECK: %[[Q:.*]] = nstf.linear %[[T]], {{.*}} : (tensor<?x8xf16>, tensor<8x8xf16>) -> tensor<?x8xf32>
// CHECK: %[[QT:.*]] = nstf.convert %[[Q]] {type = f16}
// CHECK: %[[K:.*]] = nstf.linear %[[T]]
// CHECK: %[[KT:.*]] = nstf.convert %[[K]] {type = f16}
// CHECK: %[[KEYS:.*]] = nstf.kv_append %[[KT]], {{.*}} -> tensor<16x8xf16>
// CHECK: %[[VALUES:.*]] = nstf.kv_append %[[KT]]
// CHECK: %[[A:.*]] = nstf.attention %[[QT]], %[[KEYS]], %[[VALUES]] {{.*}} -> tensor<?x8xf32>
// CHECK: nstf.add %[[A]], %[[X]] : tensor<?x8xf32>
// BF16: nstf.weight @table : tensor<54x8xbf16>
// BF16: nstf.attention {{.*}} (tensor<?x8xbf16>, tensor<16x8xbf16>, tensor<16x8xbf16>) -> tensor<?x8xf32>
nstf.weight @table : tensor<54x8xf32>
nstf.weight @norm : tensor<8xf32>
nstf.weight @q : tensor<8x8xf32>
nstf.weight @k : tensor<8x8xf32>
nstf.state @keys : tensor<16x8xf32>
nstf.state @values : tensor<16x8xf32>
// expected-remark @+1 {{weights=3}}
nstf.graph @main(%ids: tensor<?xi32> {nstf.name = "ids"}) -> (tensor<?x8xf32> {nstf.name = "y"})
    attributes {context = 16 : i64} {
  %table = nstf.get @table : tensor<54x8xf32>
  %norm = nstf.get @norm : tensor<8xf32>
  %wq = nstf.get @q : tensor<8x8xf32>
  %wk = nstf.get @k : tensor<8x8xf32>
  %kc = nstf.get @keys : tensor<16x8xf32>
  %vc = nstf.get @values : tensor<16x8xf32>
  %x = nstf.embedding %ids, %table : (tensor<?xi32>, tensor<54x8xf32>) -> tensor<?x8xf32>
  %h = nstf.rms_norm %x, %norm {eps = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %q = nstf.linear %h, %wq : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %k = nstf.linear %h, %wk : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %keys = nstf.kv_append %k, %kc : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  %values = nstf.kv_append %k, %vc : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  %a = nstf.attention %q, %keys, %values {heads = 2 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<?x8xf32>
  %y = nstf.add %a, %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// A weight with another reader stays f32 and is converted. A product that is bf16 in the model keeps its type.
// CHECK-LABEL: nstf.weight @shared : tensor<4x4xf32>
// CHECK: %[[X:.*]] = nstf.convert %{{.*}} {type = f16}
// CHECK: %[[W:.*]] = nstf.get @shared : tensor<4x4xf32>
// CHECK: %[[T:.*]] = nstf.convert %[[W]] {type = f16} : (tensor<4x4xf32>) -> tensor<4x4xf16>
// CHECK: nstf.linear %[[X]], %[[T]]
// CHECK: nstf.add %{{.*}}, %[[W]]
// CHECK: nstf.linear {{.*}} : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
nstf.weight @shared : tensor<4x4xf32>
nstf.weight @own : tensor<4x4xbf16>
// expected-remark @+1 {{conversions=2}}
nstf.graph @main(%x: tensor<4x4xf32> {nstf.name = "x"}, %b: tensor<4x4xbf16> {nstf.name = "b"})
    -> (tensor<4x4xf32> {nstf.name = "y"}, tensor<4x4xf32> {nstf.name = "z"}) attributes {context = 1 : i64} {
  %w = nstf.get @shared : tensor<4x4xf32>
  %own = nstf.get @own : tensor<4x4xbf16>
  %p = nstf.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = nstf.add %p, %w : tensor<4x4xf32>
  %z = nstf.linear %b, %own : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
  nstf.return %y, %z : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"})
    attributes {context = 16 : i64} {
  // expected-error @+1 {{expected a graph without launches but got one}}
  %y = nstf.step @silu_0(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// A product that must stay f32, and one of the same rows that need not.
// CHECK: nstf.weight @w : tensor<4x8xf32>
// CHECK: nstf.weight @v : tensor<4x8xf16>
// CHECK: nstf.linear %{{.*}}, %{{.*}} {nstf.f32_product} : (tensor<?x8xf32>, tensor<4x8xf32>)
// CHECK: nstf.linear %{{.*}}, %{{.*}} : (tensor<?x8xf16>, tensor<4x8xf16>)
nstf.weight @w : tensor<4x8xf32>
nstf.weight @v : tensor<4x8xf32>
// expected-remark @+1 {{weights=1}}
nstf.graph @precise(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x4xf32> {nstf.name = "y"}) attributes {context = 4 : i64} {
  %w = nstf.get @w : tensor<4x8xf32>
  %y = nstf.linear %x, %w {nstf.f32_product} : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  %v = nstf.get @v : tensor<4x8xf32>
  %z = nstf.linear %x, %v : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  %s = nstf.add %y, %z : tensor<?x4xf32>
  nstf.return %s : tensor<?x4xf32>
}
