// One of several kernels cannot be built: no layout holds a tile of a head of 4000 features.
module {
  nstf.graph @main(%q: tensor<?x4000xf32> {nstf.name = "q"})
      -> (tensor<?x4000xf32> {nstf.name = "y"}, tensor<?x4000xf32> {nstf.name = "z"}) attributes {context = 16 : i64} {
    %s = nstf.softmax %q : tensor<?x4000xf32>
    %y = nstf.softmax %s : tensor<?x4000xf32>
    %a = nstf.attention %q, %q, %q {heads = 1 : i64, kv_heads = 1 : i64, scale = 1.0 : f64}
        : (tensor<?x4000xf32>, tensor<?x4000xf32>, tensor<?x4000xf32>) -> tensor<?x4000xf32>
    %z = nstf.tanh %a : tensor<?x4000xf32>
    nstf.return %y, %z : tensor<?x4000xf32>, tensor<?x4000xf32>
  }
}
