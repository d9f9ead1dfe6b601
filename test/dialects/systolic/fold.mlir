// A conversion to the layout that a tile already has is nothing.
// RUN: nstf-opt %s -canonicalize | FileCheck %s

#layout = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>

// CHECK-LABEL: @same
// CHECK-NEXT: return %arg0
func.func @same(%tile: tensor<16x16xf32, #layout>) -> tensor<16x16xf32, #layout> {
  %0 = systolic.convert_layout %tile : tensor<16x16xf32, #layout> -> tensor<16x16xf32, #layout>
  return %0 : tensor<16x16xf32, #layout>
}
