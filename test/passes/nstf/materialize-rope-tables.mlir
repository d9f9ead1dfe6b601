// RUN: nstf-opt %s -split-input-file -nstf-materialize-rope-tables --remark-format=emitRemark --remarks-filter=nstf-.* -verify-diagnostics | FileCheck %s

// Ropes of equal frequencies share a table, whatever their width; another scale needs another table.

// CHECK: nstf.weight @rope_table : tensor<32x4xf32> computed <inv_freq = [1.000000e+00, 2.500000e-01], scale = 1.000000e+00>
// CHECK: nstf.weight @rope_table_0 : tensor<32x4xf32> computed <inv_freq = [1.000000e+00, 2.500000e-01], scale = 2.000000e+00>
// CHECK-LABEL: nstf.graph @shared
nstf.graph @shared(%q: tensor<?x16xf32> {nstf.name = "q"}, %k: tensor<?x8xf32> {nstf.name = "k"})
    -> (tensor<?x16xf32> {nstf.name = "y0"}, tensor<?x8xf32> {nstf.name = "y1"}, tensor<?x8xf32> {nstf.name = "y2"})
    attributes {context = 32 : i64} {
  // CHECK: %[[T:.+]] = nstf.get @rope_table : tensor<32x4xf32>
  // CHECK-NEXT: nstf.rope %{{.+}}, %[[T]] {head_size = 8 : i64, inv_freq = array<f64: 1.0{{.*}}, 2.5{{.*}}>} : (tensor<?x16xf32>, tensor<32x4xf32>) -> tensor<?x16xf32>
  // CHECK-NEXT: nstf.rope %{{.+}}, %[[T]] {head_size = 4 : i64, {{.*}}interleaved{{.*}}} : (tensor<?x8xf32>, tensor<32x4xf32>) -> tensor<?x8xf32>
  // CHECK: %[[T2:.+]] = nstf.get @rope_table_0 : tensor<32x4xf32>
  // CHECK-NEXT: nstf.rope %{{.+}}, %[[T2]] {{{.*}}scale = 2.0
  // expected-remark @+1 {{[Passed] RopeTable | Category:nstf-materialize-rope-tables | Function=rope_table | Remark="one table for all ropes of these frequencies", bytes=512, ropes=2}}
  %y0 = nstf.rope %q {head_size = 8 : i64, inv_freq = array<f64: 1.0, 0.25>} : (tensor<?x16xf32>) -> tensor<?x16xf32>
  %y1 = nstf.rope %k {head_size = 4 : i64, inv_freq = array<f64: 1.0, 0.25>, interleaved} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  // expected-remark @+1 {{[Passed] RopeTable | Category:nstf-materialize-rope-tables | Function=rope_table_0 | Remark="one table for all ropes of these frequencies", bytes=512, ropes=1}}
  %y2 = nstf.rope %k {head_size = 8 : i64, inv_freq = array<f64: 1.0, 0.25>, scale = 2.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  nstf.return %y0, %y1, %y2 : tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// A table that the module has already is used; a rope that has a table keeps it.

nstf.weight @mine : tensor<32x4xf32> computed <inv_freq = [1.0, 0.25], scale = 1.0>
nstf.weight @other : tensor<32x4xf32>
// CHECK-LABEL: nstf.weight @other
// CHECK-NOT: nstf.weight
// CHECK-LABEL: nstf.graph @existing
nstf.graph @existing(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 32 : i64} {
  // CHECK: %[[OTHER:.+]] = nstf.get @other
  // CHECK-NEXT: nstf.rope %{{.+}}, %[[OTHER]]
  // CHECK-NEXT: %[[MINE:.+]] = nstf.get @mine
  // CHECK-NEXT: nstf.rope %{{.+}}, %[[MINE]]
  %other = nstf.get @other : tensor<32x4xf32>
  %0 = nstf.rope %x, %other {head_size = 8 : i64, inv_freq = array<f64: 1.0, 0.25>} : (tensor<?x8xf32>, tensor<32x4xf32>) -> tensor<?x8xf32>
  // expected-remark @+1 {{Function=mine}}
  %1 = nstf.rope %0 {head_size = 8 : i64, inv_freq = array<f64: 1.0, 0.25>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  nstf.return %1 : tensor<?x8xf32>
}

// -----

// A module without a graph is refused.

// expected-error @+1 {{expected an nstf.graph in the module but got none}}
module {
}
