// Tensor code that the generic template does not compute is one error at the op.
// RUN: nstf-opt %s -split-input-file -nstf-normalize-tensor-ops -nstf-form-tensor-kernels -verify-diagnostics

nstf.graph @foreign(%x: tensor<4xf32> {nstf.name = "x"}) -> (tensor<4xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-error @+1 {{expected an op of the nstf dialect, or tensor code that the generic kernel template computes}}
  %y = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  nstf.return %y : tensor<4xf32>
}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

// -----

nstf.graph @function(%x: tensor<4xf32> {nstf.name = "x"}) -> (tensor<4xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-error @+1 {{'math.atan' op expected an arith or math op that the generic kernel template computes}}
  %y = math.atan %x : tensor<4xf32>
  nstf.return %y : tensor<4xf32>
}

// -----

nstf.graph @branch(%x: tensor<4xf32> {nstf.name = "x"}) -> (tensor<4xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) (%p: f32, %o: f32) {
    %1 = arith.cmpf ogt, %p, %zero : f32
    // expected-error @+1 {{'scf.if' op expected an arith or math op that the generic kernel template computes}}
    %2 = scf.if %1 -> f32 {
      %3 = arith.addf %p, %p : f32
      scf.yield %3 : f32
    } else {
      scf.yield %p : f32
    }
    linalg.yield %2 : f32
  }
  nstf.return %y : tensor<4xf32>
}

// -----

nstf.graph @type(%x: tensor<4xf32> {nstf.name = "x"}) -> (tensor<4xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-error @+1 {{expected ranked tensors of f32, f16, bf16, i32, i1 or index but got 'tensor<4xf64>'}}
  %d = arith.extf %x : tensor<4xf32> to tensor<4xf64>
  %e = math.exp %d : tensor<4xf64>
  %y = arith.truncf %e : tensor<4xf64> to tensor<4xf32>
  nstf.return %y : tensor<4xf32>
}

// -----

nstf.graph @scalar_type(%x: tensor<4xf32> {nstf.name = "x"}) -> (tensor<4xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) (%p: f32, %o: f32) {
    // expected-error @+1 {{expected scalars of f32, f16, bf16, i32, i1 or index in tensor code but got 'i64'}}
    %1 = arith.fptosi %p : f32 to i64
    %2 = arith.sitofp %1 : i64 to f32
    linalg.yield %2 : f32
  }
  nstf.return %y : tensor<4xf32>
}

// -----

nstf.graph @bits(%x: tensor<4xf16> {nstf.name = "x"}) -> (tensor<4xf16> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %e = tensor.empty() : tensor<4xf16>
  %y = linalg.map ins(%x : tensor<4xf16>) outs(%e : tensor<4xf16>) (%p: f16, %o: f16) {
    // expected-error @+1 {{expected a bitcast between f32 and i32 but got 'f16'}}
    %1 = arith.bitcast %p : f16 to bf16
    %2 = arith.bitcast %1 : bf16 to f16
    linalg.yield %2 : f16
  }
  nstf.return %y : tensor<4xf16>
}

// -----

nstf.graph @data_dependent(%x: tensor<8xf32> {nstf.name = "x"}, %n: tensor<1xi32> {nstf.name = "n"}) -> (tensor<?xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %c0 = arith.constant 0 : index
  %i = tensor.extract %n[%c0] : tensor<1xi32>
  // expected-note @+1 {{computed here: shapes that depend on data have no kernel template}}
  %size = arith.index_cast %i : i32 to index
  // expected-error @+1 {{expected dynamic sizes to be the tokens of the step (the size of a `?`)}}
  %y = tensor.extract_slice %x[0] [%size] [1] : tensor<8xf32> to tensor<?xf32>
  nstf.return %y : tensor<?xf32>
}

// -----

nstf.graph @loops(%x: tensor<4x8xf32> {nstf.name = "x"}, %z: tensor<?x8xf32> {nstf.name = "z"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-error @+1 {{expected operands of one size along loop 0 but got 4 and ?}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%z : tensor<?x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.addf %p, %o : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

nstf.graph @result_map(%x: tensor<4x8xf32> {nstf.name = "x"}) -> (tensor<4x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %e = tensor.empty() : tensor<4x8xf32>
  // expected-error @+1 {{expected each result's indexing map to be a projected permutation but got affine_map<(d0, d1) -> (d0, -d1 + 7)>}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 7 - d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  nstf.return %y : tensor<4x8xf32>
}

// -----

nstf.graph @merged(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-error @+1 {{expected a `?` merged with dimensions of 1 only but got 'tensor<?x8xf32>'}}
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
  nstf.return %y : tensor<?xf32>
}

// -----

nstf.graph @longer(%x: tensor<?x8xf32> {nstf.name = "x"}, %z: tensor<4x8xf32> {nstf.name = "z"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-error @+1 {{expected a static size along the dimension of a concatenation but got 'tensor<?x8xf32>'}}
  %y = tensor.concat dim(0) %x, %z : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

nstf.graph @padded(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected constant padding, and none along a `?`, but got 'tensor<?x8xf32>' to 'tensor<?x8xf32>'}}
  %y = tensor.pad %x low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x8xf32> to tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

nstf.graph @cast(%x: tensor<4x8xf32> {nstf.name = "x"}, %z: tensor<?x8xf32> {nstf.name = "z"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-error @+1 {{expected an op of the nstf dialect, or tensor code that the generic kernel template computes}}
  %a = tensor.cast %x : tensor<4x8xf32> to tensor<?x8xf32>
  %y = nstf.add %a, %z : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}

// -----

nstf.graph @constants(%x: tensor<65xf32> {nstf.name = "x"}) -> (tensor<65xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-error @+1 {{expected a constant of one value, or of at most 64 elements (more belong in an nstf.weight), but got 'tensor<65xf32>'}}
  %c = arith.constant dense<"0x0000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f000000400000803f"> : tensor<65xf32>
  %y = arith.addf %x, %c : tensor<65xf32>
  nstf.return %y : tensor<65xf32>
}

// -----

nstf.graph @stored(%x: tensor<4xf32> {nstf.name = "x"}) -> (tensor<4xi1> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{expected what is stored to be f32, f16, bf16 or i32, dynamic in its leading dimension alone, but got 'tensor<4xi1>'}}
  %y = arith.cmpf olt, %x, %zero : tensor<4xf32>
  nstf.return %y : tensor<4xi1>
}

// -----

nstf.graph @empty(%x: tensor<4x0xf32> {nstf.name = "x"}) -> (tensor<4x0xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-error @+1 {{expected tensors that are not empty but got 'tensor<4x0xf32>'}}
  %y = arith.addf %x, %x : tensor<4x0xf32>
  nstf.return %y : tensor<4x0xf32>
}

// -----

nstf.graph @indices(%x: tensor<9x8xf32> {nstf.name = "x"}, %i: tensor<4x1xf32> {nstf.name = "i"}) -> (tensor<4x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %e = tensor.empty() : tensor<4x1xi1>
  %b = linalg.map ins(%i : tensor<4x1xf32>) outs(%e : tensor<4x1xi1>) (%p: f32, %o: i1) {
    %1 = arith.fptosi %p : f32 to i1
    linalg.yield %1 : i1
  }
  // expected-error @+1 {{expected indices of i32 but got 'tensor<4x1xi1>'}}
  %y = tensor.gather %x[%b] gather_dims([0]) : (tensor<9x8xf32>, tensor<4x1xi1>) -> tensor<4x8xf32>
  nstf.return %y : tensor<4x8xf32>
}
