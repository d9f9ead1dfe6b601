// A pass refuses one of forty ops. The reducer keeps that op and the graph around it.
// RUN: nstf-reduce %s -reduction-tree='traversal-mode=0 test=%S/Inputs/fails-at-atan' | FileCheck %s --check-prefix=REDUCED

// REDUCED-NOT: math.exp
// REDUCED: nstf.graph
// REDUCED-NEXT: math.atan
// REDUCED-NEXT: nstf.return
// REDUCED-NEXT: }

nstf.graph @g(%x: tensor<4xf32> {nstf.name = "x"}) -> (tensor<4xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  %0 = math.exp %x : tensor<4xf32>
  %1 = math.sqrt %x : tensor<4xf32>
  %2 = arith.negf %x : tensor<4xf32>
  %3 = math.exp %x : tensor<4xf32>
  %4 = math.sqrt %x : tensor<4xf32>
  %5 = arith.negf %x : tensor<4xf32>
  %6 = math.exp %x : tensor<4xf32>
  %7 = math.sqrt %x : tensor<4xf32>
  %8 = arith.negf %x : tensor<4xf32>
  %9 = math.exp %x : tensor<4xf32>
  %10 = math.sqrt %x : tensor<4xf32>
  %11 = arith.negf %x : tensor<4xf32>
  %12 = math.exp %x : tensor<4xf32>
  %13 = math.sqrt %x : tensor<4xf32>
  %14 = arith.negf %x : tensor<4xf32>
  %15 = math.exp %x : tensor<4xf32>
  %16 = math.sqrt %x : tensor<4xf32>
  %17 = arith.negf %x : tensor<4xf32>
  %18 = math.exp %x : tensor<4xf32>
  %19 = math.sqrt %x : tensor<4xf32>
  %20 = math.atan %x : tensor<4xf32>
  %21 = math.exp %x : tensor<4xf32>
  %22 = math.sqrt %x : tensor<4xf32>
  %23 = arith.negf %x : tensor<4xf32>
  %24 = math.exp %x : tensor<4xf32>
  %25 = math.sqrt %x : tensor<4xf32>
  %26 = arith.negf %x : tensor<4xf32>
  %27 = math.exp %x : tensor<4xf32>
  %28 = math.sqrt %x : tensor<4xf32>
  %29 = arith.negf %x : tensor<4xf32>
  %30 = math.exp %x : tensor<4xf32>
  %31 = math.sqrt %x : tensor<4xf32>
  %32 = arith.negf %x : tensor<4xf32>
  %33 = math.exp %x : tensor<4xf32>
  %34 = math.sqrt %x : tensor<4xf32>
  %35 = arith.negf %x : tensor<4xf32>
  %36 = math.exp %x : tensor<4xf32>
  %37 = math.sqrt %x : tensor<4xf32>
  %38 = arith.negf %x : tensor<4xf32>
  nstf.return %20 : tensor<4xf32>
}
