// Layouts spread from the products, then from the largest tiles; where two layouts meet, a conversion is inserted.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(systolic.kernel(systolic-assign-layouts))' | FileCheck %s

// Elementwise ops, broadcasts and reductions around an accumulator need no conversion. Loaded operands keep their
// blocked layout up to the products, along the rows of memory even if they are loaded transposed.
!X = memref<64x64xf32, #systolic.axes<M, K>>
!x = tensor<16x32xf32, #systolic.axes<BM, BK>>
!w = tensor<32x16xf32, #systolic.axes<BK, BN>>
!y = tensor<16x16xf32, #systolic.axes<BM, BN>>
!r = tensor<16xf32, #systolic.axes<BN>>
// CHECK-DAG: #[[ACC:.+]] = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
// CHECK-DAG: #[[A:.+]] = #systolic.fragment<reg [1:4*1, 1:2*16], lane [0:16*1, 1:4*4], wave []>
// CHECK-DAG: #[[B:.+]] = #systolic.fragment<reg [0:4*1, 0:2*16], lane [1:16*1, 0:4*4], wave []>
// CHECK-DAG: #[[X:.+]] = #systolic.fragment<reg [1:4*1, 0:2*8], lane [1:8*4, 0:8*1], wave []>
// CHECK-DAG: #[[W:.+]] = #systolic.fragment<reg [0:4*1, 1:2*8], lane [0:8*4, 1:8*1], wave []>
// CHECK-DAG: #[[SLICE:.+]] = #systolic.fragment<reg [], lane [0:16*1, -1:4*0], wave []>
// CHECK-LABEL: systolic.kernel @product
// CHECK: arith.constant dense<0.000000e+00> : tensor<16x16xf32, #[[ACC]]>
// CHECK: scf.for {{.+}} -> (tensor<16x16xf32, #[[ACC]]>)
// CHECK: systolic.load {{.+}} -> tensor<16x32xf32, #[[X]]>
// CHECK: systolic.load {{.+}} transposed {{.+}} -> tensor<32x16xf32, #[[W]]>
// CHECK: %[[DOUBLED:.+]] = arith.addf {{.+}} : tensor<32x16xf32, #[[W]]>
// CHECK: systolic.convert_layout {{.+}} -> tensor<16x32xf32, #[[A]]>
// CHECK: systolic.convert_layout %[[DOUBLED]] {{.+}} -> tensor<32x16xf32, #[[B]]>
// CHECK: systolic.mma {{.+}} : tensor<16x32xf32, #[[A]]>, tensor<32x16xf32, #[[B]]> -> tensor<16x16xf32, #[[ACC]]>
// CHECK-NOT: convert_layout
// CHECK: systolic.reduce max {{.+}} along 0 : tensor<16x16xf32, #[[ACC]]> -> tensor<16xf32, #[[SLICE]]>
// CHECK: systolic.broadcast {{.+}} : tensor<16xf32, #[[SLICE]]> -> tensor<16x16xf32, #[[ACC]]>
// CHECK: systolic.load {{.+}} -> tensor<16x16xf32, #[[ACC]]>
// CHECK: arith.mulf {{.+}} : tensor<16x16xf32, #[[ACC]]>
systolic.kernel @product(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !y
  %sum = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> (!y) {
    %x = systolic.load %X[%c0, %k] : !X -> !x
    %loaded = systolic.load %X[%c0, %k] transposed : !X -> !w
    %w = arith.addf %loaded, %loaded : !w
    %next = systolic.mma %x, %w, %acc : !x, !w -> !y
    scf.yield %next : !y
  }
  %max = systolic.reduce max %sum along 0 : !y -> !r
  %columns = systolic.broadcast %max along 0 : !r -> !y
  %shifted = arith.subf %sum, %columns : !y
  %gate = systolic.load %X[%c0, %c0] : !X -> !y
  %result = arith.mulf %shifted, %gate : !y
  systolic.store %result, %X[%c0, %c0] : !y, !X
  systolic.return
}

// -----

// Attention: the first product's result is the second one's B without a conversion; as A it must be converted. A value
// that several products use is converted once.
!k = tensor<16x16xf32, #systolic.axes<BK, DP>>
!q = tensor<16x16xf32, #systolic.axes<DP, BQ>>
!s = tensor<16x16xf32, #systolic.axes<BK, BQ>>
// CHECK-LABEL: systolic.kernel @chained
// CHECK: %[[S:.+]] = systolic.mma
// CHECK-NEXT: %[[O:.+]] = systolic.mma %{{.+}}, %[[S]], %{{.+}}
// CHECK-NEXT: %[[T:.+]] = systolic.convert_layout %[[S]] : {{.+}} -> tensor<16x16xf32, #[[A:.+]]>
// CHECK-NEXT: systolic.mma %[[T]], %{{.+}} : tensor<16x16xf32, #[[A]]>
systolic.kernel @chained(%K: memref<64x64xf32, #systolic.axes<L, D>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %k = systolic.load %K[%work, %work] : memref<64x64xf32, #systolic.axes<L, D>> -> !k
  %q = systolic.load %K[%work, %work] : memref<64x64xf32, #systolic.axes<L, D>> -> !q
  %zero = arith.constant dense<0.0> : !s
  %s = systolic.mma %k, %q, %zero : !k, !q -> !s
  %o = systolic.mma %k, %s, %zero : !k, !s -> !s
  %p = systolic.mma %s, %q, %zero : !s, !q -> !s
  systolic.store %o, %K[%work, %work] : !s, memref<64x64xf32, #systolic.axes<L, D>>
  systolic.store %p, %K[%work, %work] : !s, memref<64x64xf32, #systolic.axes<L, D>>
  systolic.return
}

// -----

// Without products the largest tile decides, with 16 bytes per lane. Four rows are too few for four waves, so the waves
// repeat the work. Index tiles have a slice of the layout of the tile they index, and are recreated for each use.
!X = memref<64x64xf32, #systolic.axes<M, K>>
!V = memref<64xf32, #systolic.axes<K>>
!x = tensor<4x64xf32, #systolic.axes<BM, BK>>
!v = tensor<64xf32, #systolic.axes<BK>>
!r = tensor<4xf32, #systolic.axes<BM>>
!i = tensor<4xi32, #systolic.axes<BM>>
// CHECK-DAG: #[[X:.+]] = #systolic.fragment<reg [1:4*1], lane [1:16*4, 0:4*1], wave [-1:4*0]>
// CHECK-DAG: #[[ROWS:.+]] = #systolic.fragment<reg [], lane [-1:16*0, 0:4*1], wave [-1:4*0]>
// CHECK-DAG: #[[COLS:.+]] = #systolic.fragment<reg [0:4*1], lane [0:16*4, -1:4*0], wave [-1:4*0]>
// CHECK-LABEL: systolic.kernel @rows
// CHECK: %[[I:.+]] = systolic.iota along 0 : tensor<4xi32, #[[ROWS]]>
// CHECK: %[[J:.+]] = systolic.iota along 0 : tensor<4xi32, #[[ROWS]]>
// CHECK: systolic.load {{.+}} rows(%[[I]] : {{.+}}) : {{.+}} -> tensor<4x64xf32, #[[X]]>
// CHECK: systolic.load {{.+}} -> tensor<64xf32, #[[COLS]]>
// CHECK: systolic.broadcast {{.+}} : tensor<64xf32, #[[COLS]]> -> tensor<4x64xf32, #[[X]]>
// CHECK: systolic.reduce add {{.+}} along 1 : tensor<4x64xf32, #[[X]]> -> tensor<4xf32, #[[ROWS]]>
// CHECK: systolic.broadcast {{.+}} along 1 : tensor<4xf32, #[[ROWS]]> -> tensor<4x64xf32, #[[X]]>
// CHECK: systolic.store {{.+}} rows(%[[J]]
systolic.kernel @rows(%X: !X, %V: !V, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 4x1>} {
  %zero = arith.constant 0 : index
  %i = systolic.iota along 0 : !i
  %x = systolic.load %X[%zero, %zero] rows(%i : !i) : !X -> !x
  %v = systolic.load %V[%zero] : !V -> !v
  %vb = systolic.broadcast %v along 0 : !v -> !x
  %y = arith.mulf %x, %vb : !x
  %s = systolic.reduce add %y along 1 : !x -> !r
  %n = arith.constant dense<1.0> : !r
  %q = arith.divf %n, %s : !r
  %qb = systolic.broadcast %q along 1 : !r -> !x
  %z = arith.mulf %y, %qb : !x
  systolic.store %z, %X[%zero, %zero] rows(%i : !i) : !x, !X
  systolic.return
}

// -----

// The parts of a sum stay in the waves of the products. The results of a region have the layout of the values that
// stand otherwise, whatever the layout of the condition.
!X = memref<64x64xf32, #systolic.axes<M, K>>
!x = tensor<16x16xf32, #systolic.axes<BM, BM>>
!parts = tensor<8x16xf32, #systolic.axes<8, BM>>
!asks = tensor<8x16xi1, #systolic.axes<8, BM>>
// CHECK-DAG: #[[PARTS:.+]] = #systolic.fragment<reg [0:2*4], lane [1:16*1, 0:4*1], wave []>
// CHECK-DAG: #[[ACC:.+]] = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
// CHECK-LABEL: systolic.kernel @branch
// CHECK: %[[C:.+]] = systolic.mma {{.+}} -> tensor<16x16xf32, #[[ACC]]>
// CHECK: systolic.reduce max %[[C]] along 0 parts 8 : tensor<16x16xf32, #[[ACC]]> -> tensor<8x16xf32, #[[PARTS]]>
// CHECK: systolic.if_any
// CHECK:   %[[SCALED:.+]] = arith.mulf %{{.+}}, %{{.+}} : tensor<16x16xf32, #[[ACC]]>
// CHECK:   systolic.yield %[[SCALED]] : tensor<16x16xf32, #[[ACC]]>
// CHECK: } else %[[C]] : tensor<8x16xi1, #[[PARTS]]> -> tensor<16x16xf32, #[[ACC]]>
systolic.kernel @branch(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %a = systolic.load %X[%c0, %c0] : !X -> !x
  %zero = arith.constant dense<0.0> : !x
  %c = systolic.mma %a, %a, %zero : !x, !x -> !x
  %max = systolic.reduce max %c along 0 parts 8 : !x -> !parts
  %bound = arith.constant dense<8.0> : !parts
  %is_large = arith.cmpf ogt, %max, %bound : !parts
  %y = systolic.if_any %is_large {
    %half = arith.constant dense<0.5> : !x
    %scaled = arith.mulf %c, %half : !x
    systolic.yield %scaled : !x
  } else %c : !asks -> !x
  systolic.store %y, %X[%c0, %c0] : !x, !X
  systolic.return
}

// -----

// A constant with two uses in two layouts is cloned instead of converted. A computed tile is converted.
!X = memref<64x64xf32, #systolic.axes<M, K>>
!x = tensor<16x16xf32, #systolic.axes<BM, BM>>
!v = tensor<16xf32, #systolic.axes<BM>>
// CHECK-LABEL: systolic.kernel @shared
// CHECK: %[[V:.+]] = systolic.reduce max {{.+}} -> tensor<16xf32, #[[ROWS:.+]]>
// CHECK: arith.constant dense<2.000000e+00> : tensor<16xf32, #[[ROWS]]>
// CHECK: arith.constant dense<2.000000e+00> : tensor<16xf32, #[[COLS:.+]]>
// CHECK: %[[A:.+]] = arith.mulf %[[V]], %{{.+}} : tensor<16xf32, #[[ROWS]]>
// CHECK: %[[B:.+]] = systolic.convert_layout %[[A]] : tensor<16xf32, #[[ROWS]]> -> tensor<16xf32, #[[COLS]]>
// CHECK: systolic.broadcast %[[B]] : tensor<16xf32, #[[COLS]]>
systolic.kernel @shared(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %zero = arith.constant 0 : index
  %x = systolic.load %X[%zero, %zero] : !X -> !x
  %v = systolic.reduce max %x along 1 : !x -> !v
  %two = arith.constant dense<2.0> : !v
  %a = arith.mulf %v, %two : !v
  %b = systolic.broadcast %a along 0 : !v -> !x
  %t = systolic.broadcast %two along 0 : !v -> !x
  %c = arith.addf %b, %t : !x
  %d = arith.addf %c, %x : !x
  systolic.store %d, %X[%zero, %zero] : !x, !X
  systolic.return
}

// -----

// The layout of the words decides, with 16 bytes per lane. The codes of a word are adjacent registers, and one scale
// serves all elements of a group that a lane holds. Each lane that holds a part of a group has the group's scale.
!W = memref<64x64xi32, #systolic.axes<N, KW>>
!S = memref<64x8xf32, #systolic.axes<N, KG>>
!words = tensor<8x32xi32, #systolic.axes<BN, BW>>
!codes = tensor<8x256xf32, #systolic.axes<BN, BK>>
!scales = tensor<8x4xf32, #systolic.axes<BN, BG>>
// CHECK-DAG: #[[WORDS:.+]] = #systolic.fragment<reg [1:4*1], lane [1:8*4, 0:8*1], wave []>
// CHECK-DAG: #[[CODES:.+]] = #systolic.fragment<reg [1:32*1], lane [1:8*32, 0:8*1], wave []>
// CHECK-DAG: #[[SCALES:.+]] = #systolic.fragment<reg [], lane [-1:2*0, 1:4*1, 0:8*1], wave []>
// CHECK-LABEL: systolic.kernel @decoded
// CHECK: systolic.load {{.+}} -> tensor<8x32xi32, #[[WORDS]]>
// CHECK: systolic.unpack 4 {{.+}} -> tensor<8x256xf32, #[[CODES]]>
// CHECK: systolic.load {{.+}} -> tensor<8x4xf32, #[[SCALES]]>
// CHECK: systolic.broadcast {{.+}} each along 1 {{.+}} -> tensor<8x256xf32, #[[CODES]]>
// CHECK-NOT: convert_layout
systolic.kernel @decoded(%W: !W, %S: !S, %Y: memref<68x256xf32, #systolic.axes<N, K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %words = systolic.load %W[%c0, %c0] : !W -> !words
  %codes = systolic.unpack 4 %words along 1 : !words -> !codes
  %scales = systolic.load %S[%c0, %c0] : !S -> !scales
  %each = systolic.broadcast %scales each along 1 : !scales -> !codes
  %w = arith.mulf %codes, %each : !codes
  systolic.store %w, %Y[%c0, %c0] : !codes, memref<68x256xf32, #systolic.axes<N, K>>
  systolic.return
}

// -----

// A tile that one wave loads once, before the loop of its product, is loaded in the layout of the product. With a
// second wave along the rows it would be loaded twice.
!X = memref<64x64xf32, #systolic.axes<M, K>>
!x = tensor<32x32xf32, #systolic.axes<BM, BK>>
!w = tensor<32x16xf32, #systolic.axes<BK, BN>>
!y = tensor<32x16xf32, #systolic.axes<BM, BN>>
// CHECK-DAG: #[[B:.+]] = #systolic.fragment<reg [0:4*1, 0:2*16], lane [1:16*1, 0:4*4], wave []>
// CHECK-LABEL: systolic.kernel @once
// CHECK: systolic.load {{.+}} -> tensor<32x16xf32, #[[B]]>
// CHECK-NEXT: scf.for
// CHECK-COUNT-1: systolic.convert_layout
// CHECK-NEXT: systolic.mma
systolic.kernel @once(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : !y
  %w = systolic.load %X[%c0, %c0] : !X -> !w
  %sum = scf.for %k = %c0 to %work step %c32 iter_args(%acc = %zero) -> (!y) {
    %x = systolic.load %X[%c0, %k] : !X -> !x
    %next = systolic.mma %x, %w, %acc : !x, !w -> !y
    scf.yield %next : !y
  }
  systolic.store %sum, %X[%c0, %c0] : !y, !X
  systolic.return
}

// -----

!X = memref<64x64xf32, #systolic.axes<M, K>>
!x = tensor<32x32xf32, #systolic.axes<BM, BK>>
!w = tensor<32x16xf32, #systolic.axes<BK, BN>>
!y = tensor<32x16xf32, #systolic.axes<BM, BN>>
// CHECK-LABEL: systolic.kernel @shared
// CHECK: %[[W:.+]] = systolic.load {{.+}} -> tensor<32x16xf32,
// CHECK: systolic.convert_layout %[[W]]
systolic.kernel @shared(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 2x1, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : !y
  %w = systolic.load %X[%c0, %c0] : !X -> !w
  %sum = scf.for %k = %c0 to %work step %c32 iter_args(%acc = %zero) -> (!y) {
    %x = systolic.load %X[%c0, %k] : !X -> !x
    %next = systolic.mma %x, %w, %acc : !x, !w -> !y
    scf.yield %next : !y
  }
  systolic.store %sum, %X[%c0, %c0] : !y, !X
  systolic.return
}

// -----

// Sums of products: the layout of w decides. A wave has adjacent rows, and a lane holds all columns of its sums. All
// waves load x once, and share it when the loads are in flight. A computed x has the layout that the lanes need.
!W = memref<64x256xf16, #systolic.axes<N, K>>
!X = memref<1x256xf16, #systolic.axes<1, K>>
!w = tensor<8x256xf16, #systolic.axes<BN, BK>>
!x = tensor<1x256xf16, #systolic.axes<1, BK>>
!sums = tensor<8x32xf32, #systolic.axes<BN, BS>>
// CHECK-DAG: #[[W:.+]] = #systolic.fragment<reg [1:8*1, 0:2*2], lane [1:32*8, 0:2*1], wave [0:2*4]>
// CHECK-DAG: #[[X:.+]] = #systolic.fragment<reg [1:4*1], lane [1:64*4], wave [-1:2*0]>
// CHECK-DAG: #[[ROW:.+]] = #systolic.fragment<reg [1:8*1], lane [1:32*8, -1:2*0], wave [-1:2*0]>
// CHECK-DAG: #[[SUMS:.+]] = #systolic.fragment<reg [0:2*2], lane [1:32*1, 0:2*1], wave [0:2*4]>
// CHECK-LABEL: systolic.kernel @sums
// CHECK: systolic.load {{.+}} -> tensor<1x256xf16, #[[X]]>
// CHECK: systolic.load {{.+}} -> tensor<8x256xf16, #[[W]]>
// CHECK-NEXT: %[[ROW_X:.+]] = systolic.convert_layout {{.+}} -> tensor<1x256xf16, #[[ROW]]>
// CHECK-NEXT: arith.addf {{.+}} : tensor<8x256xf16, #[[W]]>
// CHECK-NEXT: systolic.dot %{{.+}}, %[[ROW_X]], {{.+}} -> tensor<8x32xf32, #[[SUMS]]>
// CHECK-NEXT: systolic.dot %{{.+}}, %[[ROW_X]], {{.+}} -> tensor<8x32xf32, #[[SUMS]]>
// CHECK-NEXT: systolic.dot %{{.+}}, %{{.+}}, {{.+}} : tensor<8x256xf16, #[[W]]>, tensor<1x256xf16, #[[ROW]]> -> tensor<8x32xf32, #[[SUMS]]>
// CHECK-NOT: convert_layout
systolic.kernel @sums(%W: !W, %X: !X, %Y: memref<64x32xf32, #systolic.axes<N, S>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 2x1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : !sums
  %ones = arith.constant dense<1.0> : !w
  %threes = arith.constant dense<3.0> : !x
  %x = systolic.load %X[%c0, %c0] : !X -> !x
  %loaded = systolic.load %W[%c0, %c0] : !W -> !w
  %w = arith.addf %loaded, %loaded : !w
  %products = systolic.dot %w, %x, %zero : !w, !x -> !sums
  %both = systolic.dot %ones, %x, %products : !w, !x -> !sums
  %all = systolic.dot %w, %threes, %both : !w, !x -> !sums
  systolic.store %all, %Y[%c0, %c0] : !sums, memref<64x32xf32, #systolic.axes<N, S>>
  systolic.return
}
