// Keys and values of the step are appended, and the step's rows attend to earlier rows.
nstf.weight @q : tensor<86x172xf32>
nstf.weight @k : tensor<43x172xf32>
nstf.weight @v : tensor<43x172xf32>
nstf.state @keys : tensor<64x43xf32>
nstf.state @values : tensor<64x43xf32>
nstf.graph @main(%x: tensor<?x172xf32> {nstf.name = "x"}) -> (tensor<?x86xf32> {nstf.name = "y"}) attributes {context = 64 : i64} {
  %wq = nstf.get @q : tensor<86x172xf32>
  %wk = nstf.get @k : tensor<43x172xf32>
  %wv = nstf.get @v : tensor<43x172xf32>
  %keys = nstf.get @keys : tensor<64x43xf32>
  %values = nstf.get @values : tensor<64x43xf32>
  %q = nstf.linear %x, %wq : (tensor<?x172xf32>, tensor<86x172xf32>) -> tensor<?x86xf32>
  %k = nstf.linear %x, %wk : (tensor<?x172xf32>, tensor<43x172xf32>) -> tensor<?x43xf32>
  %v = nstf.linear %x, %wv : (tensor<?x172xf32>, tensor<43x172xf32>) -> tensor<?x43xf32>
  %ks = nstf.kv_append %k, %keys : (tensor<?x43xf32>, tensor<64x43xf32>) -> tensor<64x43xf32>
  %vs = nstf.kv_append %v, %values : (tensor<?x43xf32>, tensor<64x43xf32>) -> tensor<64x43xf32>
  %y = nstf.attention %q, %ks, %vs {heads = 2 : i64, kv_heads = 1 : i64, causal, scale = 0.125 : f64}
    : (tensor<?x86xf32>, tensor<64x43xf32>, tensor<64x43xf32>) -> tensor<?x86xf32>
  nstf.return %y : tensor<?x86xf32>
}
