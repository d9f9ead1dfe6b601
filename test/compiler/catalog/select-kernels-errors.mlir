// Errors and remarks of nstf-select-kernels.
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

// -----

// An arena plan in which values that live at the same time overlap,

module attributes {nstf.max_tokens = 8 : i64} {
  nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.silu %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
  nstf.graph @overlap(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 8 : i64, nstf.arena_size = 512 : i64} {
    // expected-note @+1 {{result 0 of this step lives until step 1}}
    %0 = nstf.step @silu_0(%x) {offsets = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    // expected-error @+1 {{expected a place of its own for result 0 but got bytes that another value has while it lives}}
    %1 = nstf.step @silu_0(%0) {offsets = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %2 = nstf.step @silu_0(%1) {offsets = array<i64: -1>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    nstf.return %2 : tensor<?x8xf32>
  }
}

// -----

// that exceeds the arena,

module attributes {nstf.max_tokens = 8 : i64} {
  nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.silu %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
  nstf.graph @past(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 8 : i64, nstf.arena_size = 256 : i64} {
    // expected-error @+1 {{expected 256 bytes inside the arena's 256, at a multiple of 256, for result 0 but got offset 256}}
    %0 = nstf.step @silu_0(%x) {offsets = array<i64: 256>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    %1 = nstf.step @silu_0(%0) {offsets = array<i64: -1>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    nstf.return %1 : tensor<?x8xf32>
  }
}

// -----

// or that has an offset for a value outside the arena; an in-place result that is not a state.

module attributes {nstf.max_tokens = 8 : i64} {
  nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = nstf.silu %x : tensor<?x8xf32>
    nstf.return %y : tensor<?x8xf32>
  }
  nstf.graph @output(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 8 : i64, nstf.arena_size = 256 : i64} {
    // expected-error @+1 {{expected offset -1 of result 0, which has memory of its own, but got 0}}
    %0 = nstf.step @silu_0(%x) {offsets = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
    nstf.return %0 : tensor<?x8xf32>
  }
}

// -----

module attributes {nstf.max_tokens = 8 : i64} {
  nstf.kernel @append(%x: tensor<?x8xf32>, %cache: tensor<32x8xf32>) -> tensor<32x8xf32> {
    %y = nstf.kv_append %x, %cache : (tensor<?x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    nstf.return %y : tensor<32x8xf32>
  }
  nstf.graph @input(%x: tensor<?x8xf32> {nstf.name = "x"}, %c: tensor<32x8xf32> {nstf.name = "c"}) attributes {context = 8 : i64, nstf.arena_size = 0 : i64} {
    // expected-error @+1 {{expected operand 1, which is written in place, to be a state}}
    %y = nstf.step @append(%x, %c) {offsets = array<i64: -1>} : (tensor<?x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    nstf.return
  }
}
