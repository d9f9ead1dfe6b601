// RUN: nstf-opt %s -canonicalize | FileCheck %s

// The last row of a single row is that row.
// CHECK-LABEL: @last_row_of_one
// CHECK-SAME: (%[[X:.+]]: tensor<1x64xf32>)
// CHECK-NEXT: return %[[X]]
func.func @last_row_of_one(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %y = nstf.last_row %x : (tensor<1x64xf32>) -> tensor<1x64xf32>
  return %y : tensor<1x64xf32>
}

// Which of a step's rows is the last is unknown.
// CHECK-LABEL: @last_row_of_many
// CHECK: nstf.last_row
func.func @last_row_of_many(%x: tensor<?x64xf32>) -> tensor<1x64xf32> {
  %y = nstf.last_row %x : (tensor<?x64xf32>) -> tensor<1x64xf32>
  return %y : tensor<1x64xf32>
}

// The first row of a single row is that row, as is the mean.
// CHECK-LABEL: @first_row_of_one
// CHECK-SAME: (%[[X:.+]]: tensor<1x64xf32>)
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @first_row_of_one(%x: tensor<1x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  %y = nstf.first_row %x : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %z = nstf.mean_rows %x : (tensor<1x64xf32>) -> tensor<1x64xf32>
  return %y, %z : tensor<1x64xf32>, tensor<1x64xf32>
}

// CHECK-LABEL: @first_row_of_many
// CHECK: nstf.first_row
// CHECK: nstf.mean_rows
func.func @first_row_of_many(%x: tensor<2x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  %y = nstf.first_row %x : (tensor<2x64xf32>) -> tensor<1x64xf32>
  %z = nstf.mean_rows %x : (tensor<2x64xf32>) -> tensor<1x64xf32>
  return %y, %z : tensor<1x64xf32>, tensor<1x64xf32>
}
