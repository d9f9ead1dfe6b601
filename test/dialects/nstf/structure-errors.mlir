// One refusal for every numbered constraint of dialects/nstf/StructureOps.td and Attrs.td.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

// source_c1
// expected-error @+1 {{expected the path of a file but got none}}
nstf.weight @source_c1 : tensor<4xf32> from <"", offset = 0, type = f32>

// -----

// source_c2
// expected-error @+1 {{expected an offset of at least 0 but got -4}}
nstf.weight @source_c2 : tensor<4xf32> from <"a", offset = -4, type = f32>

// -----

// source_c3
// expected-error @+1 {{expected a stored type of whole bytes but got 'i4'}}
nstf.weight @source_c3 : tensor<4xf32> from <"a", offset = 0, type = i4>

// -----

// source_c4
// expected-error @+1 {{expected a stride for each of 2 sizes but got 1}}
nstf.weight @source_c4 : tensor<2x2xf32> from <"a", offset = 0, type = f32, sizes = [2, 2], strides = [1]>

// -----

// source_c4
// expected-error @+1 {{expected sizes and strides of at least 1 but got 0}}
nstf.weight @source_c4 : tensor<2x2xf32> from <"a", offset = 0, type = f32, sizes = [2, 2], strides = [1, 0]>

// -----

// source_c5
// expected-error @+1 {{expected a view that ends within 2^63 bytes}}
nstf.weight @source_c5 : tensor<2x2xf32> from <"a", offset = 0, type = f32, sizes = [2, 2], strides = [1, 4611686018427387904]>

// -----

// weight_c4
// expected-error @+1 {{expected a view of as many elements as 'tensor<2x2xf32>' but got one of [2, 3]}}
nstf.weight @weight_c4 : tensor<2x2xf32> from <"a", offset = 0, type = f32, sizes = [2, 3], strides = [3, 1]>

// -----

// rope_table_c1
// expected-error @+1 {{expected at least one frequency but got none}}
nstf.weight @rope_table_c1 : tensor<4x2xf32> computed <inv_freq = [], scale = 1.0>

// -----

// rope_table_c1
// expected-error @+1 {{expected finite frequencies but got INF}}
nstf.weight @rope_table_c1 : tensor<4x2xf32> computed <inv_freq = [1.0e400], scale = 1.0>

// -----

// rope_table_c2
// expected-error @+1 {{expected a finite f64 scale but got 0x7FF0000000000000 : f64}}
nstf.weight @rope_table_c2 : tensor<4x2xf32> computed <inv_freq = [1.0], scale = 1.0e400>

// -----

// weight_c1
// expected-error @+1 {{expected a static type but got 'tensor<?xf32>'}}
nstf.weight @weight_c1 : tensor<?xf32>

// -----

// weight_c2
// expected-error @+1 {{expected at most one of 'from', 'computed' and 'plane' but got 2}}
nstf.weight @weight_c2 : tensor<4x2xf32> from <"a", offset = 0, type = f32> computed <inv_freq = [1.0], scale = 1.0>

// -----

// weight_c3
// expected-error @+1 {{expected a float tensor of 2 columns but got 'tensor<4x4xf32>'}}
nstf.weight @weight_c3 : tensor<4x4xf32> computed <inv_freq = [1.0], scale = 1.0>

// -----

// state_c1
// expected-error @+1 {{expected a static type but got 'tensor<?x4xf32>'}}
nstf.state @state_c1 : tensor<?x4xf32>

// -----

// graph_c1
// expected-error @+1 {{expected a body of one block but got 0}}
nstf.graph @graph_c1(tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<?x4xf32> {nstf.name = "y"}) attributes {context = 8 : i64}

// -----

// graph_c2: no name
// expected-error @+1 {{expected 'nstf.name' on argument 0}}
nstf.graph @graph_c2(%x: tensor<?x4xf32>) -> (tensor<?x4xf32> {nstf.name = "y"}) attributes {context = 8 : i64} {
  nstf.return %x : tensor<?x4xf32>
}

// -----

// graph_c2: the same name twice
// expected-error @+1 {{expected results of different names but got 'y' twice}}
nstf.graph @graph_c2(%x: tensor<?x4xf32> {nstf.name = "x"})
    -> (tensor<?x4xf32> {nstf.name = "y"}, tensor<?x4xf32> {nstf.name = "y"}) attributes {context = 8 : i64} {
  nstf.return %x, %x : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// graph_c3
// expected-error @+1 {{expected argument 0 to be a ranked tensor, static but for its leading dimension, but got 'tensor<4x?xf32>'}}
nstf.graph @graph_c3(%x: tensor<4x?xf32> {nstf.name = "x"}) attributes {context = 8 : i64} {
  nstf.return
}

// -----

// graph_c4
// expected-error @+1 {{expected a context of at least 1 but got 0}}
nstf.graph @graph_c4() attributes {context = 0 : i64} {
  nstf.return
}

// -----

// graph_c5: the old value of a cache is gone
nstf.state @cache : tensor<8x4xf32>
nstf.graph @graph_c5(%x: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<?x4xf32> {nstf.name = "y"}) attributes {context = 8 : i64} {
  %c = nstf.get @cache : tensor<8x4xf32>
  // expected-error @+1 {{expected the cache, which is written in place, to have no other use}}
  %new = nstf.kv_append %x, %c : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  // expected-note @+1 {{other use}}
  %y = nstf.attention %x, %c, %c {heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  nstf.return %y : tensor<?x4xf32>
}

// -----

// graph_c5: nor can a second get see it
nstf.state @cache : tensor<8x4xf32>
nstf.graph @graph_c5(%x: tensor<?x4xf32> {nstf.name = "x"}) -> (tensor<?x4xf32> {nstf.name = "y"}) attributes {context = 8 : i64} {
  %c = nstf.get @cache : tensor<8x4xf32>
  // expected-note @+1 {{other use}}
  %d = nstf.get @cache : tensor<8x4xf32>
  // expected-error @+1 {{expected the cache, which is written in place, to have no other use}}
  %new = nstf.kv_append %x, %c : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = nstf.attention %x, %new, %d {heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 1.0 : f64}
      : (tensor<?x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  nstf.return %y : tensor<?x4xf32>
}

// -----

// graph_c5: there must be storage to write to
nstf.graph @graph_c5(%x: tensor<8x4xf32> {nstf.name = "x"}) attributes {context = 8 : i64} {
  %c = nstf.silu %x : tensor<8x4xf32>
  // expected-error @+1 {{expected a state or an argument as cache but got the result of nstf.silu}}
  %new = nstf.kv_append %x, %c : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  nstf.return
}

// -----

// graph_c6
nstf.graph @first() attributes {context = 8 : i64} {
  nstf.return
}
// expected-error @+1 {{expected one graph in a module but got a second}}
nstf.graph @graph_c6() attributes {context = 8 : i64} {
  nstf.return
}

// -----

// graph_c7
// expected-error @+1 {{expected at least 1 request but got 0}}
nstf.graph @graph_c7() attributes {context = 8 : i64, requests = 0 : i64} {
  nstf.return
}

// -----

// kernel_c1
// expected-error @+1 {{expected a body of one block but got 0}}
nstf.kernel @kernel_c1(tensor<?x4xf32>) -> tensor<?x4xf32>

// -----

// kernel_c2
nstf.weight @w : tensor<4x4xf32>
nstf.kernel @kernel_c2() -> tensor<4x4xf32> {
  // expected-error @+1 {{'nstf.get' op expects parent op 'nstf.graph'}}
  %w = nstf.get @w : tensor<4x4xf32>
  nstf.return %w : tensor<4x4xf32>
}

// -----

// kernel_c3
// expected-error @+1 {{expected result 0 to be a ranked tensor, static but for its leading dimension, but got 'tensor<4x?xf32>'}}
nstf.kernel @kernel_c3(%x: tensor<?xf32>) -> tensor<4x?xf32> {
  nstf.return %x : tensor<?xf32>
}

// -----

// kernel_c4
// expected-error @+1 {{expected at least one result but got none}}
nstf.kernel @kernel_c4(%x: tensor<?x4xf32>) {
  nstf.return
}

// -----

// kernel_c5
nstf.kernel @kernel_c5(%x: tensor<?x4xf32>, %c: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // expected-error @+1 {{expected the cache, which is written in place, to have no other use}}
  %new = nstf.kv_append %x, %c : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  // expected-note @+1 {{other use}}
  nstf.return %new, %c : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// get_c1: nothing of that name
nstf.graph @main() attributes {context = 8 : i64} {
  // expected-error @+1 {{expected the name of a weight or state but got @get_c1}}
  %w = nstf.get @get_c1 : tensor<4x4xf32>
  nstf.return
}

// -----

// get_c1: something else of that name
// expected-note @+1 {{which is this}}
nstf.graph @main() attributes {context = 8 : i64} {
  // expected-error @+1 {{expected the name of a weight or state but got @main}}
  %w = nstf.get @main : tensor<4x4xf32>
  nstf.return
}

// -----

// get_c2
// expected-note @+1 {{declared here}}
nstf.weight @w : tensor<4x4xf32>
nstf.graph @main() attributes {context = 8 : i64} {
  // expected-error @+1 {{expected the type 'tensor<4x4xf32>' but got 'tensor<4x8xf32>'}}
  %w = nstf.get @w : tensor<4x8xf32>
  nstf.return
}

// -----

// get_c3
nstf.weight @w : tensor<8x4xf32>
nstf.graph @main(%x: tensor<?x4xf32> {nstf.name = "x"}) attributes {context = 8 : i64} {
  %w = nstf.get @w : tensor<8x4xf32>
  // expected-error @+1 {{expected a state as cache but got the weight @w}}
  %new = nstf.kv_append %x, %w : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  nstf.return
}

// -----

// step_c1
nstf.graph @main(%x: tensor<?x4xf32> {nstf.name = "x"}) attributes {context = 8 : i64} {
  // expected-error @+1 {{expected the name of a kernel but got @step_c1}}
  %y = nstf.step @step_c1(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  nstf.return
}

// -----

// step_c2
// expected-note @+1 {{declared here}}
nstf.kernel @k(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  nstf.return %x : tensor<?x4xf32>
}
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) attributes {context = 8 : i64} {
  // expected-error @+1 {{expected the type '(tensor<?x4xf32>) -> tensor<?x4xf32>' but got '(tensor<?x8xf32>) -> tensor<?x8xf32>'}}
  %y = nstf.step @k(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  nstf.return
}

// -----

// step_c3: as many as results
nstf.kernel @k(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  nstf.return %x : tensor<?x4xf32>
}
nstf.graph @main(%x: tensor<?x4xf32> {nstf.name = "x"}) attributes {context = 8 : i64} {
  // expected-error @+1 {{expected 1 offsets but got 2}}
  %y = nstf.step @k(%x) {offsets = array<i64: 0, 256>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  nstf.return
}

// -----

// step_c3: -1 or a place
nstf.kernel @k(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  nstf.return %x : tensor<?x4xf32>
}
nstf.graph @main(%x: tensor<?x4xf32> {nstf.name = "x"}) attributes {context = 8 : i64} {
  // expected-error @+1 {{expected offsets of at least -1 but got -2}}
  %y = nstf.step @k(%x) {offsets = array<i64: -2>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  nstf.return
}

// -----

// return_c1
// expected-note @+1 {{declared here}}
nstf.kernel @return_c1(%x: tensor<?x4xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{expected the types 'tensor<?x8xf32>' but got 'tensor<?x4xf32>'}}
  nstf.return %x : tensor<?x4xf32>
}

// -----

// Attributes of the dialect stand where it says, and nowhere else.
// expected-error @+1 {{expected 'nstf.model' to be a dictionary but got "llama"}}
module attributes {nstf.model = "llama"} {
}

// -----

// expected-error @+1 {{expected 'nstf.max_tokens' to be a count of type i64 but got 0 : i64}}
module attributes {nstf.max_tokens = 0 : i64} {
}

// -----

func.func @misplaced(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{expected 'nstf.arena_size' on a graph only}}
  %y = nstf.silu %x {nstf.arena_size = 4 : i64} : tensor<?x4xf32>
  return
}

// -----

// expected-error @+1 {{expected a name as 'nstf.name' of argument 0 but got 3 : i64}}
nstf.graph @name(%x: tensor<?x4xf32> {nstf.name = 3 : i64}) attributes {context = 8 : i64} {
  nstf.return
}
