// A norm that stores codes and two products that read them, at sizes that no tile divides.
nstf.weight @norm : tensor<172xf32>
nstf.weight @up : tensor<300x172xf32>
nstf.weight @down : tensor<38x300xf32>
nstf.graph @main(%x: tensor<?x172xf32> {nstf.name = "x"}) -> (tensor<?x38xf32> {nstf.name = "y"}) attributes {context = 64 : i64} {
  %w = nstf.get @norm : tensor<172xf32>
  %u = nstf.get @up : tensor<300x172xf32>
  %d = nstf.get @down : tensor<38x300xf32>
  %n = nstf.rms_norm %x, %w {eps = 1.0e-5 : f64} : (tensor<?x172xf32>, tensor<172xf32>) -> tensor<?x172xf32>
  %h = nstf.linear %n, %u : (tensor<?x172xf32>, tensor<300x172xf32>) -> tensor<?x300xf32>
  %a = nstf.silu %h : tensor<?x300xf32>
  %y = nstf.linear %a, %d : (tensor<?x300xf32>, tensor<38x300xf32>) -> tensor<?x38xf32>
  nstf.return %y : tensor<?x38xf32>
}
