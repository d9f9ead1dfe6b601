// A linear with 200 rows of 64: no tile divides its columns.
nstf.weight @w : tensor<200x64xf32>
nstf.graph @main(%x: tensor<?x64xf32> {nstf.name = "x"}) -> (tensor<?x200xf32> {nstf.name = "y"}) attributes {context = 512 : i64} {
  %w = nstf.get @w : tensor<200x64xf32>
  %y = nstf.linear %x, %w : (tensor<?x64xf32>, tensor<200x64xf32>) -> tensor<?x200xf32>
  nstf.return %y : tensor<?x200xf32>
}
