// RUN: nstf-opt %s -split-input-file -nstf-quantize-caches=type=i8 --remark-format=emitRemark \
// RUN:   --remarks-filter=nstf-quantize-caches -verify-diagnostics | FileCheck %s
// RUN: nstf-opt %s -split-input-file -nstf-quantize-caches | FileCheck %s --check-prefix=NONE
// RUN: not nstf-opt %s -split-input-file -nstf-quantize-caches=type=f16 2>&1 | FileCheck %s --check-prefix=NAME

// NAME: expected a type of codes (i8 or e4m3fnuz) but got 'f16'
// NONE-NOT: nstf.quantize

// Rows lose their conversion and are appended as codes, and scales are appended to their own caches. Attention to rows
// of this step, and attention whose cache is also a result, keep floats.
// CHECK: nstf.state @k : tensor<32x16xi8>
// CHECK-NEXT: nstf.state @k.scales : tensor<32x2xf32>
// CHECK-NEXT: nstf.state @v : tensor<32x16xi8>
// CHECK-NEXT: nstf.state @v.scales : tensor<32x2xf32>
// CHECK-NEXT: nstf.state @shared : tensor<32x16xf16>
nstf.state @k : tensor<32x16xf16>
nstf.state @v : tensor<32x16xf16>
nstf.state @shared : tensor<32x16xf16>
// CHECK-LABEL: nstf.graph @main
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<?x32xf16> {nstf.name = "q"}, %[[X:[a-z0-9]+]]: tensor<?x16xf32>
// CHECK: %[[K:.+]] = nstf.get @k : tensor<32x16xi8>
// CHECK: %[[CODES:.+]], %[[SCALES:.+]] = nstf.quantize %[[X]] {group = 8 : i64, type = i8}
// CHECK-NEXT: %[[KC:.+]] = nstf.kv_append %[[CODES]], %[[K]] : (tensor<?x16xi8>, tensor<32x16xi8>) -> tensor<32x16xi8>
// CHECK-NEXT: %[[KS:.+]] = nstf.get @k.scales : tensor<32x2xf32>
// CHECK-NEXT: %[[KSC:.+]] = nstf.kv_append %[[SCALES]], %[[KS]] : (tensor<?x2xf32>, tensor<32x2xf32>) -> tensor<32x2xf32>
// CHECK: nstf.quantize
// CHECK: %[[VC:.+]] = nstf.kv_append
// CHECK: %[[VSC:.+]] = nstf.kv_append
// CHECK: nstf.attention %[[Q]], %[[KC]], %[[VC]] scales %[[KSC]], %[[VSC]]
// CHECK-NOT: scales
// CHECK: nstf.return
// expected-remark @+1 {{"keys and values in codes of i8", attentions=1, bytes=1536, bytes_before=2048}}
nstf.graph @main(%q: tensor<?x32xf16> {nstf.name = "q"}, %x: tensor<?x16xf32> {nstf.name = "x"},
                 %t: tensor<?x16xf16> {nstf.name = "t"})
    -> (tensor<?x32xf32> {nstf.name = "a"}, tensor<?x32xf32> {nstf.name = "b"}, tensor<?x32xf32> {nstf.name = "c"},
        tensor<?x32xf32> {nstf.name = "d"}) attributes {context = 32 : i64} {
  %k = nstf.get @k : tensor<32x16xf16>
  %v = nstf.get @v : tensor<32x16xf16>
  %shared = nstf.get @shared : tensor<32x16xf16>
  %cx = nstf.convert %x {type = f16} : (tensor<?x16xf32>) -> tensor<?x16xf16>
  %kc = nstf.kv_append %cx, %k : (tensor<?x16xf16>, tensor<32x16xf16>) -> tensor<32x16xf16>
  %vc = nstf.kv_append %t, %v : (tensor<?x16xf16>, tensor<32x16xf16>) -> tensor<32x16xf16>
  %sc = nstf.kv_append %t, %shared : (tensor<?x16xf16>, tensor<32x16xf16>) -> tensor<32x16xf16>
  %a = nstf.attention %q, %kc, %vc {heads = 4 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x32xf16>, tensor<32x16xf16>, tensor<32x16xf16>) -> tensor<?x32xf32>
  // expected-remark @+1 {{its keys and values are no numbers of caches that nothing else reads}}
  %b = nstf.attention %q, %t, %t {heads = 4 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x32xf16>, tensor<?x16xf16>, tensor<?x16xf16>) -> tensor<?x32xf32>
  // expected-remark @+1 {{its keys and values are no numbers of caches that nothing else reads}}
  %c = nstf.attention %q, %sc, %sc {heads = 4 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x32xf16>, tensor<32x16xf16>, tensor<32x16xf16>) -> tensor<?x32xf32>
  // expected-remark @+1 {{its keys and values are no numbers of caches that nothing else reads}}
  %d = nstf.attention %q, %sc, %sc {heads = 4 : i64, kv_heads = 2 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x32xf16>, tensor<32x16xf16>, tensor<32x16xf16>) -> tensor<?x32xf32>
  nstf.return %a, %b, %c, %d : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}

// -----

// One cache of keys and values has one cache of scales.
nstf.state @kv : tensor<32x16xf32>
// CHECK-LABEL: nstf.graph @both
// CHECK-COUNT-1: nstf.quantize
// CHECK: %[[C:.+]] = nstf.kv_append
// CHECK: %[[S:.+]] = nstf.kv_append
// CHECK: nstf.attention %{{.+}}, %[[C]], %[[C]] scales %[[S]], %[[S]]
// expected-remark @+1 {{"keys and values in codes of i8", attentions=1, bytes=768, bytes_before=2048}}
nstf.graph @both(%x: tensor<?x16xf32> {nstf.name = "x"}) -> (tensor<?x16xf32> {nstf.name = "y"})
    attributes {context = 32 : i64} {
  %kv = nstf.get @kv : tensor<32x16xf32>
  %c = nstf.kv_append %x, %kv : (tensor<?x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  %y = nstf.attention %x, %c, %c {heads = 2 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<?x16xf32>
  nstf.return %y : tensor<?x16xf32>
}

// -----

// expected-error @+1 {{expected attention over caches of numbers but got none}}
nstf.graph @none(%x: tensor<?x16xf32> {nstf.name = "x"}) -> (tensor<?x16xf32> {nstf.name = "y"})
    attributes {context = 32 : i64} {
  // expected-remark @+1 {{its keys and values are no numbers of caches that nothing else reads}}
  %y = nstf.attention %x, %x, %x {heads = 2 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  nstf.return %y : tensor<?x16xf32>
}
