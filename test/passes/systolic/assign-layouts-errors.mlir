// Remarks and errors of systolic-assign-layouts.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(systolic.kernel(systolic-assign-layouts))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o /dev/null

// A sum along one dimension that is broadcast along the other.
!x = tensor<16x16xf32, #systolic.axes<BM, BM>>
!v = tensor<16xf32, #systolic.axes<BM>>
// expected-remark @+1 {{[Analysis] Layouts | Category:systolic-assign-layouts | Function=turned | Remark="1 layout conversions", conversions=1}}
systolic.kernel @turned(%X: memref<64x64xf32, #systolic.axes<M, K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %x = systolic.load %X[%work, %work] : memref<64x64xf32, #systolic.axes<M, K>> -> !x
  %v = systolic.reduce add %x along 1 : !x -> !v
  %b = systolic.broadcast %v along 0 : !v -> !x
  %d = arith.addf %b, %x : !x
  systolic.store %d, %X[%work, %work] : !x, memref<64x64xf32, #systolic.axes<M, K>>
  systolic.return
}

// -----

// expected-error @+1 {{expected array and wave_size (systolic-select-array) but got none}}
systolic.kernel @no_array(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  systolic.return
}

// -----

systolic.kernel @undivided(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 2x1, cell = 16x16x16, instruction_k = 4>} {
  %a = arith.constant dense<0.0> : tensor<16x16xf32, #systolic.axes<BM, BM>>
  // expected-error @+1 {{expected a product that #systolic.array<waves = 2x1, cell = 16x16x16, instruction_k = 4> divides but got 'tensor<16x16xf32, #systolic.axes<BM, BM>>' x 'tensor<16x16xf32, #systolic.axes<BM, BM>>'}}
  %c = systolic.mma %a, %a, %a : tensor<16x16xf32, #systolic.axes<BM, BM>>, tensor<16x16xf32, #systolic.axes<BM, BM>> -> tensor<16x16xf32, #systolic.axes<BM, BM>>
  systolic.return
}

// -----

// Products on an array without a cell.
systolic.kernel @no_cell(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %a = arith.constant dense<0.0> : tensor<16x16xf32, #systolic.axes<BM, BM>>
  // expected-error @+1 {{expected a product that #systolic.array<waves = 1x1> divides}}
  %c = systolic.mma %a, %a, %a : tensor<16x16xf32, #systolic.axes<BM, BM>>, tensor<16x16xf32, #systolic.axes<BM, BM>> -> tensor<16x16xf32, #systolic.axes<BM, BM>>
  systolic.return
}

// -----

systolic.kernel @no_splat(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  // expected-error @+1 {{expected a splat constant for a tile}}
  %a = arith.constant dense<[0.0, 1.0]> : tensor<2xf32, #systolic.axes<2>>
  systolic.return
}

// -----

!x = tensor<16x16xf32, #systolic.axes<BM, BM>>
systolic.kernel @branch(%X: memref<64x64xf32, #systolic.axes<M, K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %x = systolic.load %X[%work, %work] : memref<64x64xf32, #systolic.axes<M, K>> -> !x
  %c0 = arith.constant 0 : index
  %is_first = arith.cmpi eq, %work, %c0 : index
  %y = scf.if %is_first -> (!x) {
    // expected-error @+1 {{expected tiles in elementwise ops, scf.for and systolic ops only but got scf.yield}}
    scf.yield %x : !x
  } else {
    %z = arith.addf %x, %x : !x
    scf.yield %z : !x
  }
  systolic.store %y, %X[%work, %work] : !x, memref<64x64xf32, #systolic.axes<M, K>>
  systolic.return
}

// -----

// A slot that was not inlined.
!x = tensor<16x16xf32, #systolic.axes<BM, BM>>
module {
  func.func private @epilogue(!x) -> !x
  systolic.kernel @call(%X: memref<64x64xf32, #systolic.axes<M, K>>, %work: index)
      attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
    %x = systolic.load %X[%work, %work] : memref<64x64xf32, #systolic.axes<M, K>> -> !x
    // expected-error @+1 {{expected tiles in elementwise ops, scf.for and systolic ops only but got func.call}}
    %y = func.call @epilogue(%x) : (!x) -> !x
    systolic.return
  }
}

// -----

// A lane loads 8 adjacent columns of f16, fewer than a sum has.
!w = tensor<8x512xf16, #systolic.axes<BN, BK>>
!x = tensor<1x512xf16, #systolic.axes<1, BK>>
!sums = tensor<8x32xf32, #systolic.axes<BN, BS>>
systolic.kernel @long(%W: memref<64x512xf16, #systolic.axes<N, K>>, %X: memref<1x512xf16, #systolic.axes<1, K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : !sums
  %x = systolic.load %X[%c0, %c0] : memref<1x512xf16, #systolic.axes<1, K>> -> !x
  %w = systolic.load %W[%c0, %c0] : memref<64x512xf16, #systolic.axes<N, K>> -> !w
  // expected-error @+1 {{expected lanes that hold the 16 columns of a sum but got}}
  %y = systolic.dot %w, %x, %zero : !w, !x -> !sums
  systolic.return
}

// -----

// Four lanes hold one column together, so each of them needs at least one part.
!x = tensor<16x16xf32, #systolic.axes<BM, BM>>
!parts = tensor<2x16xf32, #systolic.axes<2, BM>>
systolic.kernel @few_parts(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %a = arith.constant dense<0.0> : !x
  %c = systolic.mma %a, %a, %a : !x, !x -> !x
  // expected-error @+1 {{expected at least a part for each lane that holds some of a sum but got 2 parts of}}
  %sums = systolic.reduce add %c along 0 parts 2 : !x -> !parts
  systolic.return
}
