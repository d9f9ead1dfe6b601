// Each numbered constraint of view and convert_layout is violated once. Function names are the constraints' numbers.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

!lds = !systolic.lds<1 x 16x32xf16, unit, #systolic.axes<BM, BK>>
func.func @view_c1(%lds: !lds) {
  // expected-error @+1 {{expected at most the 1024 bytes of '!systolic.lds<1 x 16x32xf16, unit, #systolic.axes<BM, BK>>' but got '!systolic.lds<1 x 16x17xf32, unit, #systolic.axes<16, 17>>'}}
  %all = systolic.view %lds : !lds -> !systolic.lds<1 x 16x17xf32, unit, #systolic.axes<16, 17>>
  return
}

// -----

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
func.func @convert_layout_c1(%tile: tensor<16x16xf32, #rows>) {
  // expected-error @+1 {{expected one shape and element type but got}}
  %turned = systolic.convert_layout %tile : tensor<16x16xf32, #rows> -> tensor<16x16xi32, #cols>
  return
}

// -----

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!lds = !systolic.lds<2 x 16x16xf32, unit, #systolic.axes<BM, BK>>
func.func @convert_layout_c2_buffers(%tile: tensor<16x16xf32, #rows>, %lds: !lds) {
  // expected-error @+1 {{expected arrays of one type, with one buffer of the tile's rank and element type, but got '!systolic.lds<2 x 16x16xf32, unit, #systolic.axes<BM, BK>>'}}
  %turned = systolic.convert_layout %tile through %lds : !lds : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  return
}

// -----

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!a = !systolic.lds<1 x 16x16xf32, unit, #systolic.axes<BM, BK>>
!b = !systolic.lds<1 x 8x16xf32, unit, #systolic.axes<BM, BK>>
func.func @convert_layout_c2_types(%tile: tensor<16x16xf32, #rows>, %a: !a, %b: !b) {
  // expected-error @+1 {{expected arrays of one type}}
  %turned = systolic.convert_layout %tile through %a, %b : !a, !b : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  return
}

// -----

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!lds = !systolic.lds<1 x 16x16xf16, unit, #systolic.axes<BM, BK>>
func.func @convert_layout_c2_element(%tile: tensor<16x16xf32, #rows>, %lds: !lds) {
  // expected-error @+1 {{expected arrays of one type, with one buffer of the tile's rank and element type}}
  %turned = systolic.convert_layout %tile through %lds : !lds : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  return
}

// -----

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
func.func @convert_layout_c2_transposed(%tile: tensor<16x16xf32, #rows>) {
  // expected-error @+1 {{expected a tile of rank 2 and an array for transposed}}
  %turned = systolic.convert_layout %tile transposed : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  return
}

// -----

// Scratch belongs to all waves.
#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
func.func @convert_layout_c4_scratch(%tile: tensor<16x16xf32, #rows>) {
  // expected-error @+1 {{expected one array and waves that keep what they have for apart}}
  %turned = systolic.convert_layout %tile apart : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  return
}

// -----

// The second wave holds the other half of the rows in one layout, and of the columns in the other.
#rows = #systolic.fragment<reg [1:8*1], lane [0:8*1, 1:2*8, -1:4*0], wave [0:2*8]>
#cols = #systolic.fragment<reg [0:8*1], lane [1:8*1, 0:2*8, -1:4*0], wave [1:2*8]>
!lds = !systolic.lds<1 x 16x16xf32, unit, #systolic.axes<BM, BK>>
func.func @convert_layout_c4_waves(%tile: tensor<16x16xf32, #rows>, %lds: !lds) {
  // expected-error @+1 {{expected one array and waves that keep what they have for apart}}
  %turned = systolic.convert_layout %tile through %lds : !lds apart : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  return
}

// -----

// In one of the layouts, half of the rows are in half of the lanes only.
#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!lds = !systolic.lds<1 x 8x16xf32, unit, #systolic.axes<BM, BK>>
func.func @convert_layout_c3(%tile: tensor<16x16xf32, #rows>, %lds: !lds) {
  // expected-error @+1 {{expected an array that holds a part of}}
  %turned = systolic.convert_layout %tile through %lds : !lds : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  return
}

// -----

!lds = !systolic.lds<1 x 16x16xf32, unit, #systolic.axes<BM, BK>>
!tile = tensor<16x16xf32, #systolic.axes<BM, BK>>
func.func @convert_layout_c3_layouts(%tile: !tile, %lds: !lds) {
  // expected-error @+1 {{expected an array that holds a part of 'tensor<16x16xf32, #systolic.axes<BM, BK>>'}}
  %turned = systolic.convert_layout %tile through %lds : !lds : !tile -> !tile
  return
}
