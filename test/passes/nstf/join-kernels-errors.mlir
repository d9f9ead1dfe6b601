// RUN: nstf-opt %s -nstf-join-kernels -verify-diagnostics

// The pass refuses graphs that nstf-form-kernels has not formed.
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-error @+1 {{expected nstf.get, nstf.step and nstf.return only in a graph of launches (nstf-form-kernels makes them)}}
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
