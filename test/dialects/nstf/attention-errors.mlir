// One refusal for every numbered constraint of dialects/nstf/AttentionOps.td.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

func.func @rope_c1(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{expected features in multiples of head_size but got 64 and 6}}
  %y = nstf.rope %x {head_size = 6 : i64, inv_freq = array<f64: 1.0>} : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @rope_c1(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{expected features in multiples of head_size but got 64 and 0}}
  %y = nstf.rope %x {head_size = 0 : i64, inv_freq = array<f64: 1.0>} : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @rope_c2(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{expected 1 to 2 frequencies for head_size 4 but got 3}}
  %y = nstf.rope %x {head_size = 4 : i64, inv_freq = array<f64: 1.0, 0.5, 0.25>} : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @rope_c2(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{expected 1 to 2 frequencies for head_size 4 but got 0}}
  %y = nstf.rope %x {head_size = 4 : i64, inv_freq = array<f64>} : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @rope_c3(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{expected finite frequencies but got INF}}
  %y = nstf.rope %x {head_size = 4 : i64, inv_freq = array<f64: 0x7FF0000000000000>} : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @rope_c3(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{expected a finite scale but got 0x7FF0000000000000 : f64}}
  %y = nstf.rope %x {head_size = 4 : i64, inv_freq = array<f64: 1.0>, scale = 0x7FF0000000000000 : f64} : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @rope_c4(%x: tensor<?x64xf32>, %table: tensor<512x8xf32>) {
  // expected-error @+1 {{expected a table of 2 columns but got 8}}
  %y = nstf.rope %x, %table {head_size = 8 : i64, inv_freq = array<f64: 1.0>} : (tensor<?x64xf32>, tensor<512x8xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @rope_c4(%x: tensor<?x64xf32>, %table: tensor<512x2xf16>) {
  // expected-error @+1 {{expected a table of f32 but got 'f16'}}
  %y = nstf.rope %x, %table {head_size = 8 : i64, inv_freq = array<f64: 1.0>} : (tensor<?x64xf32>, tensor<512x2xf16>) -> tensor<?x64xf32>
  return
}

// -----

func.func @rope_c5(%x: tensor<?x64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<?x64xf32>' are incompatible with return type(s) of operation 'tensor<1x64xf32>'}}
  %y = nstf.rope %x {head_size = 8 : i64, inv_freq = array<f64: 1.0>} : (tensor<?x64xf32>) -> tensor<1x64xf32>
  return
}

// -----

func.func @kv_append_c1(%rows: tensor<?x32xf32>, %cache: tensor<512x64xf32>) {
  // expected-error @+1 {{expected rows and cache of the same features and element type but got 'tensor<?x32xf32>' and 'tensor<512x64xf32>'}}
  %y = nstf.kv_append %rows, %cache : (tensor<?x32xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
  return
}

// -----

func.func @kv_append_c2(%rows: tensor<?x32xf32>, %cache: tensor<512x32xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<512x32xf32>' are incompatible with return type(s) of operation 'tensor<256x32xf32>'}}
  %y = nstf.kv_append %rows, %cache : (tensor<?x32xf32>, tensor<512x32xf32>) -> tensor<256x32xf32>
  return
}

// -----

func.func @attention_c1(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>) {
  // expected-error @+1 {{expected heads in multiples of kv_heads but got 8 and 3}}
  %y = nstf.attention %q, %k, %k {heads = 8 : i64, kv_heads = 3 : i64, scale = 1.0 : f64}
      : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @attention_c1(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>) {
  // expected-error @+1 {{expected heads in multiples of kv_heads but got 0 and 0}}
  %y = nstf.attention %q, %k, %k {heads = 0 : i64, kv_heads = 0 : i64, scale = 1.0 : f64}
      : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @attention_c2(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>) {
  // expected-error @+1 {{expected features of q in multiples of heads but got 64 and 6}}
  %y = nstf.attention %q, %k, %k {heads = 6 : i64, kv_heads = 3 : i64, scale = 1.0 : f64}
      : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @attention_c3(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %v: tensor<512x64xf32>) {
  // expected-error @+1 {{expected k and v of one type but got 'tensor<?x64xf32>' and 'tensor<512x64xf32>'}}
  %y = nstf.attention %q, %k, %v {heads = 8 : i64, kv_heads = 8 : i64, scale = 1.0 : f64}
      : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<512x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @attention_c4(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>) {
  // expected-error @+1 {{expected k of 32 features of 'f32' but got 'tensor<?x64xf32>'}}
  %y = nstf.attention %q, %k, %k {heads = 8 : i64, kv_heads = 4 : i64, scale = 1.0 : f64}
      : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @attention_c5(%q: tensor<?x64xf32>, %k: tensor<512x64xf32>) {
  // expected-error @+1 {{expected k of 'tensor<?x64xf32>' to be rows of this step, or a static cache and 'causal', but got 'tensor<512x64xf32>' without 'causal'}}
  %y = nstf.attention %q, %k, %k {heads = 8 : i64, kv_heads = 8 : i64, scale = 1.0 : f64}
      : (tensor<?x64xf32>, tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @attention_c6(%q: tensor<?x64xf32>) {
  // expected-error @+1 {{expected a finite scale but got 0x7FF8000000000000 : f64}}
  %y = nstf.attention %q, %q, %q {heads = 8 : i64, kv_heads = 8 : i64, scale = 0x7FF8000000000000 : f64}
      : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @attention_c7(%q: tensor<?x64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<?x64xf32>' are incompatible with return type(s) of operation 'tensor<?x32xf32>'}}
  %y = nstf.attention %q, %q, %q {heads = 8 : i64, kv_heads = 8 : i64, scale = 1.0 : f64}
      : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x32xf32>
  return
}

// -----

func.func @attention_c8(%q: tensor<?x64xf32>) {
  // expected-error @+1 {{expected a window of at least 1 but got 0}}
  %y = nstf.attention %q, %q, %q {heads = 8 : i64, kv_heads = 8 : i64, causal, window = 0 : i64, scale = 1.0 : f64}
      : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @attention_c8(%q: tensor<?x64xf32>) {
  // expected-error @+1 {{expected 'causal' beside a window of 4 but got none}}
  %y = nstf.attention %q, %q, %q {heads = 8 : i64, kv_heads = 8 : i64, window = 4 : i64, scale = 1.0 : f64}
      : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @attention_c4(%q: tensor<?x64xf16>, %k: tensor<512x64xi8>) {
  // expected-error @+1 {{expected k of 64 features of 'f16' but got 'tensor<512x64xi8>' without scales}}
  %y = nstf.attention %q, %k, %k {heads = 8 : i64, kv_heads = 8 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x64xf16>, tensor<512x64xi8>, tensor<512x64xi8>) -> tensor<?x64xf32>
  return
}

// -----

func.func @attention_c4(%q: tensor<?x64xf16>, %k: tensor<512x64xf16>, %s: tensor<512x8xf32>) {
  // expected-error @+1 {{expected k of 64 features of i8 or f8E4M3FNUZ but got 'tensor<512x64xf16>'}}
  %y = nstf.attention %q, %k, %k scales %s, %s {heads = 8 : i64, kv_heads = 8 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x64xf16>, tensor<512x64xf16>, tensor<512x64xf16>, tensor<512x8xf32>, tensor<512x8xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @attention_c9(%q: tensor<?x64xf16>, %k: tensor<512x64xi8>, %s: tensor<512x8xf32>) {
  // expected-error @+1 {{expected scales of k and v or none but got 1}}
  %y = nstf.attention %q, %k, %k scales %s {heads = 8 : i64, kv_heads = 8 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x64xf16>, tensor<512x64xi8>, tensor<512x64xi8>, tensor<512x8xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @attention_c9(%q: tensor<?x64xf16>, %k: tensor<512x64xi8>, %s: tensor<512x8xf32>, %t: tensor<512x4xf32>) {
  // expected-error @+1 {{expected scales of type 'tensor<512x8xf32>' but got 'tensor<512x4xf32>'}}
  %y = nstf.attention %q, %k, %k scales %s, %t {heads = 8 : i64, kv_heads = 8 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x64xf16>, tensor<512x64xi8>, tensor<512x64xi8>, tensor<512x8xf32>, tensor<512x4xf32>) -> tensor<?x64xf32>
  return
}

// -----

!keys = tensor<512x64xi8, #nstf.operand_order<keys, heads = 8>>
!values = tensor<512x64xi8, #nstf.operand_order<values, heads = 8>>
func.func @attention_c9(%q: tensor<?x64xf16>, %k: !keys, %v: !values, %s: tensor<512x8xf32>) {
  // expected-error @+1 {{expected scales of type 'tensor<512x8xf32, #nstf.operand_order<scales, heads = 8>>' but got 'tensor<512x8xf32>'}}
  %y = nstf.attention %q, %k, %v scales %s, %s {heads = 8 : i64, kv_heads = 8 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x64xf16>, !keys, !values, tensor<512x8xf32>, tensor<512x8xf32>) -> tensor<?x64xf32>
  return
}

// -----

// expected-error @+1 {{expected at least 1 head but got 0}}
func.func private @operand_order_c1() -> tensor<16x8xf16, #nstf.operand_order<keys, heads = 0>>

// -----

// expected-error @+1 {{expected a static matrix of 3 heads for #nstf.operand_order<keys, heads = 3>}}
func.func private @operand_order_c2() -> tensor<16x8xf16, #nstf.operand_order<keys, heads = 3>>

// -----

// expected-error @+1 {{expected a static matrix of 2 heads for #nstf.operand_order<values, heads = 2>}}
func.func private @operand_order_c2() -> tensor<?x8xf16, #nstf.operand_order<values, heads = 2>>

// -----

// expected-error @+1 {{expected elements of 1, 2 or 4 bytes for #nstf.operand_order<values, heads = 2> but got 'f64'}}
func.func private @operand_order_c3() -> tensor<16x8xf64, #nstf.operand_order<values, heads = 2>>

// -----

// expected-error @+1 {{expected a column for each head for #nstf.operand_order<scales, heads = 2> but got 8}}
func.func private @operand_order_c4() -> tensor<16x8xf32, #nstf.operand_order<scales, heads = 2>>

// -----

!ordered = tensor<16x8xf16, #nstf.operand_order<keys, heads = 2>>
func.func @kv_append_c3(%rows: !ordered, %cache: !ordered) {
  // expected-error @+1 {{expected rows that lie row by row but got 'tensor<16x8xf16, #nstf.operand_order<keys, heads = 2>>'}}
  %y = nstf.kv_append %rows, %cache : (!ordered, !ordered) -> !ordered
  return
}

// -----

!keys = tensor<16x8xf16, #nstf.operand_order<keys, heads = 2>>
!values = tensor<16x8xf16, #nstf.operand_order<values, heads = 2>>
func.func @attention_c3(%q: tensor<?x16xf16>, %k: !keys, %v: !values) {
  // expected-error @+1 {{expected k in the order of keys and v in that of values, of 2 heads, or neither but got}}
  %y = nstf.attention %q, %v, %k {heads = 4 : i64, kv_heads = 2 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x16xf16>, !values, !keys) -> tensor<?x16xf32>
  return
}

// -----

!keys = tensor<16x8xf16, #nstf.operand_order<keys, heads = 2>>
func.func @attention_c3(%q: tensor<?x16xf16>, %k: !keys, %v: tensor<16x8xf16>) {
  // expected-error @+1 {{expected k in the order of keys and v in that of values, of 2 heads, or neither but got}}
  %y = nstf.attention %q, %k, %v {heads = 4 : i64, kv_heads = 2 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x16xf16>, !keys, tensor<16x8xf16>) -> tensor<?x16xf32>
  return
}
