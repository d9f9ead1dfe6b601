// RUN: nstf-opt %s -pass-pipeline='builtin.module(builtin.module(nstf-form-kernels))' -mlir-disable-threading \
// RUN:   --remark-format=emitRemark --remarks-filter=nstf-.* -verify-diagnostics -o %t

// Each module's remark counts its own operations.

module {
  // expected-remark @+1 {{[Passed] Kernels | Category:nstf-form-kernels | Function=main | Remark="operations were grouped into launches", launches=1, operations=2}}
  nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
    %s = nstf.silu %x : tensor<?x8xf32>
    %y = nstf.mul %s, %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

module {
  // expected-remark @+1 {{[Passed] Kernels | Category:nstf-form-kernels | Function=main | Remark="operations were grouped into launches", launches=1, operations=1}}
  nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
    %y = nstf.silu %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}
