// Tensors of f16, bf16 and i32 in memory, and i1 values in between: every op on f16 rounds to f16.
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
nstf.weight @half : tensor<37xf16>
nstf.weight @brain : tensor<37xbf16>
nstf.graph @main(%x: tensor<?x37xf32> {nstf.name = "x"}, %n: tensor<?x37xi32> {nstf.name = "n"})
    -> (tensor<?x37xf32> {nstf.name = "mixed"}, tensor<?x37xi32> {nstf.name = "integers"}, tensor<?x37xf32> {nstf.name = "masked"},
        tensor<?x37xf32> {nstf.name = "stored_half"}, tensor<?x37xf32> {nstf.name = "stored_brain"}, tensor<?x37xf32> {nstf.name = "rounded"})
    attributes {context = 100 : i64} {
  %half = nstf.get @half : tensor<37xf16>
  %brain = nstf.get @brain : tensor<37xbf16>
  %c0 = arith.constant 0 : index
  %tokens = tensor.dim %x, %c0 : tensor<?x37xf32>
  %e = tensor.empty(%tokens) : tensor<?x37xf32>
  %mixed = linalg.generic {indexing_maps = [#id, #column, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %half, %brain : tensor<?x37xf32>, tensor<37xf16>, tensor<37xbf16>) outs(%e : tensor<?x37xf32>) {
  ^bb0(%p: f32, %h: f16, %b: bf16, %o: f32):
    %1 = arith.extf %h : f16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = math.fma %p, %1, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x37xf32>

  %five = arith.constant 5 : i32
  %ei = tensor.empty(%tokens) : tensor<?x37xi32>
  %integers = linalg.map ins(%n : tensor<?x37xi32>) outs(%ei : tensor<?x37xi32>) (%p: i32, %o: i32) {
    %1 = arith.addi %p, %five : i32
    %2 = arith.muli %1, %p : i32
    %3 = arith.maxsi %2, %five : i32
    linalg.yield %3 : i32
  }

  // A mask with two readers: memory has no type for it, so both readers compute it.
  %zeros = arith.constant dense<0.0> : tensor<37xf32>
  %em = tensor.empty(%tokens) : tensor<?x37xi1>
  %mask = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %zeros : tensor<?x37xf32>, tensor<37xf32>) outs(%em : tensor<?x37xi1>) {
  ^bb0(%p: f32, %z: f32, %o: i1):
    %1 = arith.cmpf ogt, %p, %z : f32
    linalg.yield %1 : i1
  } -> tensor<?x37xi1>
  %positive = arith.select %mask, %x, %mixed : tensor<?x37xi1>, tensor<?x37xf32>
  %flags = arith.uitofp %mask : tensor<?x37xi1> to tensor<?x37xf32>
  %masked = arith.addf %positive, %flags : tensor<?x37xf32>

  // Stored as f16 and as bf16 between two kernels, since each has two readers.
  %h = arith.truncf %x : tensor<?x37xf32> to tensor<?x37xf16>
  %h2 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0, 36 - d1)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h, %h : tensor<?x37xf16>, tensor<?x37xf16>) outs(%e : tensor<?x37xf32>) {
  ^bb0(%p: f16, %q: f16, %o: f32):
    %1 = arith.extf %p : f16 to f32
    %2 = arith.extf %q : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x37xf32>
  %b = arith.truncf %x : tensor<?x37xf32> to tensor<?x37xbf16>
  %b2 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0, 36 - d1)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b, %b : tensor<?x37xbf16>, tensor<?x37xbf16>) outs(%e : tensor<?x37xf32>) {
  ^bb0(%p: bf16, %q: bf16, %o: f32):
    %1 = arith.extf %p : bf16 to f32
    %2 = arith.extf %q : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x37xf32>

  %h3 = arith.mulf %h, %h : tensor<?x37xf16>
  %rounded = arith.extf %h3 : tensor<?x37xf16> to tensor<?x37xf32>
  nstf.return %mixed, %integers, %masked, %h2, %b2, %rounded
      : tensor<?x37xf32>, tensor<?x37xi32>, tensor<?x37xf32>, tensor<?x37xf32>, tensor<?x37xf32>, tensor<?x37xf32>
}
