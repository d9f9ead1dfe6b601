// Elementwise chains with broadcasting, of ranks 0 to 4: named linalg ops, arith and math on tensors, linalg.generic.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#one = affine_map<(d0, d1) -> (d0, 0)>
#none = affine_map<(d0, d1) -> ()>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#middle = affine_map<(d0, d1, d2, d3) -> (d2, d1)>
nstf.weight @bias : tensor<37xf32>
nstf.weight @scale : tensor<3x5xf32>
nstf.graph @main(%x: tensor<?x37xf32> {nstf.name = "x"}, %s: tensor<?x1xf32> {nstf.name = "s"}, %v: tensor<?xf32> {nstf.name = "v"},
                 %w: tensor<?x5x3x2xf32> {nstf.name = "w"}, %k: tensor<1000xf32> {nstf.name = "k"})
    -> (tensor<?x37xf32> {nstf.name = "chain"}, tensor<?x37xf32> {nstf.name = "functions"}, tensor<?x37xf32> {nstf.name = "branches"},
        tensor<?x5x3x2xf32> {nstf.name = "rank4"}, tensor<1000xf32> {nstf.name = "static"}, tensor<?xi32> {nstf.name = "whole"},
        tensor<?x37xf32> {nstf.name = "outer"}, tensor<7x9xf32> {nstf.name = "constant"})
    attributes {context = 200 : i64} {
  %bias = nstf.get @bias : tensor<37xf32>
  %scale = nstf.get @scale : tensor<3x5xf32>
  %c0 = arith.constant 0 : index
  %tokens = tensor.dim %x, %c0 : tensor<?x37xf32>
  %e = tensor.empty(%tokens) : tensor<?x37xf32>

  // A bias along the columns, a factor for each row, a number for all.
  %a = linalg.generic {indexing_maps = [#id, #column, #one, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %bias, %s : tensor<?x37xf32>, tensor<37xf32>, tensor<?x1xf32>) outs(%e : tensor<?x37xf32>) {
  ^bb0(%p: f32, %b: f32, %f: f32, %o: f32):
    %1 = arith.addf %p, %b : f32
    %2 = arith.mulf %1, %f : f32
    linalg.yield %2 : f32
  } -> tensor<?x37xf32>
  %b0 = linalg.broadcast ins(%bias : tensor<37xf32>) outs(%e : tensor<?x37xf32>) dimensions = [0]
  %b1 = linalg.map {arith.subf} ins(%a, %b0 : tensor<?x37xf32>, tensor<?x37xf32>) outs(%e : tensor<?x37xf32>)
  %n = math.absf %b1 : tensor<?x37xf32>
  %chain = arith.negf %n : tensor<?x37xf32>

  %functions = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x37xf32>) outs(%e : tensor<?x37xf32>) {
  ^bb0(%p: f32, %o: f32):
    %one = arith.constant 1.5 : f32
    %1 = math.exp %p : f32
    %2 = math.exp2 %p : f32
    %3 = arith.addf %p, %one : f32
    %4 = math.log %3 : f32
    %5 = math.log2 %3 : f32
    %6 = math.sqrt %3 : f32
    %7 = math.rsqrt %3 : f32
    %8 = math.floor %3 : f32
    %9 = math.ceil %p : f32
    %10 = math.fma %1, %2, %4 : f32
    %11 = arith.divf %10, %6 : f32
    %12 = arith.addf %11, %5 : f32
    %13 = math.fma %7, %8, %9 : f32
    %14 = arith.addf %12, %13 : f32
    %15 = math.powf %3, %p : f32
    %16 = math.round %p : f32
    %17 = math.trunc %3 : f32
    %18 = math.copysign %15, %p : f32
    %19 = arith.addf %16, %17 : f32
    %20 = arith.addf %18, %19 : f32
    %21 = arith.addf %14, %20 : f32
    %22 = math.log10 %3 : f32
    %23 = arith.addf %21, %22 : f32
    linalg.yield %23 : f32
  } -> tensor<?x37xf32>

  // Comparisons, selects, integers, and the index of an element.
  %branches = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x37xf32>) outs(%e : tensor<?x37xf32>) {
  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : i32
    %zero = arith.constant 0.0 : f32
    %1 = arith.muli %i, %c3 : index
    %2 = arith.addi %1, %j : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.remsi %3, %c7 : i32
    %5 = arith.shli %4, %c7 : i32
    %6 = arith.sitofp %5 : i32 to f32
    %7 = arith.cmpf ogt, %p, %zero : f32
    %8 = arith.cmpi slt, %i, %j : index
    %9 = arith.xori %7, %8 : i1
    %10 = arith.select %9, %6, %p : f32
    %11 = arith.extui %9 : i1 to i32
    %12 = arith.uitofp %11 : i32 to f32
    %13 = arith.maximumf %10, %12 : f32
    %14 = arith.minnumf %13, %6 : f32
    linalg.yield %14 : f32
  } -> tensor<?x37xf32>

  %e4 = tensor.empty(%tokens) : tensor<?x5x3x2xf32>
  %rank4 = linalg.generic {indexing_maps = [#id4, #middle, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w, %scale : tensor<?x5x3x2xf32>, tensor<3x5xf32>) outs(%e4 : tensor<?x5x3x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<?x5x3x2xf32>

  %k2 = arith.mulf %k, %k : tensor<1000xf32>
  %static = arith.addf %k2, %k : tensor<1000xf32>

  %thousand = arith.constant 1000.0 : f32
  %ei = tensor.empty(%tokens) : tensor<?xi32>
  %whole = linalg.map ins(%v : tensor<?xf32>) outs(%ei : tensor<?xi32>) (%p: f32, %o: i32) {
    %1 = arith.mulf %p, %thousand : f32
    %2 = arith.fptosi %1 : f32 to i32
    linalg.yield %2 : i32
  }

  // An outer product, from tensors of rank 1.
  %outer = linalg.generic {indexing_maps = [#row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%v, %bias : tensor<?xf32>, tensor<37xf32>) outs(%e : tensor<?x37xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<?x37xf32>

  // A tensor without inputs.
  %constant = tensor.generate {
  ^bb0(%i: index, %j: index):
    %1 = arith.subi %i, %j : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    tensor.yield %3 : f32
  } : tensor<7x9xf32>
  nstf.return %chain, %functions, %branches, %rank4, %static, %whole, %outer, %constant
      : tensor<?x37xf32>, tensor<?x37xf32>, tensor<?x37xf32>, tensor<?x5x3x2xf32>, tensor<1000xf32>, tensor<?xi32>, tensor<?x37xf32>, tensor<7x9xf32>
}
