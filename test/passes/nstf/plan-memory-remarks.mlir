// RUN: nstf-opt %s -split-input-file -nstf-plan-memory --remark-format=emitRemark --remarks-filter=nstf-.* -verify-diagnostics -o %t

// Peak, lower bound of any plan, and the size without sharing. The number of rows is the context,

nstf.kernel @silu(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
}
// expected-remark @+1 {{[Passed] Arena | Category:nstf-plan-memory | Function=chain | Remark="results of all steps share one arena", lower_bound=2048, max_tokens=32, peak=2048, sum=3072, values=3}}
nstf.graph @chain(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 32 : i64} {
  %0 = nstf.step @silu(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = nstf.step @silu(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = nstf.step @silu(%1) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = nstf.step @silu(%2) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  nstf.return %3 : tensor<?x8xf32>
}

// -----

// unless the module gives a max number of rows for a step.

module attributes {nstf.max_tokens = 4 : i64} {
  nstf.kernel @silu(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.silu %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
  // expected-remark @+1 {{max_tokens=4, peak=256, sum=128, values=1}}
  nstf.graph @short(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 32 : i64} {
    %0 = nstf.step @silu(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %1 = nstf.step @silu(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
    nstf.return %1 : tensor<?x8xf32>
  }
}
