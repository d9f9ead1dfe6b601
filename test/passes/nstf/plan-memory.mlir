// RUN: nstf-opt %s -split-input-file -nstf-plan-memory=max-tokens=16 -verify-diagnostics | FileCheck %s

// A chain uses two places in turn. Results of the graph, and states updated in place, have no place in the arena.

// CHECK: module attributes {nstf.max_tokens = 16 : i64}
nstf.state @cache : tensor<32x8xf32>
nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
nstf.kernel @kv_append_0(%x: tensor<?x8xf32>, %cache: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %y = nstf.kv_append %x, %cache : (tensor<?x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
  nstf.return %y : tensor<32x8xf32>
}
nstf.kernel @attention_0(%q: tensor<?x8xf32>, %k: tensor<32x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.attention %q, %k, %k {heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
// CHECK: nstf.graph @chain({{.*}}) attributes {context = 32 : i64, nstf.arena_size = 1024 : i64}
nstf.graph @chain(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 32 : i64} {
  // CHECK: nstf.step @silu_0({{.*}}) {offsets = array<i64: 0>}
  // CHECK: nstf.step @silu_0({{.*}}) {offsets = array<i64: 512>}
  // CHECK: nstf.step @kv_append_0({{.*}}) {offsets = array<i64: -1>}
  // CHECK: nstf.step @attention_0({{.*}}) {offsets = array<i64: 0>}
  // CHECK: nstf.step @silu_0({{.*}}) {offsets = array<i64: -1>}
  %c = nstf.get @cache : tensor<32x8xf32>
  %0 = nstf.step @silu_0(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = nstf.step @silu_0(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = nstf.step @kv_append_0(%1, %c) : (tensor<?x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
  %3 = nstf.step @attention_0(%1, %2) : (tensor<?x8xf32>, tensor<32x8xf32>) -> tensor<?x8xf32>
  %4 = nstf.step @silu_0(%3) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  nstf.return %4 : tensor<?x8xf32>
}

// -----

// Offsets are multiples of 256 bytes, even for smaller values. A result without readers has a place too.

nstf.kernel @two(%x: tensor<?x8xf32>) -> (tensor<1x8xf32>, tensor<?xi32>) {
  %y = nstf.last_row %x : (tensor<?x8xf32>) -> tensor<1x8xf32>
  %z = nstf.argmax %x : (tensor<?x8xf32>) -> tensor<?xi32>
  nstf.return %y, %z : tensor<1x8xf32>, tensor<?xi32>
}
nstf.kernel @silu(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %y = nstf.silu %x : tensor<1x8xf32>
  nstf.return %y : tensor<1x8xf32>
}
// CHECK: nstf.graph @small({{.*}}) attributes {context = 32 : i64, nstf.arena_size = 512 : i64}
nstf.graph @small(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<1x8xf32> {nstf.name = "y"}) attributes {context = 32 : i64} {
  // CHECK: nstf.step @two({{.*}}) {offsets = array<i64: 256, 0>}
  // CHECK: nstf.step @silu({{.*}}) {offsets = array<i64: -1>}
  %0:2 = nstf.step @two(%x) : (tensor<?x8xf32>) -> (tensor<1x8xf32>, tensor<?xi32>)
  %1 = nstf.step @silu(%0#0) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  nstf.return %1 : tensor<1x8xf32>
}

// -----

// Refused: a graph that was not formed,

nstf.graph @raw(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 32 : i64} {
  // expected-error @+1 {{expected nstf.get, nstf.step and nstf.return only in a graph of launches (nstf-form-kernels makes them)}}
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

// more rows than the context,

// expected-error @+1 {{expected max-tokens of 1 to 8, the context, but got 16}}
nstf.graph @tokens() attributes {context = 8 : i64} {
  nstf.return
}

// -----

// and in-place updates of a value that is not a state or is still read.

nstf.kernel @append(%x: tensor<?x8xf32>, %cache: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %y = nstf.kv_append %x, %cache : (tensor<?x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
  nstf.return %y : tensor<32x8xf32>
}
nstf.graph @input(%x: tensor<?x8xf32> {nstf.name = "x"}, %c: tensor<32x8xf32> {nstf.name = "c"}) attributes {context = 32 : i64} {
  // expected-error @+1 {{expected operand 1, which is written in place, to be a state}}
  %y = nstf.step @append(%x, %c) : (tensor<?x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
  nstf.return
}

// -----

nstf.state @cache : tensor<32x8xf32>
nstf.kernel @append(%x: tensor<?x8xf32>, %cache: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %y = nstf.kv_append %x, %cache : (tensor<?x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
  nstf.return %y : tensor<32x8xf32>
}
nstf.graph @needed(%x: tensor<?x8xf32> {nstf.name = "x"}) attributes {context = 32 : i64} {
  %c = nstf.get @cache : tensor<32x8xf32>
  // expected-error @+1 {{expected operand 1, which is written in place, to have no other use}}
  %0 = nstf.step @append(%x, %c) : (tensor<?x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
  // expected-note @+1 {{other use}}
  %1 = nstf.step @append(%x, %c) : (tensor<?x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
  nstf.return
}
