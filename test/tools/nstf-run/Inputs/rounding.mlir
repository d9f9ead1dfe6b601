// Numbers rounded in a register, in the middle of a fused chain, and by a store that two kernels read.
nstf.graph @main(%x: tensor<1x4096xf32> {nstf.name = "x"})
    -> (tensor<1x4096xf32> {nstf.name = "f16_fused"}, tensor<1x4096xf32> {nstf.name = "f16_stored"},
        tensor<1x4096xf32> {nstf.name = "bf16_fused"}, tensor<1x4096xf32> {nstf.name = "bf16_stored"},
        tensor<1x4096xf32> {nstf.name = "f16_relu"}, tensor<1x4096xf32> {nstf.name = "bf16_relu"})
    attributes {context = 1 : i64} {
  %h = nstf.convert %x {type = f16} : (tensor<1x4096xf32>) -> tensor<1x4096xf16>
  %hf = nstf.convert %h {type = f32} : (tensor<1x4096xf16>) -> tensor<1x4096xf32>
  %h2 = nstf.convert %x {type = f16} : (tensor<1x4096xf32>) -> tensor<1x4096xf16>
  %hs = nstf.convert %h2 {type = f32} : (tensor<1x4096xf16>) -> tensor<1x4096xf32>
  %hr = nstf.convert %h2 {type = f32} : (tensor<1x4096xf16>) -> tensor<1x4096xf32>
  %hrelu = nstf.relu %hr : tensor<1x4096xf32>
  %b = nstf.convert %x {type = bf16} : (tensor<1x4096xf32>) -> tensor<1x4096xbf16>
  %bf = nstf.convert %b {type = f32} : (tensor<1x4096xbf16>) -> tensor<1x4096xf32>
  %b2 = nstf.convert %x {type = bf16} : (tensor<1x4096xf32>) -> tensor<1x4096xbf16>
  %bs = nstf.convert %b2 {type = f32} : (tensor<1x4096xbf16>) -> tensor<1x4096xf32>
  %br = nstf.convert %b2 {type = f32} : (tensor<1x4096xbf16>) -> tensor<1x4096xf32>
  %brelu = nstf.relu %br : tensor<1x4096xf32>
  nstf.return %hf, %hs, %bf, %bs, %hrelu, %brelu
      : tensor<1x4096xf32>, tensor<1x4096xf32>, tensor<1x4096xf32>, tensor<1x4096xf32>, tensor<1x4096xf32>, tensor<1x4096xf32>
}
