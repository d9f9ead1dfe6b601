// Three equal layers and a head.
nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
} loc("layers.0.act"("model.yaml":7:3))
nstf.kernel @silu_1(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
} loc("layers.1.act"("model.yaml":7:3))
nstf.kernel @silu_2(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.silu %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
} loc("layers.2.act"("model.yaml":7:3))
nstf.kernel @head(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = nstf.add %x, %x : tensor<?x8xf32>
  nstf.return %y : tensor<?x8xf32>
} loc("head"("model.yaml":9:3))
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %0 = nstf.step @silu_0(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("layers.0.act"("model.yaml":7:3))
  %1 = nstf.step @silu_1(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("layers.1.act"("model.yaml":7:3))
  %2 = nstf.step @silu_2(%1) : (tensor<?x8xf32>) -> tensor<?x8xf32> loc("layers.2.act"("model.yaml":7:3))
  %3 = nstf.step @head(%2) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  nstf.return %3 : tensor<?x8xf32>
}
