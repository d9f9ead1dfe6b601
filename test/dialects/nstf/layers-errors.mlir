// One refusal for every numbered constraint of dialects/nstf/LayerOps.td.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

func.func @embedding_c1(%ids: tensor<?xi32>, %table: tensor<512x64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<?x64xf32>' are incompatible with return type(s) of operation 'tensor<?x32xf32>'}}
  %x = nstf.embedding %ids, %table : (tensor<?xi32>, tensor<512x64xf32>) -> tensor<?x32xf32>
  return
}

// -----

func.func @embedding_ids(%ids: tensor<?xi64>, %table: tensor<512x64xf32>) {
  // expected-error @+1 {{operand #0 must be [rows] tensor of i32, but got 'tensor<?xi64>'}}
  %x = nstf.embedding %ids, %table : (tensor<?xi64>, tensor<512x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @linear_c1(%x: tensor<?x64xf32>, %w: tensor<172x32xf32>) {
  // expected-error @+1 {{expected K of x and w to be equal but got 64 and 32}}
  %y = nstf.linear %x, %w : (tensor<?x64xf32>, tensor<172x32xf32>) -> tensor<?x172xf32>
  return
}

// -----

func.func @linear_c2(%x: tensor<?x64xf32>, %w: tensor<172x64xf32>, %bias: tensor<64xf32>) {
  // expected-error @+1 {{expected a bias of type 'tensor<172xf32>' but got 'tensor<64xf32>'}}
  %y = nstf.linear %x, %w, %bias : (tensor<?x64xf32>, tensor<172x64xf32>, tensor<64xf32>) -> tensor<?x172xf32>
  return
}

// -----

func.func @linear_c3(%x: tensor<?x64xf32>, %w: tensor<172x64xf16>) {
  // expected-error @+1 {{expected x and w of one element type but got 'f32' and 'f16'}}
  %y = nstf.linear %x, %w : (tensor<?x64xf32>, tensor<172x64xf16>) -> tensor<?x172xf32>
  return
}

// -----

func.func @linear_c4(%x: tensor<?x64xf32>, %w: tensor<172x64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<?x172xf32>' are incompatible with return type(s) of operation 'tensor<8x172xf32>'}}
  %y = nstf.linear %x, %w : (tensor<?x64xf32>, tensor<172x64xf32>) -> tensor<8x172xf32>
  return
}

// -----

func.func @linear_c4_i8(%x: tensor<?x64xi8>, %w: tensor<172x64xi8>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<?x172xi32>' are incompatible with return type(s) of operation 'tensor<?x172xf32>'}}
  %y = nstf.linear %x, %w : (tensor<?x64xi8>, tensor<172x64xi8>) -> tensor<?x172xf32>
  return
}

// -----

func.func @linear_c5(%x: tensor<?x64xi8>, %w: tensor<172x64xi8>, %bias: tensor<172xf32>) {
  // expected-error @+1 {{expected no bias with operands of 'i8'}}
  %y = nstf.linear %x, %w, %bias : (tensor<?x64xi8>, tensor<172x64xi8>, tensor<172xf32>) -> tensor<?x172xi32>
  return
}

// -----

func.func @linear_x(%x: tensor<?x64xf8E5M2FNUZ>, %w: tensor<172x64xf8E5M2FNUZ>) {
  // expected-error @+1 {{operand #0 must be [rows, features] tensor of f32, f16, bf16, f8E4M3FNUZ or i8 with static features, but got 'tensor<?x64xf8E5M2FNUZ>'}}
  %y = nstf.linear %x, %w : (tensor<?x64xf8E5M2FNUZ>, tensor<172x64xf8E5M2FNUZ>) -> tensor<?x172xf32>
  return
}

// -----

func.func @linear_c3_bias(%x: tensor<?x64xf16>, %w: tensor<172x64xf16>, %bias: tensor<172xf16>) {
  // expected-error @+1 {{operand #2 must be static [features] tensor of f32, but got 'tensor<172xf16>'}}
  %y = nstf.linear %x, %w, %bias : (tensor<?x64xf16>, tensor<172x64xf16>, tensor<172xf16>) -> tensor<?x172xf32>
  return
}

// -----

func.func @linear_c3_result(%x: tensor<?x64xf16>, %w: tensor<172x64xf16>) {
  // expected-error @+1 {{result #0 must be [rows, features] tensor of f32 or i32 with static features, but got 'tensor<?x172xf16>'}}
  %y = nstf.linear %x, %w : (tensor<?x64xf16>, tensor<172x64xf16>) -> tensor<?x172xf16>
  return
}

// -----

func.func @linear_features(%x: tensor<?x?xf32>, %w: tensor<172x64xf32>) {
  // expected-error @+1 {{operand #0 must be [rows, features] tensor of f32, f16, bf16, f8E4M3FNUZ or i8 with static features, but got 'tensor<?x?xf32>'}}
  %y = nstf.linear %x, %w : (tensor<?x?xf32>, tensor<172x64xf32>) -> tensor<?x172xf32>
  return
}

// -----

func.func @softmax_c1(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{all of {x, result} have same type}}
  %y = "nstf.softmax"(%x) : (tensor<?x64xf32>) -> tensor<?x32xf32>
  return
}

// -----

func.func @argmax_c1(%x: tensor<?x64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<?xi32>' are incompatible with return type(s) of operation 'tensor<1xi32>'}}
  %y = nstf.argmax %x : (tensor<?x64xf32>) -> tensor<1xi32>
  return
}

// -----

func.func @add_positions_c1(%x: tensor<?x64xf32>, %table: tensor<16x32xf32>) {
  // expected-error @+1 {{expected a table of 64 columns but got 32}}
  %y = nstf.add_positions %x, %table : (tensor<?x64xf32>, tensor<16x32xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @add_positions_c2(%x: tensor<?x64xf32>, %table: tensor<16x64xf32>) {
  // expected-error @+1 {{expected an offset of at least 0 but got -1}}
  %y = nstf.add_positions %x, %table {offset = -1 : i64} : (tensor<?x64xf32>, tensor<16x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

nstf.weight @table : tensor<17x64xf32>
nstf.graph @add_positions_c3(%x: tensor<?x64xf32> {nstf.name = "x"}) -> (tensor<?x64xf32> {nstf.name = "y"})
    attributes {context = 16 : i64} {
  %table = nstf.get @table : tensor<17x64xf32>
  // expected-error @+1 {{expected a table with a row for each of 16 positions from row 2 on but got 17 rows}}
  %y = nstf.add_positions %x, %table {offset = 2 : i64} : (tensor<?x64xf32>, tensor<17x64xf32>) -> tensor<?x64xf32>
  nstf.return %y : tensor<?x64xf32>
}

// -----

func.func @add_positions_c4(%x: tensor<?x64xf32>, %table: tensor<16x64xf16>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<?x64xf32>' are incompatible with return type(s) of operation 'tensor<16x64xf32>'}}
  %y = nstf.add_positions %x, %table : (tensor<?x64xf32>, tensor<16x64xf16>) -> tensor<16x64xf32>
  return
}
