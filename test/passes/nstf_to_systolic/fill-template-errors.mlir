// Remarks and errors of nstf-to-systolic-fill-template.
// RUN: nstf-opt %s -split-input-file -nstf-to-systolic-fill-template --remark-format=emitRemark --remarks-filter=nstf-.* -verify-diagnostics -o /dev/null

module attributes {nstf.max_tokens = 4 : i64} {
  systolic.kernel @softmax(%x: memref<8x8xf32, #systolic.axes<M, N>>, %y: memref<8x8xf32, #systolic.axes<M, N>>, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, y, control]>, params = {M = 8, N = 8, ROWS = 0}, grid = []} {
    systolic.return
  }
  // expected-remark @+1 {{[Passed] Template | Category:nstf-to-systolic-fill-template | Function=softmax_0 | Remark="template softmax"}}
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

// expected-error @+1 {{expected one nstf.kernel and one systolic.kernel in the module but got 1 and 0}}
module attributes {nstf.max_tokens = 4 : i64} {
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

// expected-error @+1 {{expected nstf.max_tokens on the module but got none}}
module {
  systolic.kernel @softmax(%work: index) attributes {params = {}, grid = []} {
    systolic.return
  }
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  func.func private @epilogue(%tile: tensor<4x8xf32, #systolic.axes<BM, BN>>, %m0: index, %n0: index) -> tensor<4x8xf32, #systolic.axes<BM, BN>> {
    return %tile : tensor<4x8xf32, #systolic.axes<BM, BN>>
  }
  // expected-error @+1 {{expected a template with a control block, which has the step's position}}
  systolic.kernel @elementwise(%x: memref<8x8xf32, #systolic.axes<MX, N>>, %y: memref<8x8xf32, #systolic.axes<M, N>>, %work: index)
      attributes {launch = #systolic.launch<[x, y]>, params = {M = 8, MX = 8, N = 8, ROWS = 0}, grid = []} {
    systolic.return
  }
  nstf.kernel @add_positions_0(%x: tensor<?x8xf32>, %t: tensor<16x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.add_positions %x, %t : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  systolic.kernel @rope(%work: index) attributes {params = {}, grid = []} {
    systolic.return
  }
  nstf.kernel @rope_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    // expected-error @+1 {{expected a table (nstf-materialize-rope-tables) but got none}}
    %y = nstf.rope %x {head_size = 8 : i64, inv_freq = array<f64: 1.0>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  systolic.kernel @nothing(%work: index) attributes {params = {}, grid = []} {
    systolic.return
  }
  // expected-error @+1 {{expected an operation with a kernel template but got nstf.return}}
  nstf.kernel @nothing_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    nstf.return %x : tensor<?x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  // expected-error @+1 {{expected the template to have parameter N}}
  systolic.kernel @softmax(%work: index) attributes {params = {M = 8, ROWS = 0}, grid = []} {
    systolic.return
  }
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  // expected-error @+1 {{expected tuning to name an integer parameter of the template but got BK}}
  systolic.kernel @softmax(%work: index) attributes {params = {M = 8, N = 8, ROWS = 0}, grid = []} {
    systolic.return
  }
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {nstf.tuning = {BK = 8}} {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  // expected-error @+1 {{expected tuning to name an integer parameter of the template but got N}}
  systolic.kernel @softmax(%work: index) attributes {params = {M = 8, N = 8, ROWS = 0}, grid = []} {
    systolic.return
  }
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {nstf.tuning = {N = "eight"}} {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  systolic.kernel @softmax(%work: index) attributes {params = {M = 8, N = 8, BM = 4, ROWS = 0}, grid = ["M", "BM"]} {
    systolic.return
  }
  // expected-error @+1 {{expected tuning to make BM, a tile, at least 1 but got 0}}
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {nstf.tuning = {BM = 0}} {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  // expected-error @+1 {{expected buffer x for an argument or a result of the nstf.kernel}}
  systolic.kernel @softmax(%y: memref<8x8xf32, #systolic.axes<M, N>>, %work: index)
      attributes {launch = #systolic.launch<[y]>, params = {M = 8, N = 8, ROWS = 0}, grid = []} {
    systolic.return
  }
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  // expected-error @+1 {{expected a buffer y in the template}}
  systolic.kernel @softmax(%x: memref<8x8xf32, #systolic.axes<M, N>>, %work: index)
      attributes {launch = #systolic.launch<[x]>, params = {M = 8, N = 8, ROWS = 0}, grid = []} {
    systolic.return
  }
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  systolic.kernel @softmax(%x: memref<8x8xf32, #systolic.axes<M, N>>, %y: memref<8x8xf32, #systolic.axes<M, N>>, %work: index)
      attributes {launch = #systolic.launch<[x, y]>, params = {M = 8, N = 8, ROWS = 0}, grid = []} {
    systolic.return
  }
  // expected-error @+1 {{expected a template with a slot @epilogue but got softmax}}
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.softmax %x : tensor<?x8xf32>
    %z = nstf.silu %y : tensor<?x8xf32>
    nstf.return %z : tensor<?x8xf32>
  }
}

// -----

// The slot gets one tile of the anchor's result, and the operand of the anchor that it reads has other columns.
module attributes {nstf.max_tokens = 4 : i64} {
  func.func private @epilogue(%tile: tensor<4x8xf32, #systolic.axes<BM, BN>>, %m0: index, %n0: index) -> tensor<4x8xf32, #systolic.axes<BM, BN>> {
    return %tile : tensor<4x8xf32, #systolic.axes<BM, BN>>
  }
  systolic.kernel @kv_append(%x: memref<8x8xf32, #systolic.axes<M, N>>, %y: memref<8x8xf32, #systolic.axes<L, N>>, %work: index)
      attributes {launch = #systolic.launch<[x, y]>, params = {M = 8, L = 8, N = 8, C = 8, D = 8, DS = 8, YR = 8, YC = 8, ORDER = 0, PADDED = 0, ROWS = 0}, grid = []} {
    systolic.return
  }
  nstf.kernel @append(%x: tensor<?x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
    %y = nstf.kv_append %x, %c : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %p = nstf.softmax %y : tensor<16x8xf32>
    // expected-error @+1 {{expected operands that the slot of the kernel's template can see}}
    %z = nstf.silu %p : tensor<16x8xf32>
    nstf.return %z : tensor<16x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  // expected-error @+1 {{expected the template to name its buffers in launch but got none}}
  systolic.kernel @softmax(%x: memref<8x8xf32, #systolic.axes<M, N>>, %work: index) attributes {params = {M = 8, N = 8, ROWS = 0}, grid = []} {
    systolic.return
  }
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  // expected-error @+1 {{expected all buffers bound or none but got 'x', which is, and 'w', which is not}}
  systolic.kernel @softmax(%x: memref<8x8xf32, #systolic.axes<M, N>>, %w: memref<8x8xf32, #systolic.axes<M, N>>, %y: memref<8x8xf32, #systolic.axes<M, N>>, %work: index)
      attributes {launch = #systolic.launch<[x, w, y]>, params = {M = 8, N = 8, ROWS = 0}, grid = []} {
    systolic.return
  }
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

// A template for codes of rows needs a loop along the rows that stores them.
module attributes {nstf.max_tokens = 4 : i64} {
  // expected-error @+1 {{expected a template that stores rows of f32 in a loop along them, which are to be codes}}
  systolic.kernel @l2_normalize(%x: memref<8x8xf32, #systolic.axes<M, N>>, %y: memref<8x8xf32, #systolic.axes<M, N>>, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, y, control]>, params = {M = 8, N = 8, ROWS = 0, EPS = 1.0 : f32}, grid = []} {
    systolic.return
  }
  nstf.kernel @l2_normalize_quantize_0(%x: tensor<?x8xf32>) -> (tensor<?x8xi8>, tensor<?x1xf32>) {
    %y = nstf.l2_normalize %x {eps = 1.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %q, %s = nstf.quantize %y {type = i8, group = 8 : i64} : tensor<?x8xf32> -> tensor<?x8xi8>, tensor<?x1xf32>
    nstf.return %q, %s : tensor<?x8xi8>, tensor<?x1xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 4 : i64} {
  systolic.kernel @softmax(%x: memref<8x8xf32, #systolic.axes<M, N>>, %y: memref<8x8xf32, #systolic.axes<M, N>>, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, y, control]>, params = {M = 8, N = 8, ROWS = 0}, grid = []} {
    systolic.return
  }
  // expected-error @+1 {{expected a #systolic.schedule of tuning but got "merged"}}
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {nstf.schedule = "merged"} {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

// The fields of tuning and template contradict each other.
module attributes {nstf.max_tokens = 4 : i64} {
  systolic.kernel @softmax(%x: memref<8x8xf32, #systolic.axes<M, N>>, %y: memref<8x8xf32, #systolic.axes<M, N>>, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, y, control]>, params = {M = 8, N = 8, ROWS = 0}, grid = [],
                  schedule = #systolic.schedule<order = turns>} {
    systolic.return
  }
  // expected-error @+1 {{expected falling priorities of a merged order but got them of turns}}
  nstf.kernel @softmax_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {nstf.schedule = #systolic.schedule<priorities = falling>} {
    %y = nstf.softmax %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}
