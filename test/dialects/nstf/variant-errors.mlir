// One refusal for every numbered constraint of dialects/nstf/VariantOp.td and of the attributes that a variant carries.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

// binding_c1
// expected-error @+1 {{expected the name of a template but got none}}
module attributes {nstf.example = #nstf.binding<"", tokens = 1, parameters = {}, per_token = {}, buffers = {}>} {}

// -----

// binding_c2
// expected-error @+1 {{expected at least 1 token but got 0}}
module attributes {nstf.example = #nstf.binding<"matmul", tokens = 0, parameters = {}, per_token = {}, buffers = {}>} {}

// -----

// binding_c3
// expected-error @+1 {{expected buffers to be i64 numbers of at least 0 but got x = -1 : i64}}
module attributes {nstf.example = #nstf.binding<"matmul", tokens = 1, parameters = {}, per_token = {}, buffers = {x = -1 : i64}>} {}

// -----

// binding_c3
// expected-error @+1 {{expected per_token to be i64 numbers of at least 0 but got M = "M"}}
module attributes {nstf.example = #nstf.binding<"matmul", tokens = 1, parameters = {}, per_token = {M = "M"}, buffers = {}>} {}

// -----

// binding_c4
// expected-error @+1 {{expected parameter M to be at least 32 for 16 tokens but got 31 : i64}}
module attributes {nstf.example = #nstf.binding<"matmul", tokens = 16, parameters = {M = 31 : i64}, per_token = {M = 2 : i64}, buffers = {}>} {}

// -----

// binding_c5
// expected-error @+1 {{expected at least 1 request but got 0}}
module attributes {nstf.example = #nstf.binding<"matmul" of 0 requests, tokens = 1, parameters = {}, per_token = {}, buffers = {}>} {}

// -----

// choice_c1
// expected-error @+1 {{expected tuning to be i64 numbers of at least 0 but got BM = "wide"}}
module attributes {nstf.example = #nstf.choice<{BM = "wide"}, template why "" not [], tuning why "" not []>} {}

// -----

// variant_c1
module {
  // expected-error @+1 {{expected ascending ranges of at least 1 token but got [0, 1]}}
  nstf.variant @variant_c1 of @k tokens [0, 1] {
    nstf.part results [0] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {}> choice <{}, template why "" not [], tuning why "" not []> {
    }
  }
}

// -----

// variant_c1
module {
  // expected-error @+1 {{expected ascending ranges of at least 1 token but got [4, 8] behind 4}}
  nstf.variant @variant_c1 of @k tokens [1, 4], [4, 8] {
    nstf.part results [0] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {}> choice <{}, template why "" not [], tuning why "" not []> {
    }
  }
}

// -----

// variant_c1
module {
  // expected-error @+1 {{expected ranges of tokens but got 1 numbers}}
  "nstf.variant"() <{sym_name = "variant_c1", kernel = @k, tokens = array<i64: 1>}> ({ ^bb0: }) : () -> ()
}

// -----

// variant_c2
module {
  // expected-error @+1 {{expected the name of a kernel in the module around the target's but got @k}}
  nstf.variant @variant_c2 of @k tokens [1, 1] {
    nstf.part results [0] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {}> choice <{}, template why "" not [], tuning why "" not []> {
    }
  }
}

// -----

// variant_c3
module {
  // expected-error @+1 {{expected at most the 16 tokens of its binding but got 17}}
  nstf.variant @variant_c3 of @k tokens [1, 17] {
    nstf.part results [0] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {}> choice <{}, template why "" not [], tuning why "" not []> {
    }
  }
}

// -----

// variant_c4
nstf.kernel @silu_relu_0(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %a = nstf.silu %x : tensor<?x8xf32>
  %b = nstf.relu %y : tensor<?x8xf32>
  nstf.return %a, %b : tensor<?x8xf32>, tensor<?x8xf32>
}
module {
  // expected-error @+1 {{expected the parts of @silu_relu_0, which are 2, but got 1}}
  nstf.variant @variant_c4 of @silu_relu_0 tokens [1, 1] {
    nstf.part results [0] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {}> choice <{}, template why "" not [], tuning why "" not []> {
    }
  }
}

// -----

// part_c1
nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
module {
  nstf.variant @part_c1 of @silu_0 tokens [1, 1] {
    // expected-error @+1 {{expected results array<i64: 0> of @silu_0 but got array<i64: 1>}}
    nstf.part results [1] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {}> choice <{}, template why "" not [], tuning why "" not []> {
    }
  }
}

// -----

// part_c2
nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  %z = nstf.silu %y : tensor<?x8xf32>
  nstf.return %z : tensor<?x8xf32>
}
module {
  nstf.variant @part_c2 of @silu_0 tokens [1, 1] {
    // expected-error @+1 {{expected buffer x to be one of the 1 arguments of @silu_0 or a result but got 1}}
    nstf.part results [0] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {x = 1 : i64}> choice <{}, template why "" not [], tuning why "" not []> {
    }
  }
}

// -----

// part_c2
nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
module {
  nstf.variant @part_c2 of @silu_0 tokens [1, 1] {
    // expected-error @+1 {{expected the tile to be one of the 2 values of @silu_0 but got 2}}
    nstf.part results [0] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {x = 0 : i64}, tile = 2> choice <{}, template why "" not [], tuning why "" not []> {
    }
  }
}

// -----

// A variant must be in the module of a target.
nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
// expected-error @+1 {{expected the name of a kernel in the module around the target's but got @silu_0}}
nstf.variant @alone of @silu_0 tokens [1, 1] {
    nstf.part results [0] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {x = 0 : i64}, tile = 0> choice <{}, template why "" not [], tuning why "" not []> {
    }
}
