// A conversion to the layout that a tile already has is folded.
// RUN: nstf-opt %s -canonicalize | FileCheck %s

#layout = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>

// CHECK-LABEL: @same
// CHECK-NEXT: return %arg0
func.func @same(%tile: tensor<16x16xf32, #layout>) -> tensor<16x16xf32, #layout> {
  %0 = systolic.convert_layout %tile : tensor<16x16xf32, #layout> -> tensor<16x16xf32, #layout>
  return %0 : tensor<16x16xf32, #layout>
}

// A value that both ways of a branch give, and one without users, are not results of it.
// CHECK-LABEL: @same_either_way
// CHECK-NEXT: %[[DOUBLED:.+]] = systolic.if_any %arg1 {
// CHECK-NEXT:   %[[SUM:.+]] = arith.addf %arg0, %arg0
// CHECK-NEXT:   systolic.yield %[[SUM]] : tensor<16x16xf32, #{{.+}}>
// CHECK-NEXT: } else %arg0 :
// CHECK-NEXT: return %[[DOUBLED]], %arg2
func.func @same_either_way(%tile: tensor<16x16xf32, #layout>, %asks: tensor<16x16xi1, #layout>, %kept: tensor<16x16xf32, #layout>)
    -> (tensor<16x16xf32, #layout>, tensor<16x16xf32, #layout>) {
  %0:3 = systolic.if_any %asks {
    %doubled = arith.addf %tile, %tile : tensor<16x16xf32, #layout>
    systolic.yield %kept, %doubled, %doubled : tensor<16x16xf32, #layout>, tensor<16x16xf32, #layout>, tensor<16x16xf32, #layout>
  } else %kept, %tile, %tile : tensor<16x16xi1, #layout> -> tensor<16x16xf32, #layout>, tensor<16x16xf32, #layout>, tensor<16x16xf32, #layout>
  return %0#1, %0#0 : tensor<16x16xf32, #layout>, tensor<16x16xf32, #layout>
}

// CHECK-LABEL: @nothing_changes
// CHECK-NEXT: return %arg0
func.func @nothing_changes(%tile: tensor<16x16xf32, #layout>, %asks: tensor<16x16xi1, #layout>) -> tensor<16x16xf32, #layout> {
  %0 = systolic.if_any %asks {
    systolic.yield %tile : tensor<16x16xf32, #layout>
  } else %tile : tensor<16x16xi1, #layout> -> tensor<16x16xf32, #layout>
  return %0 : tensor<16x16xf32, #layout>
}

// With a single crew, the number of the crew is 0.
// CHECK-LABEL: @one_crew
// CHECK-NEXT: %[[FIRST:.+]] = arith.constant 0 : index
// CHECK-NEXT: return %[[FIRST]]
func.func @one_crew() -> index {
  %count = arith.constant 1 : index
  %crew = systolic.crew of %count
  return %crew : index
}

// CHECK-LABEL: @two_crews
// CHECK: systolic.crew of
func.func @two_crews() -> index {
  %count = arith.constant 2 : index
  %crew = systolic.crew of %count
  return %crew : index
}
