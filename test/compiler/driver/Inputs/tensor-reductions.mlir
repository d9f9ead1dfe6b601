// Reductions along the last, the first, a middle and all dimensions, with every kind of combiner, short and long.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#none = affine_map<(d0, d1) -> ()>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#outer3 = affine_map<(d0, d1, d2) -> (d0, d2)>
nstf.graph @main(%x: tensor<?x37xf32> {nstf.name = "x"}, %y: tensor<?x4096xf32> {nstf.name = "y"}, %z: tensor<?x5x700xf32> {nstf.name = "z"},
                 %n: tensor<?x130xi32> {nstf.name = "n"}, %a: tensor<11x70xf32> {nstf.name = "a"}, %b: tensor<70x13xf32> {nstf.name = "b"})
    -> (tensor<?xf32> {nstf.name = "sums"}, tensor<?xf32> {nstf.name = "long_sums"}, tensor<37xf32> {nstf.name = "mean"},
        tensor<?x700xf32> {nstf.name = "middle"}, tensor<?xf32> {nstf.name = "product"}, tensor<?xf32> {nstf.name = "largest"},
        tensor<?xf32> {nstf.name = "least"}, tensor<?xf32> {nstf.name = "best"}, tensor<?xi32> {nstf.name = "place"},
        tensor<?xi32> {nstf.name = "integers"}, tensor<?x37xf32> {nstf.name = "of_all"}, tensor<?x4096xf32> {nstf.name = "softmax"},
        tensor<11x13xf32> {nstf.name = "matmul"}, tensor<?xf32> {nstf.name = "norm"}, tensor<?x698xf32> {nstf.name = "window"})
    attributes {context = 200 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %tokens = tensor.dim %x, %c0 : tensor<?x37xf32>
  %er = tensor.empty(%tokens) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sums = linalg.reduce {arith.addf} ins(%x : tensor<?x37xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  // The sum begins with the result of another one.
  %long_sums = linalg.reduce {arith.addf} ins(%y : tensor<?x4096xf32>) outs(%sums : tensor<?xf32>) dimensions = [1]

  %e37 = tensor.empty() : tensor<37xf32>
  %zeros37 = linalg.fill ins(%zero : f32) outs(%e37 : tensor<37xf32>) -> tensor<37xf32>
  %columns = linalg.reduce {arith.addf} ins(%x : tensor<?x37xf32>) outs(%zeros37 : tensor<37xf32>) dimensions = [0]
  %count_i32 = arith.index_cast %tokens : index to i32
  %count = arith.sitofp %count_i32 : i32 to f32
  %mean = linalg.map ins(%columns : tensor<37xf32>) outs(%e37 : tensor<37xf32>) (%p: f32, %o: f32) {
    %1 = arith.divf %p, %count : f32
    linalg.yield %1 : f32
  }

  %em = tensor.empty(%tokens) : tensor<?x700xf32>
  %zerosm = linalg.fill ins(%zero : f32) outs(%em : tensor<?x700xf32>) -> tensor<?x700xf32>
  %middle = linalg.reduce {arith.addf} ins(%z : tensor<?x5x700xf32>) outs(%zerosm : tensor<?x700xf32>) dimensions = [1]

  %ones = linalg.fill ins(%one : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %product = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x37xf32>) outs(%ones : tensor<?xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %1 = arith.addf %p, %one : f32
    %2 = arith.mulf %1, %acc : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>

  %lowest = arith.constant 0xFF800000 : f32
  %highest = arith.constant 0x7F800000 : f32
  %lows = linalg.fill ins(%lowest : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %highs = linalg.fill ins(%highest : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %largest = linalg.reduce {arith.maximumf} ins(%y : tensor<?x4096xf32>) outs(%lows : tensor<?xf32>) dimensions = [1]
  %least = linalg.reduce {arith.minnumf} ins(%z : tensor<?x5x700xf32>) outs(%highs : tensor<?xf32>) dimensions = [1, 2]

  // Two results of one op: the max and its index.
  %ei = tensor.empty(%tokens) : tensor<?xi32>
  %none = arith.constant -1 : i32
  %nones = linalg.fill ins(%none : i32) outs(%ei : tensor<?xi32>) -> tensor<?xi32>
  %best, %place = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x37xf32>) outs(%lows, %nones : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%p: f32, %acc: f32, %at: i32):
    %j = linalg.index 1 : index
    %1 = arith.index_cast %j : index to i32
    %2 = arith.cmpf ogt, %p, %acc : f32
    %3 = arith.select %2, %p, %acc : f32
    %4 = arith.select %2, %1, %at : i32
    linalg.yield %3, %4 : f32, i32
  } -> (tensor<?xf32>, tensor<?xi32>)

  %zero_i32 = arith.constant 0 : i32
  %zerosi = linalg.fill ins(%zero_i32 : i32) outs(%ei : tensor<?xi32>) -> tensor<?xi32>
  %integers = linalg.reduce {arith.addi} ins(%n : tensor<?x130xi32>) outs(%zerosi : tensor<?xi32>) dimensions = [1]

  // A reduction to one number, which every element then uses.
  %e0 = tensor.empty() : tensor<f32>
  %zero0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %total = linalg.reduce {arith.addf} ins(%x : tensor<?x37xf32>) outs(%zero0 : tensor<f32>) dimensions = [0, 1]
  %e = tensor.empty(%tokens) : tensor<?x37xf32>
  %of_all = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %total : tensor<?x37xf32>, tensor<f32>) outs(%e : tensor<?x37xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.subf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<?x37xf32>

  %ey = tensor.empty(%tokens) : tensor<?x4096xf32>
  %softmax = linalg.softmax dimension(1) ins(%y : tensor<?x4096xf32>) outs(%ey : tensor<?x4096xf32>) -> tensor<?x4096xf32>

  %eab = tensor.empty() : tensor<11x13xf32>
  %zab = linalg.fill ins(%zero : f32) outs(%eab : tensor<11x13xf32>) -> tensor<11x13xf32>
  %matmul = linalg.matmul ins(%a, %b : tensor<11x70xf32>, tensor<70x13xf32>) outs(%zab : tensor<11x13xf32>) -> tensor<11x13xf32>

  // Elementwise ops before and after a sum are computed in its kernel.
  %squares = arith.mulf %z, %z : tensor<?x5x700xf32>
  %sum2 = linalg.reduce {arith.addf} ins(%squares : tensor<?x5x700xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1, 2]
  %norm = math.sqrt %sum2 : tensor<?xf32>

  // Sums of three adjacent elements.
  %ew = tensor.empty(%tokens) : tensor<?x698xf32>
  %zw = linalg.fill ins(%zero : f32) outs(%ew : tensor<?x698xf32>) -> tensor<?x698xf32>
  %k = arith.constant dense<[1.0, -2.0, 1.0]> : tensor<3xf32>
  %window = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1 + d2)>, affine_map<(d0, d1, d2) -> (2 - d2)>,
                                             affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
                            iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%middle, %k, %k : tensor<?x700xf32>, tensor<3xf32>, tensor<3xf32>) outs(%zw : tensor<?x698xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %acc: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x698xf32>
  nstf.return %sums, %long_sums, %mean, %middle, %product, %largest, %least, %best, %place, %integers, %of_all, %softmax, %matmul, %norm, %window
      : tensor<?xf32>, tensor<?xf32>, tensor<37xf32>, tensor<?x700xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
        tensor<?xi32>, tensor<?xi32>, tensor<?x37xf32>, tensor<?x4096xf32>, tensor<11x13xf32>, tensor<?xf32>, tensor<?x698xf32>
}
