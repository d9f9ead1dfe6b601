// Each numbered constraint of #systolic.launch, of the kernels that carry it, and of #systolic.geometry is violated
// once. Names are the constraints' numbers.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a name for every argument but got none}}
func.func private @launch_c1_none() attributes {a = #systolic.launch<["" = operand 0]>}

// -----

// expected-error @+1 {{expected arguments of different names but got 'x' twice}}
func.func private @launch_c1_twice() attributes {a = #systolic.launch<[x = operand 0, x = operand 1]>}

// -----

// expected-error @+1 {{expected arguments of different names but got 'control' twice}}
func.func private @launch_c1_control() attributes {a = #systolic.launch<[control, x, control]>}

// -----

// expected-error @+1 {{expected all buffers bound or none but got 'x', which is, and 'w', which is not}}
func.func private @launch_c2() attributes {a = #systolic.launch<[x = operand 0, w, control]>}

// -----

// expected-error @+1 {{expected result 0, which is written, in one argument but got it in 'y' and 'z'}}
func.func private @launch_c3_result() attributes {a = #systolic.launch<[y = result 0, z = result 0]>}

// -----

// expected-error @+1 {{expected operand 1, which is written, in one argument but got it in 'y' and 'x'}}
func.func private @launch_c3_in_place() attributes {a = #systolic.launch<[x = operand 1, y = operand 1 in_place]>}

// -----

// An operand that is only read may be passed twice, and results are numbered separately.
func.func private @launch_c3_read() attributes {a = #systolic.launch<[x = operand 0, w = operand 0, y = result 0]>}

// -----

// expected-error @+1 {{expected at least 1 for each token in "M" but got 0 : i64}}
func.func private @launch_c4() attributes {a = #systolic.launch<[x = operand 0], per_token = {M = 0}>}

// -----

// expected-error @+1 {{expected at least 1 for each token in "M" but got "one"}}
func.func private @launch_c4_text() attributes {a = #systolic.launch<[x = operand 0], per_token = {M = "one"}>}

// -----

// expected-error @+1 {{expected operand or result of a buffer, scratch, zeros or none, but got weight of 'x'}}
func.func private @kind() attributes {a = #systolic.launch<[x = weight 0]>}

// -----

// expected-error @+1 {{expected operand or result of a buffer, scratch, zeros or none, but got operand of 'control'}}
func.func private @control() attributes {a = #systolic.launch<[control = operand 0]>}

// -----

!X = memref<64xf32, #systolic.axes<N>>
// expected-error @+1 {{expected launch to have an entry for each of 2 buffers and control blocks but got 1}}
systolic.kernel @kernel_c8(%X: !X, %control: !systolic.control, %work: index)
    attributes {launch = #systolic.launch<[x]>, params = {}, grid = []} {
  systolic.return
}

// -----

!X = memref<64xf32, #systolic.axes<N>>
// expected-error @+1 {{expected launch to say control of a control block, and of no buffer, but got 'control' for argument 0}}
systolic.kernel @kernel_c8_order(%X: !X, %control: !systolic.control, %work: index)
    attributes {launch = #systolic.launch<[control, x]>, params = {}, grid = []} {
  systolic.return
}

// -----

!X = memref<64xf32, #systolic.axes<N>>
// expected-error @+1 {{expected launch to name a parameter in per_token but got "M"}}
systolic.kernel @kernel_c9(%X: !X, %work: index)
    attributes {launch = #systolic.launch<[x = operand 0], per_token = {M = 1}>, params = {N = 64}, grid = []} {
  systolic.return
}

// -----

// On lower levels every argument belongs to the launch.
gpu.module @lower {
  // expected-error @+1 {{expected 'systolic.launch' to have an entry for each of 2 arguments but got 1}}
  gpu.func @few(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {systolic.launch = #systolic.launch<[x = operand 0]>} {
    gpu.return
  }
}

// -----

// expected-error @+1 {{expected a #systolic.launch on a function as 'systolic.launch' but got "x"}}
func.func private @lower_text() attributes {systolic.launch = "x"}

// -----

// Besides a function, a symbol table may have the attribute, for the kernel in it.
module attributes {systolic.launch = #systolic.launch<[x = operand 0]>} {
  // expected-error @+1 {{expected a #systolic.launch on a function as 'systolic.launch' but got #systolic.launch<[x = operand 0]>}}
  %c0 = arith.constant {systolic.launch = #systolic.launch<[x = operand 0]>} 0 : i32
}

// -----

// expected-error @+1 {{expected grid to be pairs of an extent and a tile but got 1 entries}}
func.func private @geometry_c1_pairs() attributes {a = #systolic.geometry<launch = #systolic.launch<[x = operand 0]>, grid = ["M"], params = {M = 64}, array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>, waveSize = 64, readsTokens = false, readsPosition = false>}

// -----

// expected-error @+1 {{expected an extent in grid to be a parameter of at least 1 but got "N"}}
func.func private @geometry_c1_extent() attributes {a = #systolic.geometry<launch = #systolic.launch<[x = operand 0]>, grid = ["N", 16], params = {M = 64}, array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>, waveSize = 64, readsTokens = false, readsPosition = false>}

// -----

// expected-error @+1 {{expected an extent in grid to be a parameter of at least 1 but got "M"}}
func.func private @geometry_c1_extent_of_nothing() attributes {a = #systolic.geometry<launch = #systolic.launch<[x = operand 0]>, grid = ["M", 16], params = {M = 0}, array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>, waveSize = 64, readsTokens = false, readsPosition = false>}

// -----

// expected-error @+1 {{expected an extent in grid to be a parameter of at least 1 but got 64 : i64}}
func.func private @geometry_c1_extent_number() attributes {a = #systolic.geometry<launch = #systolic.launch<[x = operand 0]>, grid = [64, 16], params = {M = 64}, array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>, waveSize = 64, readsTokens = false, readsPosition = false>}

// -----

// expected-error @+1 {{expected a tile in grid to be a number of at least 1 but got 0 : i64}}
func.func private @geometry_c1_tile() attributes {a = #systolic.geometry<launch = #systolic.launch<[x = operand 0]>, grid = ["M", 0], params = {M = 64}, array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>, waveSize = 64, readsTokens = false, readsPosition = false>}

// -----

// expected-error @+1 {{expected a tile in grid to be a number of at least 1 but got "M"}}
func.func private @geometry_c1_tile_name() attributes {a = #systolic.geometry<launch = #systolic.launch<[x = operand 0]>, grid = ["M", "M"], params = {M = 64}, array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>, waveSize = 64, readsTokens = false, readsPosition = false>}

// -----

// expected-error @+1 {{expected per_token to list parameters of at least 1 but got "N"}}
func.func private @geometry_c2() attributes {a = #systolic.geometry<launch = #systolic.launch<[x = operand 0], per_token = {N = 1}>, grid = ["M", 16], params = {M = 64}, array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>, waveSize = 64, readsTokens = false, readsPosition = false>}

// -----

// expected-error @+1 {{expected a wave size of 32 or 64 but got 48}}
func.func private @geometry_c3() attributes {a = #systolic.geometry<launch = #systolic.launch<[x = operand 0]>, grid = ["M", 16], params = {M = 64}, array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>, waveSize = 48, readsTokens = false, readsPosition = false>}

// -----

// expected-error @+1 {{expected at least 1 crew but got 0}}
func.func private @geometry_c5() attributes {a = #systolic.geometry<launch = #systolic.launch<[x = operand 0]>, grid = ["M", 16], params = {M = 64}, array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>, waveSize = 64, readsTokens = false, readsPosition = false, crews = 0>}

// -----

// expected-error @+1 {{expected at least 1 request but got 0}}
func.func private @geometry_c6() attributes {a = #systolic.geometry<launch = #systolic.launch<[x = operand 0]>, grid = ["M", 16], params = {M = 64}, array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>, waveSize = 64, readsTokens = false, readsPosition = false, requests = 0>}

// -----

module attributes {systolic.geometry = #systolic.geometry<launch = #systolic.launch<[x = operand 0]>, grid = ["M", 16], params = {M = 64}, array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>, waveSize = 64, readsTokens = false, readsPosition = false>} {
  // expected-error @+1 {{expected a #systolic.geometry on an operation with symbols as 'systolic.geometry' but got #systolic.geometry<}}
  func.func private @geometry_c4() attributes {systolic.geometry = #systolic.geometry<launch = #systolic.launch<[x = operand 0]>, grid = ["M", 16], params = {M = 64}, array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 4>, waveSize = 64, readsTokens = false, readsPosition = false>}
}

// -----

// expected-error @+1 {{expected a #systolic.geometry on an operation with symbols as 'systolic.geometry' but got "x"}}
module attributes {systolic.geometry = "x"} {
}

// -----

// expected-error @+1 {{expected an i64 on a function as 'systolic.last_round' but got "x"}}
func.func private @last_round_type() attributes {systolic.last_round = "x"}

// -----

// expected-error @+1 {{expected an i64 on a function as 'systolic.last_round' but got 4}}
module attributes {systolic.last_round = 4 : i64} {
}
