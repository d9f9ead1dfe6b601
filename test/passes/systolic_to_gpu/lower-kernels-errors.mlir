// Errors of systolic-to-gpu-lower-kernels.
// RUN: nstf-opt %s -split-input-file -systolic-to-gpu-lower-kernels -verify-diagnostics

// expected-error @+1 {{expected one systolic.kernel in the module but got 0}}
module {
}

// -----

// expected-error @+1 {{expected array and wave_size (systolic-select-array) but got none}}
systolic.kernel @no_array(%work: index) attributes {params = {}, grid = [], wave_size = 64 : i64} {
  systolic.return
}

// -----

// With one more element, 32 bits could not hold the offset past the end.
// expected-error @+1 {{expected buffers of less than 4294967296 bytes but argument 0 has 4294967296}}
systolic.kernel @too_large(%X: memref<32768x32768xf32, #systolic.axes<M, K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  systolic.return
}

// -----

// expected-error @+1 {{expected 48 elements for each token in argument 0 but got 64}}
systolic.kernel @half_token(%X: memref<64xf32, #systolic.axes<M>> {systolic.per_token = 48 : i64}, %control: !systolic.control, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  systolic.return
}

// -----

// Layouts that were not assigned.
systolic.kernel @no_layout(%X: memref<64xf32, #systolic.axes<M>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  // expected-error @+1 {{expected tiles with layouts (systolic-assign-layouts) but got 'tensor<64xf32, #systolic.axes<BM>>'}}
  %x = systolic.load %X[%work] : memref<64xf32, #systolic.axes<M>> -> tensor<64xf32, #systolic.axes<BM>>
  systolic.return
}

// -----

// Several work indices without an order.
// expected-error @+1 {{expected one work index (systolic-order-workgroups) but got 2}}
systolic.kernel @order(%i: index, %j: index)
    attributes {params = {M = 4}, grid = ["M", 1, "M", 1], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  systolic.return
}

// -----

// A parameter that was not instantiated.
systolic.kernel @param(%work: index)
    attributes {params = {BM = 4}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  // expected-error @+1 {{expected parameters to be constants (systolic-instantiate)}}
  %BM = systolic.param "BM"
  systolic.return
}

// -----

// A source in another layout than the result's slice.
#tile = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
#row = #systolic.fragment<reg [0:4*1], lane [0:4*4, -1:16*0], wave []>
systolic.kernel @broadcast(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %x = arith.constant dense<0.0> : tensor<16xf32, #row>
  // expected-error @+1 {{expected a source laid out as #systolic.fragment<reg [], lane [0:16*1, -1:4*0], wave []> but got #systolic.fragment<reg [0:4*1], lane [0:4*4, -1:16*0], wave []>}}
  %y = systolic.broadcast %x along 0 : tensor<16xf32, #row> -> tensor<16x16xf32, #tile>
  systolic.return
}

// -----

// Crews whose number was not instantiated.
systolic.kernel @crews(%work: index)
    attributes {params = {CREWS = 4}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  // expected-error @+1 {{expected a count that is a constant (systolic-instantiate)}}
  %crew = systolic.crew of %work
  systolic.return
}

// -----

// An array that crews would share.
// expected-error @+1 {{expected no LDS but scratch with 4 crews but argument 1 is '!systolic.lds<}}
systolic.kernel @crews_lds(%work: index, %lds: !systolic.lds<1 x 16x16xf32, unit, #systolic.axes<16, 16>>)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c4 = arith.constant 4 : index
  %crew = systolic.crew of %c4
  systolic.return
}

// -----

// A conversion between lanes before scratch was allocated.
#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
systolic.kernel @no_scratch(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %x = arith.constant dense<0.0> : tensor<16x16xf32, #rows>
  // expected-error @+1 {{expected 1024 bytes of scratch (systolic-allocate-scratch) but got 0}}
  %y = systolic.convert_layout %x : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  systolic.return
}

// -----

#tile = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
#col = #systolic.fragment<reg [0:4*1], lane [0:4*4, -1:16*0], wave []>
systolic.kernel @reduce(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %x = arith.constant dense<0.0> : tensor<16x16xf32, #tile>
  // expected-error @+1 {{expected a result laid out as #systolic.fragment<reg [0:4*1], lane [-1:16*0, 0:4*4], wave []> but got}}
  %y = systolic.reduce add %x along 1 : tensor<16x16xf32, #tile> -> tensor<16xf32, #col>
  systolic.return
}

// -----

// An accumulator where A belongs.
#acc = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
systolic.kernel @mma(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %x = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  // expected-error @+1 {{expected a laid out as #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave []> but got #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>}}
  %y = systolic.mma %x, %x, %x : tensor<16x16xf32, #acc>, tensor<16x16xf32, #acc> -> tensor<16x16xf32, #acc>
  systolic.return
}

// -----

#acc = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
systolic.kernel @mma_without_cell(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %x = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  // expected-error @+1 {{expected a laid out as an operand of the kernel's array but got}}
  %y = systolic.mma %x, %x, %x : tensor<16x16xf32, #acc>, tensor<16x16xf32, #acc> -> tensor<16x16xf32, #acc>
  systolic.return
}

// -----

#tile = #systolic.fragment<reg [1:4*1], lane [1:8*4, 0:8*1], wave []>
#rows = #systolic.fragment<reg [], lane [0:8*1, -1:8*0], wave []>
systolic.kernel @rows(%X: memref<10x32xf32, #systolic.axes<M, K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %i = systolic.iota along 0 : tensor<8xi32, #rows>
  // expected-error @+1 {{expected rows laid out as #systolic.fragment<reg [], lane [-1:8*0, 0:8*1], wave []> but got}}
  %x = systolic.load %X[%work, %work] rows(%i : tensor<8xi32, #rows>) : memref<10x32xf32, #systolic.axes<M, K>> -> tensor<8x32xf32, #tile>
  systolic.return
}

// -----

// A slot that was not inlined.
module {
  func.func private @slot(index) -> index
  systolic.kernel @call(%work: index)
      attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
    // expected-error @+1 {{expected slots to be inlined but got a call}}
    %x = func.call @slot(%work) : (index) -> index
    systolic.return
  }
}

// -----

// Four waves move 1024 bytes at once.
!X = memref<64x64xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 24x32xf16, unit, #systolic.axes<24, 32>>
systolic.kernel @stage_waves(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 2x2>} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expected a multiple of 1024 bytes for 4 waves but got 1536}}
  systolic.stage %X[%c0, %c0], %lds[%c0] : !X, !lds
  systolic.return
}

// -----

// The buffer that is read must be a constant.
!X = memref<64x64xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<2 x 32x32xf16, unit, #systolic.axes<32, 32>>
systolic.kernel @stage_buffer(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{staged here}}
  systolic.stage %X[%c0, %c0], %lds[%c0] : !X, !lds
  // expected-error @+1 {{expected the constant number of one of the 2 buffers of an array that is staged}}
  %x = systolic.read %lds[%work] : !lds -> tensor<32x32xf16, #systolic.fragment<reg [1:16*1], lane [0:32*1, 1:2*16], wave []>>
  systolic.return
}

// -----

!X = memref<64x64xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x32xf16, unit, #systolic.axes<32, 32>>
systolic.kernel @stage_column(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expected a first column at a whole dword}}
  systolic.stage %X[%c0, %work], %lds[%c0] : !X, !lds
  systolic.return
}

// -----

// Blocks stay whole on the way to LDS.
!X = memref<64x64xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x32xf16, unit, #systolic.axes<32, 32>>
systolic.kernel @stage_packed(%X: !X {systolic.packed = #systolic.packed<16 x 64 bytes>}, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expected whole blocks for an array packed alike but got #systolic.packed<16 x 64 bytes>}}
  systolic.stage %X[%c0, %c0], %lds[%c0] : !X, !lds
  systolic.return
}

// -----

!X = memref<32768x32768xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x32xf16, unit, #systolic.axes<32, 32>>
systolic.kernel @stage_large(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expected a buffer of less than 2147483648 bytes}}
  systolic.stage %X[%c0, %c0], %lds[%c0] : !X, !lds
  systolic.return
}

// -----

// More parts than the array has.
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave []>
#b = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
#parts = #systolic.fragment<reg [0:4*1, 0:2*16], lane [1:16*1, 0:4*4], wave []>
systolic.kernel @parts_of_product(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %a = arith.constant dense<0.0> : tensor<16x16xf32, #a>
  %b = arith.constant dense<0.0> : tensor<16x16xf32, #b>
  %c = arith.constant dense<0.0> : tensor<32x16xf32, #parts>
  // expected-error @+1 {{expected the 1 parts of the kernel's array but got 2}}
  %d = systolic.mma %a, %b, %c parts 2 : tensor<16x16xf32, #a>, tensor<16x16xf32, #b> -> tensor<32x16xf32, #parts>
  systolic.return
}

// -----

#parts = #systolic.fragment<reg [0:4*1, 0:2*16], lane [1:16*1, 0:4*4], wave []>
#sum = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
systolic.kernel @parts_of_sum(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %c = arith.constant dense<0.0> : tensor<32x16xf32, #parts>
  // expected-error @+1 {{expected the 1 parts of the kernel's array but got 2}}
  %d = systolic.sum_parts %c : tensor<32x16xf32, #parts> -> tensor<16x16xf32, #sum>
  systolic.return
}

// -----

// A sum in the layout of a part: the waves of the other parts would store it as well.
#parts = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [0:2*16]>
#sum = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
systolic.kernel @sum_layout(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1x2, cell = 16x16x16, instruction_k = 4>} {
  %c = arith.constant dense<0.0> : tensor<32x16xf32, #parts>
  // expected-error @+1 {{expected a result laid out as #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [-1:2*0]> but got #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>}}
  %d = systolic.sum_parts %c : tensor<32x16xf32, #parts> -> tensor<16x16xf32, #sum>
  systolic.return
}

// -----

// The part would lie in other lanes than those that hold its elements.
#line = #systolic.fragment<reg [1:8*1, 0:4*8], lane [1:8*8, 0:8*1], wave []>
#block = #systolic.fragment<reg [1:8*1, 0:2*16], lane [1:4*8, 0:16*1], wave []>
!X = memref<64x64xf16, #systolic.axes<M, K>>
systolic.kernel @slice_of_other_lanes(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %line = systolic.load %X[%c0, %c0] : !X -> tensor<32x64xf16, #line>
  // expected-error @+1 {{expected a part in the registers of the lanes that hold it}}
  %block = systolic.slice %line from [0, 32] : tensor<32x64xf16, #line> -> tensor<32x32xf16, #block>
  systolic.return
}

// -----

// A sum across waves that some of them may skip.
#tile = #systolic.fragment<reg [], lane [0:64*1], wave [1:4*1]>
#row = #systolic.fragment<reg [], lane [0:64*1], wave [-1:4*0]>
systolic.kernel @if_any_c4(%work: index, %scratch: !systolic.lds<1 x 1024xi8, unit, #systolic.axes<1024>> {systolic.scratch})
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x4>} {
  %x = arith.constant dense<0.0> : tensor<64x4xf32, #tile>
  %row = arith.constant dense<0.0> : tensor<64xf32, #row>
  %asks = arith.cmpf ogt, %row, %row : tensor<64xf32, #row>
  %sum = systolic.if_any %asks {
    // expected-error @+1 {{expected nothing that goes from wave to wave in a region that some may skip}}
    %y = systolic.reduce add %x along 1 : tensor<64x4xf32, #tile> -> tensor<64xf32, #row>
    systolic.yield %y : tensor<64xf32, #row>
  } else %row : tensor<64xi1, #row> -> tensor<64xf32, #row>
  systolic.return
}
