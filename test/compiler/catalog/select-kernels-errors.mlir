// What nstf-select-kernels refuses and what it says of its choice.
// RUN: nstf-opt %s -split-input-file -nstf-select-kernels --remark-format=emitRemark --remarks-filter=nstf-.* -verify-diagnostics -o /dev/null
// RUN: not nstf-opt %s -split-input-file -nstf-select-kernels=max-tokens=9 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not nstf-opt %s -split-input-file -nstf-select-kernels=targets=gfx1 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not nstf-opt %s -split-input-file -nstf-select-kernels=tuning=BM 2>&1 | FileCheck %s --check-prefix=TUNING
// RUN: not nstf-opt %s -split-input-file -nstf-select-kernels=tuning=BX=3 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// MORE: error: expected max-tokens of 1 to 8 but got 9
// TARGET: error: {{.*}}'gfx1'
// TUNING: error: tuning: expected NAME=VALUE with a whole number of 0 to 65536 but got 'BM'
// UNKNOWN: error: expected a tuning parameter of template elementwise ({{.*}}) but got 'BX'

module attributes {nstf.max_tokens = 8 : i64} {
  // expected-remark @+2 {{Category:nstf-select-kernels | Function=silu_0_t1 | Remark="template elementwise: tuning/}}
  // expected-remark @+1 {{Category:nstf-select-kernels | Function=silu_0_t8 | Remark="template elementwise: tuning/}}
  nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.silu %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
}

// -----

// expected-error @+1 {{expected nstf.max_tokens on the module or the option max-tokens but got neither}}
module {
}

// -----

// expected-error @+1 {{expected no symbol gfx942 but the module has one}}
module attributes {nstf.max_tokens = 8 : i64} {
  module @gfx942 {}
}

// -----

module attributes {nstf.max_tokens = 8 : i64} {
  // expected-error @+1 {{expected an operation with a kernel template but got nstf.return}}
  nstf.kernel @nothing_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    nstf.return %x : tensor<?x8xf32>
  }
}
