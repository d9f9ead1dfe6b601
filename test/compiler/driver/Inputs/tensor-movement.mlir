// Ops that move elements: gather, transpose, concatenate, slice, pad, reshape.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
nstf.weight @table : tensor<50x37xf32>
nstf.graph @main(%ids: tensor<?xi32> {nstf.name = "ids"}, %x: tensor<?x12x5xf32> {nstf.name = "x"}, %a: tensor<9x14xf32> {nstf.name = "a"},
                 %b: tensor<9x6xf32> {nstf.name = "b"}, %y: tensor<?x37xf32> {nstf.name = "y"})
    -> (tensor<?x37xf32> {nstf.name = "gathered"}, tensor<?x37xf32> {nstf.name = "gathered_op"}, tensor<?x5x12xf32> {nstf.name = "transposed"},
        tensor<14x9xf32> {nstf.name = "transposed_static"}, tensor<9x26xf32> {nstf.name = "concat"}, tensor<?x49xf32> {nstf.name = "concat_step"},
        tensor<4x5xf32> {nstf.name = "slice"}, tensor<?x7xf32> {nstf.name = "slice_step"}, tensor<14xf32> {nstf.name = "slice_row"},
        tensor<12x18xf32> {nstf.name = "pad"}, tensor<?x60xf32> {nstf.name = "collapsed"}, tensor<?x3x4x5xf32> {nstf.name = "expanded"},
        tensor<18x7xf32> {nstf.name = "reshaped"}, tensor<9x14xf32> {nstf.name = "inserted"}, tensor<1x37xf32> {nstf.name = "last"},
        tensor<3x2xf32> {nstf.name = "listed"}, tensor<?x5xf32> {nstf.name = "of_computed"})
    attributes {context = 200 : i64} {
  %table = nstf.get @table : tensor<50x37xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %tokens = tensor.dim %y, %c0 : tensor<?x37xf32>
  %e = tensor.empty(%tokens) : tensor<?x37xf32>
  // Row ids·3 - 2 of the table: the id 0 is below the table and ids above 17 are beyond it; such elements are 0.
  %gathered = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi32>) outs(%e : tensor<?x37xf32>) {
  ^bb0(%id: i32, %o: f32):
    %c3 = arith.constant 3 : i32
    %c2 = arith.constant 2 : i32
    %1 = arith.muli %id, %c3 : i32
    %2 = arith.subi %1, %c2 : i32
    %3 = arith.index_cast %2 : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%3, %j] : tensor<50x37xf32>
    linalg.yield %v : f32
  } -> tensor<?x37xf32>
  %columns = tensor.expand_shape %ids [[0, 1]] output_shape [%tokens, 1] : tensor<?xi32> into tensor<?x1xi32>
  %gathered_op = tensor.gather %table[%columns] gather_dims([0]) : (tensor<50x37xf32>, tensor<?x1xi32>) -> tensor<?x37xf32>

  %et = tensor.empty(%tokens) : tensor<?x5x12xf32>
  %transposed = linalg.transpose ins(%x : tensor<?x12x5xf32>) outs(%et : tensor<?x5x12xf32>) permutation = [0, 2, 1]
  %ets = tensor.empty() : tensor<14x9xf32>
  %transposed_static = linalg.transpose ins(%a : tensor<9x14xf32>) outs(%ets : tensor<14x9xf32>) permutation = [1, 0]

  %doubled = arith.addf %b, %b : tensor<9x6xf32>
  %concat = tensor.concat dim(1) %b, %a, %doubled : (tensor<9x6xf32>, tensor<9x14xf32>, tensor<9x6xf32>) -> tensor<9x26xf32>
  %part = tensor.extract_slice %y[0, 3] [%tokens, 12] [1, 2] : tensor<?x37xf32> to tensor<?x12xf32>
  %concat_step = tensor.concat dim(1) %y, %part : (tensor<?x37xf32>, tensor<?x12xf32>) -> tensor<?x49xf32>

  %slice = tensor.extract_slice %a[1, 2] [4, 5] [2, 2] : tensor<9x14xf32> to tensor<4x5xf32>
  %slice_step = tensor.extract_slice %y[0, 30] [%tokens, 7] [1, 1] : tensor<?x37xf32> to tensor<?x7xf32>
  %slice_row = tensor.extract_slice %a[8, 0] [1, 14] [1, 1] : tensor<9x14xf32> to tensor<14xf32>

  %pad = tensor.pad %a low[1, 0] high[2, 4] {
  ^bb0(%i: index, %j: index):
    %1 = arith.addi %i, %j : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    tensor.yield %3 : f32
  } : tensor<9x14xf32> to tensor<12x18xf32>

  %collapsed = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x12x5xf32> into tensor<?x60xf32>
  %expanded = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [%tokens, 3, 4, 5] : tensor<?x12x5xf32> into tensor<?x3x4x5xf32>
  // Through a transpose, so that elements are not in memory order.
  %flat = tensor.collapse_shape %transposed_static [[0, 1]] : tensor<14x9xf32> into tensor<126xf32>
  %reshaped = tensor.expand_shape %flat [[0, 1]] output_shape [18, 7] : tensor<126xf32> into tensor<18x7xf32>

  %inserted = tensor.insert_slice %doubled into %a[0, 1] [9, 6] [1, 2] : tensor<9x6xf32> into tensor<9x14xf32>

  // The last row of the step, at an index that depends on the step.
  %end = arith.subi %tokens, %c1 : index
  %last = tensor.extract_slice %y[%end, 0] [1, 37] [1, 1] : tensor<?x37xf32> to tensor<1x37xf32>

  %first = tensor.extract %a[%c0, %c1] : tensor<9x14xf32>
  %elements = tensor.from_elements %first, %zero, %first : tensor<3xf32>
  %signs = arith.constant dense<[[1.0, -1.0], [2.0, -2.0], [3.0, -3.0]]> : tensor<3x2xf32>
  %e32 = tensor.empty() : tensor<3x2xf32>
  %listed = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%elements, %signs : tensor<3xf32>, tensor<3x2xf32>) outs(%e32 : tensor<3x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.addf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>

  // A gather from a computed tensor, and a slice of its transpose.
  %exp = math.exp %x : tensor<?x12x5xf32>
  %turned = linalg.transpose ins(%exp : tensor<?x12x5xf32>) outs(%et : tensor<?x5x12xf32>) permutation = [0, 2, 1]
  %of_computed = tensor.extract_slice %turned[0, 0, 11] [%tokens, 5, 1] [1, 1, 1] : tensor<?x5x12xf32> to tensor<?x5xf32>
  nstf.return %gathered, %gathered_op, %transposed, %transposed_static, %concat, %concat_step, %slice, %slice_step, %slice_row, %pad, %collapsed, %expanded,
      %reshaped, %inserted, %last, %listed, %of_computed
      : tensor<?x37xf32>, tensor<?x37xf32>, tensor<?x5x12xf32>, tensor<14x9xf32>, tensor<9x26xf32>, tensor<?x49xf32>, tensor<4x5xf32>, tensor<?x7xf32>,
        tensor<14xf32>, tensor<12x18xf32>, tensor<?x60xf32>, tensor<?x3x4x5xf32>, tensor<18x7xf32>, tensor<9x14xf32>, tensor<1x37xf32>, tensor<3x2xf32>,
        tensor<?x5xf32>
}
