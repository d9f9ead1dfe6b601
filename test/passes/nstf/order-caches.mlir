// RUN: nstf-opt %s -split-input-file -nstf-order-caches --remark-format=emitRemark --remarks-filter=nstf-order-caches \
// RUN:   -verify-diagnostics | FileCheck %s

// The types of keys and values, which have their own caches, get an operand order. Heads of 4 columns are padded to 32
// columns of keys and to 16 rows of values, and 40 positions to 64. Attention to rows of this step has no cache; caches
// with other readers stay.
// CHECK: nstf.state @k : tensor<40x8xf16, #nstf.operand_order<keys, heads = 2>>
// CHECK-NEXT: nstf.state @v : tensor<40x8xf16, #nstf.operand_order<values, heads = 2>>
// CHECK-NEXT: nstf.state @both : tensor<40x8xf16>
nstf.state @k : tensor<40x8xf16>
nstf.state @v : tensor<40x8xf16>
nstf.state @both : tensor<40x8xf16>
// CHECK-LABEL: nstf.graph @main
// CHECK: %[[K:.+]] = nstf.get @k : tensor<40x8xf16, #nstf.operand_order<keys, heads = 2>>
// CHECK: %[[KC:.+]] = nstf.kv_append %{{.+}}, %[[K]] : (tensor<?x8xf16>, {{.+}}) -> tensor<40x8xf16, #nstf.operand_order<keys, heads = 2>>
// CHECK: %[[VC:.+]] = nstf.kv_append {{.+}} -> tensor<40x8xf16, #nstf.operand_order<values, heads = 2>>
// CHECK: nstf.kv_append {{.+}} -> tensor<40x8xf16>
// CHECK: nstf.attention %{{.+}}, %[[KC]], %[[VC]] {
// expected-remark @+1 {{"keys and values in the order of matrix operands", attentions=1, bytes=12288, bytes_before=1280}}
nstf.graph @main(%q: tensor<?x16xf16> {nstf.name = "q"}, %t: tensor<?x8xf16> {nstf.name = "t"})
    -> (tensor<?x16xf32> {nstf.name = "a"}, tensor<?x16xf32> {nstf.name = "b"}, tensor<?x16xf32> {nstf.name = "c"})
    attributes {context = 40 : i64} {
  %k = nstf.get @k : tensor<40x8xf16>
  %v = nstf.get @v : tensor<40x8xf16>
  %both = nstf.get @both : tensor<40x8xf16>
  %kc = nstf.kv_append %t, %k : (tensor<?x8xf16>, tensor<40x8xf16>) -> tensor<40x8xf16>
  %vc = nstf.kv_append %t, %v : (tensor<?x8xf16>, tensor<40x8xf16>) -> tensor<40x8xf16>
  %bc = nstf.kv_append %t, %both : (tensor<?x8xf16>, tensor<40x8xf16>) -> tensor<40x8xf16>
  %a = nstf.attention %q, %kc, %vc {heads = 4 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x16xf16>, tensor<40x8xf16>, tensor<40x8xf16>) -> tensor<?x16xf32>
  %b = nstf.attention %q, %t, %t {heads = 4 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x16xf16>, tensor<?x8xf16>, tensor<?x8xf16>) -> tensor<?x16xf32>
  // expected-remark @+1 {{its keys and values are no two caches that nothing else reads}}
  %c = nstf.attention %q, %bc, %bc {heads = 4 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x16xf16>, tensor<40x8xf16>, tensor<40x8xf16>) -> tensor<?x16xf32>
  nstf.return %a, %b, %c : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>
}

// -----

// Scales get an operand order beside codes.
// CHECK: nstf.state @k : tensor<64x128xi8, #nstf.operand_order<keys, heads = 2>>
// CHECK-NEXT: nstf.state @v : tensor<64x128xi8, #nstf.operand_order<values, heads = 2>>
// CHECK-NEXT: nstf.state @ks : tensor<64x2xf32, #nstf.operand_order<scales, heads = 2>>
// CHECK-NEXT: nstf.state @vs : tensor<64x2xf32, #nstf.operand_order<scales, heads = 2>>
nstf.state @k : tensor<64x128xi8>
nstf.state @v : tensor<64x128xi8>
nstf.state @ks : tensor<64x2xf32>
nstf.state @vs : tensor<64x2xf32>
// CHECK: %[[S:.+]] = nstf.kv_append %{{.+}} : (tensor<?x2xf32>, tensor<64x2xf32, #nstf.operand_order<scales, heads = 2>>)
// CHECK: nstf.attention {{.+}} scales %[[S]], %{{.+}} {
// expected-remark @+1 {{"keys and values in the order of matrix operands", attentions=1, bytes=17408, bytes_before=17408}}
nstf.graph @main(%q: tensor<?x128xf16> {nstf.name = "q"}, %t: tensor<?x128xi8> {nstf.name = "t"}, %s: tensor<?x2xf32> {nstf.name = "s"})
    -> (tensor<?x128xf32> {nstf.name = "a"}) attributes {context = 64 : i64} {
  %k = nstf.get @k : tensor<64x128xi8>
  %v = nstf.get @v : tensor<64x128xi8>
  %ks = nstf.get @ks : tensor<64x2xf32>
  %vs = nstf.get @vs : tensor<64x2xf32>
  %kc = nstf.kv_append %t, %k : (tensor<?x128xi8>, tensor<64x128xi8>) -> tensor<64x128xi8>
  %vc = nstf.kv_append %t, %v : (tensor<?x128xi8>, tensor<64x128xi8>) -> tensor<64x128xi8>
  %ksc = nstf.kv_append %s, %ks : (tensor<?x2xf32>, tensor<64x2xf32>) -> tensor<64x2xf32>
  %vsc = nstf.kv_append %s, %vs : (tensor<?x2xf32>, tensor<64x2xf32>) -> tensor<64x2xf32>
  %a = nstf.attention %q, %kc, %vc scales %ksc, %vsc {heads = 2 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x128xf16>, tensor<64x128xi8>, tensor<64x128xi8>, tensor<64x2xf32>, tensor<64x2xf32>) -> tensor<?x128xf32>
  nstf.return %a : tensor<?x128xf32>
}

// -----

// Codes whose scales have another reader, and wide heads, stay row by row.
// CHECK: nstf.state @k : tensor<32x8xi8>
// CHECK: nstf.state @w : tensor<32x264xf16>
nstf.state @k : tensor<32x8xi8>
nstf.state @v : tensor<32x8xi8>
nstf.state @ks : tensor<32x1xf32>
nstf.state @vs : tensor<32x1xf32>
nstf.state @w : tensor<32x264xf16>
nstf.state @z : tensor<32x264xf16>
nstf.graph @main(%q: tensor<?x8xf16> {nstf.name = "q"}, %t: tensor<?x8xi8> {nstf.name = "t"}, %s: tensor<?x1xf32> {nstf.name = "s"},
                 %p: tensor<?x264xf16> {nstf.name = "p"})
    -> (tensor<?x8xf32> {nstf.name = "a"}, tensor<?x264xf32> {nstf.name = "b"}) attributes {context = 32 : i64} {
  %k = nstf.get @k : tensor<32x8xi8>
  %v = nstf.get @v : tensor<32x8xi8>
  %ks = nstf.get @ks : tensor<32x1xf32>
  %vs = nstf.get @vs : tensor<32x1xf32>
  %w = nstf.get @w : tensor<32x264xf16>
  %z = nstf.get @z : tensor<32x264xf16>
  %kc = nstf.kv_append %t, %k : (tensor<?x8xi8>, tensor<32x8xi8>) -> tensor<32x8xi8>
  %vc = nstf.kv_append %t, %v : (tensor<?x8xi8>, tensor<32x8xi8>) -> tensor<32x8xi8>
  %ksc = nstf.kv_append %s, %ks : (tensor<?x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
  %vsc = nstf.kv_append %s, %vs : (tensor<?x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
  %wc = nstf.kv_append %p, %w : (tensor<?x264xf16>, tensor<32x264xf16>) -> tensor<32x264xf16>
  %zc = nstf.kv_append %p, %z : (tensor<?x264xf16>, tensor<32x264xf16>) -> tensor<32x264xf16>
  // expected-remark @+1 {{its scales are no two caches that nothing else reads}}
  %a = nstf.attention %q, %kc, %vc scales %ksc, %ksc {heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x8xf16>, tensor<32x8xi8>, tensor<32x8xi8>, tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<?x8xf32>
  // expected-remark @+1 {{its heads are wider than 256 columns}}
  %b = nstf.attention %p, %wc, %zc {heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x264xf16>, tensor<32x264xf16>, tensor<32x264xf16>) -> tensor<?x264xf32>
  nstf.return %a, %b : tensor<?x8xf32>, tensor<?x264xf32>
}
