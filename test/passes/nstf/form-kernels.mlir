// RUN: nstf-opt %s -split-input-file -nstf-form-kernels --verify-diagnostics | FileCheck %s

// Each op gets its own kernel, whose arguments are the anchor's operands in order.

nstf.weight @table : tensor<10x8xf32>
nstf.weight @norm : tensor<8xf32>
// CHECK: nstf.kernel @embedding_0(%[[IDS:.+]]: tensor<?xi32>, %[[TABLE:.+]]: tensor<10x8xf32>) -> tensor<?x8xf32> {
// CHECK-NEXT: %[[R:.+]] = nstf.embedding %[[IDS]], %[[TABLE]]
// CHECK-NEXT: nstf.return %[[R]]
// CHECK: nstf.kernel @rms_norm_0(
// CHECK: nstf.kernel @last_row_0(
// CHECK: nstf.kernel @linear_0(
// CHECK: nstf.kernel @argmax_0(
// CHECK-LABEL: nstf.graph @own(
// CHECK-SAME: %[[ARG:.+]]: tensor<?xi32>
nstf.graph @own(%ids: tensor<?xi32> {nstf.name = "ids"}) -> (tensor<1x10xf32> {nstf.name = "logits"}, tensor<1xi32> {nstf.name = "next"}) attributes {context = 16 : i64} {
  // CHECK: %[[T:.+]] = nstf.get @table
  // CHECK: %[[X:.+]] = nstf.step @embedding_0(%[[ARG]], %[[T]])
  // CHECK: %[[N:.+]] = nstf.step @rms_norm_0(%[[X]], %{{.+}})
  // CHECK: %[[L:.+]] = nstf.step @last_row_0(%[[N]])
  // CHECK: %[[LOGITS:.+]] = nstf.step @linear_0(%[[L]], %[[T]])
  // CHECK: %[[NEXT:.+]] = nstf.step @argmax_0(%[[LOGITS]])
  // CHECK: nstf.return %[[LOGITS]], %[[NEXT]]
  %t = nstf.get @table : tensor<10x8xf32>
  %w = nstf.get @norm : tensor<8xf32>
  %x = nstf.embedding %ids, %t : (tensor<?xi32>, tensor<10x8xf32>) -> tensor<?x8xf32>
  %n = nstf.rms_norm %x, %w {eps = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %l = nstf.last_row %n : (tensor<?x8xf32>) -> tensor<1x8xf32>
  %logits = nstf.linear %l, %t : (tensor<1x8xf32>, tensor<10x8xf32>) -> tensor<1x10xf32>
  %next = nstf.argmax %logits : (tensor<1x10xf32>) -> tensor<1xi32>
  nstf.return %logits, %next : tensor<1x10xf32>, tensor<1xi32>
}

// -----

// Elementwise consumers move into the epilogue of a linear. A residual becomes a further argument; a swiglu of products
// of different rows joins the last of them.

nstf.weight @w : tensor<8x8xf32>
// CHECK: nstf.kernel @linear_0(
// CHECK: nstf.kernel @linear_swiglu_add_0(%[[A:.+]]: tensor<?x8xf32>, %[[W:.+]]: tensor<8x8xf32>, %[[GATE:.+]]: tensor<?x8xf32>) -> tensor<?x8xf32> {
// CHECK-NEXT: %[[UP:.+]] = nstf.linear %[[A]], %[[W]]
// CHECK-NEXT: %[[ACT:.+]] = nstf.swiglu %[[GATE]], %[[UP]]
// CHECK-NEXT: %[[SUM:.+]] = nstf.add %[[ACT]], %[[A]]
// CHECK-NEXT: nstf.return %[[SUM]]
// CHECK-LABEL: nstf.graph @epilogue(
nstf.graph @epilogue(%x: tensor<?x8xf32> {nstf.name = "x"}, %z: tensor<?x8xf32> {nstf.name = "z"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // CHECK: %[[G:.+]] = nstf.step @linear_0(
  // CHECK: %[[Y:.+]] = nstf.step @linear_swiglu_add_0(%{{.+}}, %{{.+}}, %[[G]])
  // CHECK: nstf.return %[[Y]]
  %w = nstf.get @w : tensor<8x8xf32>
  %gate = nstf.linear %z, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %up = nstf.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %act = nstf.swiglu %gate, %up : tensor<?x8xf32>
  %y = nstf.add %act, %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// Two products of one x with matrices of one type become one kernel if one op reads both. Elementwise ops on one of
// them join it.

nstf.weight @gate : tensor<12x8xf32>
nstf.weight @up : tensor<12x8xf32>
// CHECK: nstf.kernel @linear_gelu_linear_mul_0(%[[X:.+]]: tensor<?x8xf32>, %[[A:.+]]: tensor<12x8xf32>, %[[B:.+]]: tensor<12x8xf32>) -> tensor<?x12xf32> {
// CHECK-NEXT: %[[ONE:.+]] = nstf.linear %[[X]], %[[A]]
// CHECK-NEXT: %[[ACT:.+]] = nstf.gelu %[[ONE]]
// CHECK-NEXT: %[[OTHER:.+]] = nstf.linear %[[X]], %[[B]]
// CHECK-NEXT: %[[Y:.+]] = nstf.mul %[[ACT]], %[[OTHER]]
// CHECK-NEXT: nstf.return %[[Y]]
// CHECK-NOT: nstf.kernel
nstf.graph @pair(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x12xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %g = nstf.get @gate : tensor<12x8xf32>
  %u = nstf.get @up : tensor<12x8xf32>
  %one = nstf.linear %x, %g : (tensor<?x8xf32>, tensor<12x8xf32>) -> tensor<?x12xf32>
  %act = nstf.gelu %one : tensor<?x12xf32>
  %other = nstf.linear %x, %u : (tensor<?x8xf32>, tensor<12x8xf32>) -> tensor<?x12xf32>
  %y = nstf.mul %act, %other : tensor<?x12xf32>
  nstf.return %y : tensor<?x12xf32>
}

// -----

// Products with matrices of different sizes or with a bias are not paired.

nstf.weight @w : tensor<12x8xf32>
nstf.weight @b : tensor<12xf32>
// CHECK: nstf.kernel @linear_0(
// CHECK: nstf.kernel @linear_swiglu_0(
nstf.graph @apart(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x12xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %w = nstf.get @w : tensor<12x8xf32>
  %b = nstf.get @b : tensor<12xf32>
  %one = nstf.linear %x, %w, %b : (tensor<?x8xf32>, tensor<12x8xf32>, tensor<12xf32>) -> tensor<?x12xf32>
  %other = nstf.linear %x, %w : (tensor<?x8xf32>, tensor<12x8xf32>) -> tensor<?x12xf32>
  %y = nstf.swiglu %one, %other : tensor<?x12xf32>
  nstf.return %y : tensor<?x12xf32>
}

// -----

// A bias stays with its linear. An activation of one operand moves into the kernel of the other operand, after the
// anchor.

nstf.weight @w : tensor<8x8xf32>
nstf.weight @b : tensor<8xf32>
// CHECK: nstf.kernel @linear_silu_mul_0(%[[A:.+]]: tensor<?x8xf32>, %[[W:.+]]: tensor<8x8xf32>, %[[B:.+]]: tensor<8xf32>, %[[Z:.+]]: tensor<?x8xf32>) -> tensor<?x8xf32> {
// CHECK-NEXT: %[[L:.+]] = nstf.linear %[[A]], %[[W]], %[[B]]
// CHECK-NEXT: %[[S:.+]] = nstf.silu %[[Z]]
// CHECK-NEXT: %[[M:.+]] = nstf.mul %[[S]], %[[L]]
// CHECK-NEXT: nstf.return %[[M]]
// CHECK-LABEL: nstf.graph @chain(
nstf.graph @chain(%x: tensor<?x8xf32> {nstf.name = "x"}, %z: tensor<?x8xf32> {nstf.name = "z"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %w = nstf.get @w : tensor<8x8xf32>
  %b = nstf.get @b : tensor<8xf32>
  %s = nstf.silu %z : tensor<?x8xf32>
  %l = nstf.linear %x, %w, %b : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %y = nstf.mul %s, %l : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// A value with two uses is stored, so no op joins its kernel. A norm has an epilogue. Elementwise ops without an anchor
// form one kernel.

nstf.weight @w : tensor<8x8xf32>
nstf.weight @n : tensor<8xf32>
// CHECK: nstf.kernel @linear_0(
// CHECK: nstf.kernel @silu_mul_0(%[[A:.+]]: tensor<?x8xf32>) -> tensor<?x8xf32> {
// CHECK-NEXT: %[[S:.+]] = nstf.silu %[[A]]
// CHECK-NEXT: %[[M:.+]] = nstf.mul %[[S]], %[[A]]
// CHECK-NEXT: nstf.return %[[M]]
// CHECK: nstf.kernel @rms_norm_silu_0(
// CHECK-LABEL: nstf.graph @apart(
nstf.graph @apart(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %w = nstf.get @w : tensor<8x8xf32>
  %n = nstf.get @n : tensor<8xf32>
  %l = nstf.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %s = nstf.silu %l : tensor<?x8xf32>
  %m = nstf.mul %s, %l : tensor<?x8xf32>
  %r = nstf.rms_norm %m, %n {eps = 0.0 : f64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %y = nstf.silu %r : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// A softmax has no epilogue.

// CHECK: nstf.kernel @softmax_0(
// CHECK: nstf.kernel @tanh_relu_0(
nstf.graph @softmax(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %s = nstf.softmax %x : tensor<?x8xf32>
  %t = nstf.tanh %s : tensor<?x8xf32>
  %y = nstf.relu %t : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// Two embeddings, their sum and positions form two launches; elementwise ops after a layer_norm join it.

nstf.weight @words : tensor<32x8xf32>
nstf.weight @types : tensor<2x8xf32>
nstf.weight @positions : tensor<18x8xf32>
nstf.weight @n : tensor<8xf32>
// CHECK: nstf.kernel @embedding_0(
// CHECK: nstf.kernel @embedding_add_add_positions_0(%{{.+}}: tensor<?xi32>, %{{.+}}: tensor<2x8xf32>, %{{.+}}: tensor<?x8xf32>, %{{.+}}: tensor<18x8xf32>)
// CHECK: nstf.kernel @layer_norm_gelu_0(
// CHECK-LABEL: nstf.graph @embeddings(
nstf.graph @embeddings(%ids: tensor<?xi32> {nstf.name = "ids"}, %kinds: tensor<?xi32> {nstf.name = "kinds"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %words = nstf.get @words : tensor<32x8xf32>
  %types = nstf.get @types : tensor<2x8xf32>
  %positions = nstf.get @positions : tensor<18x8xf32>
  %n = nstf.get @n : tensor<8xf32>
  %w = nstf.embedding %ids, %words : (tensor<?xi32>, tensor<32x8xf32>) -> tensor<?x8xf32>
  %k = nstf.embedding %kinds, %types : (tensor<?xi32>, tensor<2x8xf32>) -> tensor<?x8xf32>
  %s = nstf.add %w, %k : tensor<?x8xf32>
  %p = nstf.add_positions %s, %positions {offset = 2 : i64} : (tensor<?x8xf32>, tensor<18x8xf32>) -> tensor<?x8xf32>
  %l = nstf.layer_norm %p, %n, %n {eps = 0.0 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %y = nstf.gelu %l : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// add_positions joins neither the producer of its table nor a norm of heads, whose rows are not rows of the step. Other
// ops join that norm.

nstf.weight @w : tensor<8x8xf32>
nstf.weight @h : tensor<4xf32>
// CHECK: nstf.kernel @rms_norm_silu_0(
// CHECK: nstf.kernel @linear_0(
// CHECK: nstf.kernel @add_positions_0(
// CHECK-LABEL: nstf.graph @positions(
nstf.graph @positions(%x: tensor<?x8xf32> {nstf.name = "x"}, %t: tensor<16x8xf32> {nstf.name = "t"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %w = nstf.get @w : tensor<8x8xf32>
  %h = nstf.get @h : tensor<4xf32>
  %n = nstf.rms_norm %x, %h {eps = 0.0 : f64} : (tensor<?x8xf32>, tensor<4xf32>) -> tensor<?x8xf32>
  %s = nstf.silu %n : tensor<?x8xf32>
  %table = nstf.linear %t, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %y = nstf.add_positions %s, %table : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// A result of the graph is stored too.

nstf.weight @w : tensor<8x8xf32>
// CHECK: nstf.kernel @linear_0(
// CHECK: nstf.kernel @silu_0(
// CHECK-LABEL: nstf.graph @returned(
nstf.graph @returned(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "l"}, tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %w = nstf.get @w : tensor<8x8xf32>
  %l = nstf.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %y = nstf.silu %l : tensor<?x8xf32>
  nstf.return %l, %y : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// A rope writes directly to the cache, unless its result has another reader.

nstf.state @k : tensor<16x8xf32>
nstf.state @v : tensor<16x8xf32>
// CHECK: nstf.kernel @rope_0(
// CHECK: nstf.kernel @rope_kv_append_0(%[[X:.+]]: tensor<?x8xf32>, %[[C:.+]]: tensor<16x8xf32>) -> tensor<16x8xf32> {
// CHECK-NEXT: %[[R:.+]] = nstf.rope %[[X]]
// CHECK-NEXT: %[[S:.+]] = nstf.kv_append %[[R]], %[[C]]
// CHECK-NEXT: nstf.return %[[S]]
// CHECK: nstf.kernel @kv_append_0(
// CHECK: nstf.kernel @attention_0(
// CHECK-LABEL: nstf.graph @cache(
nstf.graph @cache(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %q = nstf.rope %x {head_size = 8 : i64, inv_freq = array<f64: 1.0>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = nstf.rope %x {head_size = 8 : i64, inv_freq = array<f64: 1.0>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %k = nstf.get @k : tensor<16x8xf32>
  %v = nstf.get @v : tensor<16x8xf32>
  %ks = nstf.kv_append %r, %k : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  %vs = nstf.kv_append %q, %v : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  %y = nstf.attention %q, %ks, %vs {heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// Refused graphs

nstf.graph @argument(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-error @+1 {{expected result 'y' of the graph to be computed by a step of its own but got an argument}}
  nstf.return %x : tensor<?x8xf32>
}

// -----

nstf.graph @twice(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}, tensor<?x8xf32> {nstf.name = "z"}) attributes {context = 16 : i64} {
  %y = nstf.silu %x : tensor<?x8xf32>
  // expected-error @+1 {{expected result 'z' of the graph to be computed by a step of its own but got another result too}}
  nstf.return %y, %y : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

nstf.state @cache : tensor<16x8xf32>
nstf.graph @state(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<16x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %c = nstf.get @cache : tensor<16x8xf32>
  %y = nstf.kv_append %x, %c : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  // expected-error @+1 {{expected result 'y' of the graph to be computed by a step of its own but got a state updated in place}}
  nstf.return %y : tensor<16x8xf32>
}

// -----

nstf.graph @foreign(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-error @+1 {{expected operations of the nstf dialect only in a graph (nstf-form-tensor-kernels takes others)}}
  %y = math.exp %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// Launches of tensor code that exist already stay, and their results are ordinary inputs.
nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
// CHECK: nstf.kernel @silu_0(
// CHECK: nstf.kernel @mul_0(
// CHECK-LABEL: nstf.graph @formed
// CHECK-NEXT: %[[A:.+]] = nstf.step @silu_0(
// CHECK-NEXT: nstf.step @mul_0(%[[A]], %{{.+}})
nstf.graph @formed(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %a = nstf.step @silu_0(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = nstf.mul %a, %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// An op with two results becomes a kernel with two. Each reader gets its own copy of a decoder, for either operand. The
// conversion of one of two results is a launch of its own.

nstf.weight @codes : tensor<8x8xi8>
nstf.weight @scales : tensor<8x1xf16>
// CHECK: nstf.kernel @quantize_0(%[[X:.+]]: tensor<?x8xf32>) -> (tensor<?x8xi8>, tensor<?x1xf32>) {
// CHECK-NEXT: %[[Q:.+]], %[[S:.+]] = nstf.quantize %[[X]]
// CHECK-NEXT: nstf.return %[[Q]], %[[S]]
// CHECK: nstf.kernel @convert_0(
// CHECK: nstf.kernel @dequantize_rows_dequantize_linear_0(
// CHECK-NEXT: nstf.dequantize_rows
// CHECK-NEXT: nstf.dequantize
// CHECK-NEXT: nstf.linear
// CHECK: nstf.kernel @dequantize_rows_dequantize_linear_1(
// CHECK-LABEL: nstf.graph @quantized(
// CHECK: %[[STEP:.+]]:2 = nstf.step @quantize_0(
// CHECK: nstf.step @convert_0(%[[STEP]]#1)
// CHECK: nstf.step @dequantize_rows_dequantize_linear_0(%[[STEP]]#0, %[[STEP]]#1, %{{.+}}, %{{.+}})
// CHECK: nstf.step @dequantize_rows_dequantize_linear_1(%[[STEP]]#0, %[[STEP]]#1, %{{.+}}, %{{.+}})
nstf.graph @quantized(%x: tensor<?x8xf32> {nstf.name = "x"})
    -> (tensor<?x8xf32> {nstf.name = "y"}, tensor<?x8xf32> {nstf.name = "z"}, tensor<?x1xf16> {nstf.name = "s"})
    attributes {context = 16 : i64} {
  %codes = nstf.get @codes : tensor<8x8xi8>
  %scales = nstf.get @scales : tensor<8x1xf16>
  %w = nstf.dequantize %codes, %scales {format = #nstf.int<8, group = row, columns = 8>} : (tensor<8x8xi8>, tensor<8x1xf16>) -> tensor<8x8xf16>
  %q, %s = nstf.quantize %x {type = i8, group = 8} : tensor<?x8xf32> -> tensor<?x8xi8>, tensor<?x1xf32>
  %half = nstf.convert %s {type = f16} : (tensor<?x1xf32>) -> tensor<?x1xf16>
  %h = nstf.dequantize_rows %q, %s : (tensor<?x8xi8>, tensor<?x1xf32>) -> tensor<?x8xf16>
  %y = nstf.linear %h, %w : (tensor<?x8xf16>, tensor<8x8xf16>) -> tensor<?x8xf32>
  %z = nstf.linear %h, %w : (tensor<?x8xf16>, tensor<8x8xf16>) -> tensor<?x8xf32>
  nstf.return %y, %z, %half : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x1xf16>
}

// -----

// Codes and scales are written directly to their caches, if both are appended and no op reads one cache before the
// other is written.

nstf.state @k : tensor<16x8xi8>
nstf.state @k.scales : tensor<16x2xf32>
nstf.state @v : tensor<16x8xi8>
nstf.state @v.scales : tensor<16x2xf32>
// CHECK: nstf.kernel @quantize_kv_append_kv_append_0(%[[X:.+]]: tensor<?x8xf32>, %[[K:.+]]: tensor<16x8xi8>, %[[KS:.+]]: tensor<16x2xf32>) -> (tensor<16x8xi8>, tensor<16x2xf32>) {
// CHECK-NEXT: %[[Q:.+]], %[[S:.+]] = nstf.quantize %[[X]]
// CHECK-NEXT: %[[KC:.+]] = nstf.kv_append %[[Q]], %[[K]]
// CHECK-NEXT: %[[KSC:.+]] = nstf.kv_append %[[S]], %[[KS]]
// CHECK-NEXT: nstf.return %[[KC]], %[[KSC]]
// CHECK: nstf.kernel @quantize_0(
// CHECK: nstf.kernel @kv_append_0(
// CHECK: nstf.kernel @kv_append_1(
// CHECK-LABEL: nstf.graph @caches(
// CHECK: %[[STEP:.+]]:2 = nstf.step @quantize_kv_append_kv_append_0(
// CHECK: nstf.step @attention_0(%{{.+}}, %[[STEP]]#0, %{{.+}}, %[[STEP]]#1, %{{.+}})
nstf.graph @caches(%x: tensor<?x8xf32> {nstf.name = "x"})
    -> (tensor<?x8xf32> {nstf.name = "y"}, tensor<?x8xi8> {nstf.name = "z"}) attributes {context = 16 : i64} {
  %k = nstf.get @k : tensor<16x8xi8>
  %k_scales = nstf.get @k.scales : tensor<16x2xf32>
  %v = nstf.get @v : tensor<16x8xi8>
  %v_scales = nstf.get @v.scales : tensor<16x2xf32>
  %kq, %ks = nstf.quantize %x {type = i8, group = 4} : tensor<?x8xf32> -> tensor<?x8xi8>, tensor<?x2xf32>
  %kc = nstf.kv_append %kq, %k : (tensor<?x8xi8>, tensor<16x8xi8>) -> tensor<16x8xi8>
  %ksc = nstf.kv_append %ks, %k_scales : (tensor<?x2xf32>, tensor<16x2xf32>) -> tensor<16x2xf32>
  %vq, %vs = nstf.quantize %x {type = i8, group = 4} : tensor<?x8xf32> -> tensor<?x8xi8>, tensor<?x2xf32>
  %vc = nstf.kv_append %vq, %v : (tensor<?x8xi8>, tensor<16x8xi8>) -> tensor<16x8xi8>
  %vsc = nstf.kv_append %vs, %v_scales : (tensor<?x2xf32>, tensor<16x2xf32>) -> tensor<16x2xf32>
  %y = nstf.attention %x, %kc, %vc scales %ksc, %vsc {heads = 2 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64}
      : (tensor<?x8xf32>, tensor<16x8xi8>, tensor<16x8xi8>, tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<?x8xf32>
  nstf.return %y, %vq : tensor<?x8xf32>, tensor<?x8xi8>
}

// -----

// The kernel of a norm quantises its rows if nothing else reads them and each row has one scale. It does not for a norm
// of heads, where each head is a row of the kernel.
nstf.weight @w : tensor<8xf32>
nstf.weight @head : tensor<4xf32>
// CHECK: nstf.kernel @rms_norm_quantize_0(%[[X:.+]]: tensor<?x8xf32>, %[[W:.+]]: tensor<8xf32>) -> (tensor<?x8xi8>, tensor<?x1xf32>) {
// CHECK-NEXT: %[[Y:.+]] = nstf.rms_norm %[[X]], %[[W]]
// CHECK-NEXT: %[[Q:.+]], %[[S:.+]] = nstf.quantize %[[Y]]
// CHECK-NEXT: nstf.return %[[Q]], %[[S]]
// CHECK: nstf.kernel @rms_norm_0(
// CHECK: nstf.kernel @quantize_0(
// CHECK: nstf.kernel @layer_norm_0(
// CHECK: nstf.kernel @quantize_1(
// CHECK: nstf.kernel @l2_normalize_0(
// CHECK: nstf.kernel @quantize_2(
nstf.graph @norms(%x: tensor<?x8xf32> {nstf.name = "x"})
    -> (tensor<?x8xi8> {nstf.name = "a"}, tensor<?x1xf32> {nstf.name = "as"}, tensor<?x8xi8> {nstf.name = "b"}, tensor<?x1xf32> {nstf.name = "bs"},
        tensor<?x8xi8> {nstf.name = "c"}, tensor<?x2xf32> {nstf.name = "cs"}, tensor<?x8xi8> {nstf.name = "d"}, tensor<?x1xf32> {nstf.name = "ds"},
        tensor<?x8xf32> {nstf.name = "y"})
    attributes {context = 16 : i64} {
  %w = nstf.get @w : tensor<8xf32>
  %head = nstf.get @head : tensor<4xf32>
  %alone = nstf.rms_norm %x, %w {eps = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %a, %as = nstf.quantize %alone {type = i8, group = 8} : tensor<?x8xf32> -> tensor<?x8xi8>, tensor<?x1xf32>
  %heads = nstf.rms_norm %x, %head {eps = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<4xf32>) -> tensor<?x8xf32>
  %b, %bs = nstf.quantize %heads {type = i8, group = 8} : tensor<?x8xf32> -> tensor<?x8xi8>, tensor<?x1xf32>
  %groups = nstf.layer_norm %x, %w {eps = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %c, %cs = nstf.quantize %groups {type = i8, group = 4} : tensor<?x8xf32> -> tensor<?x8xi8>, tensor<?x2xf32>
  %read = nstf.l2_normalize %x {eps = 1.0e-5 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %d, %ds = nstf.quantize %read {type = i8, group = 8} : tensor<?x8xf32> -> tensor<?x8xi8>, tensor<?x1xf32>
  nstf.return %a, %as, %b, %bs, %c, %cs, %d, %ds, %read : tensor<?x8xi8>, tensor<?x1xf32>, tensor<?x8xi8>, tensor<?x1xf32>, tensor<?x8xi8>, tensor<?x2xf32>, tensor<?x8xi8>, tensor<?x1xf32>, tensor<?x8xf32>
}
