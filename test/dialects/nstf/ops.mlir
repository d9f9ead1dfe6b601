// Everything that the documents' examples (examples.test) leave out: optional operands and attributes, other types.
// RUN: nstf-opt %s -verify-roundtrip | FileCheck %s

// Numbers keep all their digits.
// CHECK: nstf.weight @table : tensor<8x4xbf16> computed <inv_freq = [0.33333333333333331, 1.000000e-300], scale = -1.000000e-01>
nstf.weight @table : tensor<8x4xbf16> computed <inv_freq = [0.33333333333333331, 1.0e-300], scale = -0.1>

// CHECK-LABEL: @no_bias_f16
// CHECK: nstf.linear %{{.*}}, %{{.*}} : (tensor<16x3xf16>, tensor<5x3xf16>) -> tensor<16x5xf32>
func.func @no_bias_f16(%x: tensor<16x3xf16>, %w: tensor<5x3xf16>) -> tensor<16x5xf32> {
  %y = nstf.linear %x, %w : (tensor<16x3xf16>, tensor<5x3xf16>) -> tensor<16x5xf32>
  return %y : tensor<16x5xf32>
}

// Sums and biases are f32 whatever the operands; a table may have any float type.
// CHECK-LABEL: @operands_bf16
// CHECK: nstf.linear %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x3xbf16>, tensor<5x3xbf16>, tensor<5xf32>) -> tensor<?x5xf32>
// CHECK: nstf.convert %{{.*}} {type = bf16} : (tensor<?x5xf32>) -> tensor<?x5xbf16>
// CHECK: nstf.embedding %{{.*}}, %{{.*}} : (tensor<?xi32>, tensor<9x5xbf16>) -> tensor<?x5xf32>
func.func @operands_bf16(%x: tensor<?x3xbf16>, %w: tensor<5x3xbf16>, %bias: tensor<5xf32>, %ids: tensor<?xi32>,
                         %table: tensor<9x5xbf16>) -> (tensor<?x5xbf16>, tensor<?x5xf32>) {
  %y = nstf.linear %x, %w, %bias : (tensor<?x3xbf16>, tensor<5x3xbf16>, tensor<5xf32>) -> tensor<?x5xf32>
  %t = nstf.convert %y {type = bf16} : (tensor<?x5xf32>) -> tensor<?x5xbf16>
  %e = nstf.embedding %ids, %table : (tensor<?xi32>, tensor<9x5xbf16>) -> tensor<?x5xf32>
  return %t, %e : tensor<?x5xbf16>, tensor<?x5xf32>
}

// A rotary dimension smaller than the head, with a scale.
// CHECK-LABEL: @rope_partial
// CHECK: nstf.rope %{{.*}}, %{{.*}} {head_size = 8 : i64, inv_freq = array<f64: 1.{{.*}}>, scale = 2.{{.*}} : f64} : (tensor<?x16xf32>, tensor<32x2xf32>) -> tensor<?x16xf32>
func.func @rope_partial(%x: tensor<?x16xf32>, %table: tensor<32x2xf32>) -> tensor<?x16xf32> {
  %y = nstf.rope %x, %table {head_size = 8 : i64, inv_freq = array<f64: 1.0>, scale = 2.0 : f64}
      : (tensor<?x16xf32>, tensor<32x2xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// Attention over the rows of the step, where every row sees all others.
// CHECK-LABEL: @attention_rows
// CHECK: nstf.attention %{{.*}} {heads = 2 : i64, kv_heads = 1 : i64, scale = 1.{{.*}} : f64} : (tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
func.func @attention_rows(%q: tensor<?x16xf32>, %k: tensor<?x8xf32>) -> tensor<?x16xf32> {
  %y = nstf.attention %q, %k, %k {heads = 2 : i64, kv_heads = 1 : i64, scale = 1.0 : f64}
      : (tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// CHECK-LABEL: @attention_window
// CHECK: nstf.attention %{{.*}} {causal, heads = 2 : i64, kv_heads = 1 : i64, scale = 1.{{.*}} : f64, window = 3 : i64}
func.func @attention_window(%q: tensor<?x16xf32>, %k: tensor<?x8xf32>) -> tensor<?x16xf32> {
  %y = nstf.attention %q, %k, %k {heads = 2 : i64, kv_heads = 1 : i64, causal, window = 3 : i64, scale = 1.0 : f64}
      : (tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// Norms: of each head; without a bias; a length with its own eps; positions of another type without an offset.
// CHECK-LABEL: @norms
// CHECK: nstf.rms_norm %{{.*}} : (tensor<?x16xf32>, tensor<8xf32>) -> tensor<?x16xf32>
// CHECK: nstf.layer_norm %{{.*}} : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
// CHECK: nstf.l2_normalize %{{.*}} {eps = 5.{{.*}} : f64} : (tensor<?x16xf32>) -> tensor<?x16xf32>
// CHECK: nstf.add_positions %{{[^ ]*}}, %{{[^ ]*}} : (tensor<?x16xf32>, tensor<9x16xbf16>) -> tensor<?x16xf32>
func.func @norms(%x: tensor<?x16xf32>, %head: tensor<8xf32>, %w: tensor<16xf32>, %table: tensor<9x16xbf16>)
    -> tensor<?x16xf32> {
  %0 = nstf.rms_norm %x, %head {eps = 0.0 : f64} : (tensor<?x16xf32>, tensor<8xf32>) -> tensor<?x16xf32>
  %1 = nstf.layer_norm %0, %w {eps = 0.0 : f64} : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %2 = nstf.l2_normalize %1 {eps = 0.5 : f64} : (tensor<?x16xf32>) -> tensor<?x16xf32>
  %3 = nstf.add_positions %2, %table : (tensor<?x16xf32>, tensor<9x16xbf16>) -> tensor<?x16xf32>
  return %3 : tensor<?x16xf32>
}

// A step of a kernel with two results, with their offsets in the arena.
// CHECK: nstf.kernel @two(%[[X:.+]]: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?xi32>) {
nstf.kernel @two(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?xi32>) {
  %y = nstf.softmax %x : tensor<?x4xf32>
  %z = nstf.argmax %x : (tensor<?x4xf32>) -> tensor<?xi32>
  nstf.return %y, %z : tensor<?x4xf32>, tensor<?xi32>
}
// CHECK: nstf.graph @main(%{{.+}}: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<?xi32> {nstf.name = "y"}) attributes {context = 8 : i64, nstf.arena_size = 256 : i64} {
nstf.graph @main(%x: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<?xi32> {nstf.name = "y"})
    attributes {context = 8 : i64, nstf.arena_size = 256 : i64} {
  // CHECK: nstf.step @two(%{{.+}}) {offsets = array<i64: 0, -1>} : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?xi32>)
  %0:2 = nstf.step @two(%x) {offsets = array<i64: 0, -1>} : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?xi32>)
  nstf.return %0#1 : tensor<?xi32>
}
