// The syntax of every op, attribute and type with all optional parts. examples.test has examples of plain use.
// RUN: nstf-opt %s -verify-roundtrip | FileCheck %s

// Equal layouts share an alias.
// CHECK-DAG: #[[ROWS:.+]] = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
// CHECK-DAG: #[[COLS:.+]] = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>

!X = memref<64x48xf32, #systolic.axes<M, K>>
!V = memref<48xf32, #systolic.axes<K>>
!x = tensor<16x32xf32, #systolic.axes<BM, BK>>
!xt = tensor<32x16xf32, #systolic.axes<BK, BM>>
!y = tensor<16x16xf32, #systolic.axes<BM, BM>>
!row = tensor<16xi32, #systolic.axes<BM>>
!col = tensor<32xi32, #systolic.axes<BK>>
!v = tensor<32xf32, #systolic.axes<BK>>
!one = tensor<1x32xf32, #systolic.axes<1, BK>>
!lds = !systolic.lds<2 x 16x32xf32, #systolic.swizzle<4, 8, 1>, #systolic.axes<BM, BK>>
!bytes = !systolic.lds<1 x 256xi8, unit, #systolic.axes<256>>

// CHECK-LABEL: systolic.kernel @all(
// CHECK-SAME: memref<64x48xf32, #systolic.axes<M, K>>
// CHECK-SAME: memref<48xf32, #systolic.axes<K>>
// CHECK-SAME: !systolic.control
// CHECK-SAME: index
// CHECK-SAME: !systolic.lds<2 x 16x32xf32, #systolic.swizzle<4, 8, 1>, #systolic.axes<BM, BK>>
// CHECK-SAME: !systolic.lds<1 x 256xi8, unit, #systolic.axes<256>> {systolic.scratch}
// CHECK-SAME: array = #systolic.array<waves = 2x2, cell = 16x16x16, instruction_k = 4>
// CHECK-SAME: grid = ["M", "BM"]
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, "the bias" = result 1, control], per_token = {M = 3 : i64}>
// CHECK-SAME: params = {BK = 32 : i64, BM = 16 : i64, K = 48 : i64, M = 64 : i64}
// CHECK-SAME: wave_size = 64
systolic.kernel @all(%X: !X, %V: !V, %control: !systolic.control, %work: index, %lds: !lds,
                     %scratch: !bytes {systolic.scratch})
    attributes {launch = #systolic.launch<[x = operand 0, "the bias" = result 1, control], per_token = {M = 3}>,
                params = {M = 64, K = 48, BM = 16, BK = 32}, grid = ["M", "BM"], wave_size = 64 : i64,
                array = #systolic.array<waves = 2x2, cell = 16x16x16, instruction_k = 4>} {
  // CHECK: %[[BM:.+]] = systolic.param "BM"
  %BM = systolic.param "BM"
  // CHECK: %[[TOKENS:.+]] = systolic.control tokens %{{[a-z0-9]+$}}
  %tokens = systolic.control tokens %control
  // CHECK: systolic.control position %{{[a-z0-9]+$}}
  %position = systolic.control position %control
  // CHECK: systolic.control rows %{{[a-z0-9]+$}}
  %rows = systolic.control rows %control
  // CHECK: %[[I:.+]] = systolic.iota along 0 : tensor<16xi32, #systolic.axes<BM>>
  %i = systolic.iota along 0 : !row
  %j = systolic.iota along 0 : !col

  // CHECK: %[[A:.+]] = systolic.load %{{.+}}[%{{.+}}, %{{.+}}] : memref<64x48xf32, #systolic.axes<M, K>> -> tensor<16x32xf32, #systolic.axes<BM, BK>>
  %a = systolic.load %X[%BM, %BM] : !X -> !x
  // CHECK: systolic.load %{{.+}}[%{{.+}}] limit[%[[TOKENS]]] : memref<48xf32, #systolic.axes<K>> -> tensor<32xf32, #systolic.axes<BK>>
  %v = systolic.load %V[%BM] limit [%tokens] : !V -> !v
  // CHECK: systolic.load %{{.+}}[%[[BM]], %[[BM]]] limit[%[[TOKENS]], %{{.+}}] rows(%[[I]] : tensor<16xi32, #systolic.axes<BM>>) cols(%{{.+}} : tensor<32xi32, #systolic.axes<BK>>) : memref
  %b = systolic.load %X[%BM, %BM] limit [%tokens, %position] rows(%i : !row) cols(%j : !col) : !X -> !x

  // CHECK: systolic.write %[[A]], %{{.+}}[%[[BM]]] : tensor<16x32xf32, #systolic.axes<BM, BK>>, !systolic.lds<2 x 16x32xf32, #systolic.swizzle<4, 8, 1>, #systolic.axes<BM, BK>>
  systolic.write %a, %lds[%BM] : !x, !lds
  // CHECK: systolic.barrier
  systolic.barrier
  // CHECK: systolic.read %{{.+}}[%[[BM]]] : !systolic.lds<{{.+}}> -> tensor<16x32xf32, #systolic.axes<BM, BK>>
  %c = systolic.read %lds[%BM] : !lds -> !x
  // CHECK: systolic.read %{{.+}}[%[[BM]]] transposed : !systolic.lds<{{.+}}> -> tensor<32x16xf32, #systolic.axes<BK, BM>>
  %d = systolic.read %lds[%BM] transposed : !lds -> !xt

  %zero = arith.constant dense<0.0> : !y
  // CHECK: systolic.mma %{{.+}}, %{{.+}}, %{{.+}} : tensor<16x32xf32, #systolic.axes<BM, BK>>, tensor<32x16xf32, #systolic.axes<BK, BM>> -> tensor<16x16xf32, #systolic.axes<BM, BM>>
  %y = systolic.mma %c, %d, %zero : !x, !xt -> !y

  // CHECK: systolic.reduce max %[[A]] along 0 : tensor<16x32xf32, #systolic.axes<BM, BK>> -> tensor<32xf32, #systolic.axes<BK>>
  %max = systolic.reduce max %a along 0 : !x -> !v
  // `along 0` is the default and is not printed.
  // CHECK: systolic.broadcast %{{.+}} : tensor<32xf32, #systolic.axes<BK>> -> tensor<16x32xf32, #systolic.axes<BM, BK>>
  %e = systolic.broadcast %max along 0 : !v -> !x
  // A dimension of size 1 that does not depend on a parameter.
  // CHECK: systolic.broadcast %{{.+}} : tensor<32xf32, #systolic.axes<BK>> -> tensor<1x32xf32, #systolic.axes<1, BK>>
  %f = systolic.broadcast %max : !v -> !one

  // CHECK: systolic.store %{{.+}}, %{{.+}}[%[[BM]], %[[BM]]] : tensor<16x32xf32
  systolic.store %e, %X[%BM, %BM] : !x, !X
  // CHECK: systolic.store %{{.+}}, %{{.+}}[%[[BM]], %[[BM]]] limit[%[[TOKENS]], %{{.+}}] rows(%[[I]] : tensor<16xi32, #systolic.axes<BM>>) transposed : tensor<32x16xf32
  systolic.store %d, %X[%BM, %BM] limit [%tokens, %position] rows(%i : !row) transposed : !xt, !X
  systolic.return
}

// A kernel without products has an array without a cell.
// CHECK-LABEL: systolic.kernel @waves
// CHECK-SAME: array = #systolic.array<waves = 1x4>
systolic.kernel @waves(%work: index) attributes {params = {}, grid = [], array = #systolic.array<waves = 1x4>} {
  systolic.return
}

// CHECK-LABEL: @convert
// CHECK-SAME: tensor<16x16xf32, #[[ROWS]]>
func.func @convert(%tile: tensor<16x16xf32, #rows>) -> tensor<16x16xf32, #cols> {
  // CHECK: systolic.convert_layout %{{.+}} : tensor<16x16xf32, #[[ROWS]]> -> tensor<16x16xf32, #[[COLS]]>
  %turned = systolic.convert_layout %tile : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  return %turned : tensor<16x16xf32, #cols>
}
