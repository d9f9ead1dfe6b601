// Types get the sizes of the kernel's parameters by the names of their axes; errors are in instantiate-errors.mlir.
// RUN: nstf-opt %s -systolic-instantiate=params=BM=48,BK=24,M=100 | FileCheck %s
// RUN: nstf-opt %s -systolic-instantiate="BM=48 BK=24 M=100" | FileCheck %s
// RUN: nstf-opt %s --pass-pipeline='builtin.module(systolic-instantiate{BM=48 BK=24 M=100})' | FileCheck %s
// RUN: nstf-opt %s -systolic-instantiate | FileCheck %s --check-prefix=DEFAULT

!X = memref<64x64xf32, #systolic.axes<M, K>>
!x = tensor<32x32xf32, #systolic.axes<BM, BK>>
!row = tensor<1x32xf32, #systolic.axes<1, BK>>

// The rows of a launch are the tokens of the step or a number.
// RUN: nstf-opt %root/templates/kernels/argmax.mlir -systolic-instantiate="ROWS=0" | FileCheck %s --check-prefix=STEP
// RUN: nstf-opt %root/templates/kernels/argmax.mlir -systolic-instantiate="ROWS=9" | FileCheck %s --check-prefix=FIXED
// STEP: %[[ROWS:.+]] = systolic.control tokens
// STEP: limit[%[[ROWS]]]
// FIXED: %[[ROWS:.+]] = arith.constant 9 : index
// FIXED-NOT: systolic.control
// FIXED: limit[%[[ROWS]]]

// The option's schedule fields override the template's; the others stay.
// RUN: nstf-opt %root/templates/kernels/matmul.mlir -systolic-instantiate="waves=1x4x2 order=turns" | FileCheck %s --check-prefix=FIELDS
// RUN: nstf-opt %root/templates/kernels/matmul.mlir -systolic-instantiate="BM=64" | FileCheck %s --check-prefix=KEPT
// FIELDS: schedule = #systolic.schedule<waves = 1x4x2, sum = 16, order = turns>
// KEPT: schedule = #systolic.schedule<waves = 2x2, sum = 16>

// The operand type; conversions between equal types disappear; an f32 parameter.
// RUN: nstf-opt %root/templates/kernels/attention.mlir -systolic-instantiate="OPERAND=bf16 SCALE=0.25" | FileCheck %s --check-prefix=BF16
// RUN: nstf-opt %root/templates/kernels/attention.mlir -systolic-instantiate="OPERAND=f32" | FileCheck %s --check-prefix=F32 --implicit-check-not=arith.truncf --implicit-check-not=systolic.operand
// BF16: arith.truncf %{{.+}} fastmath<nnan,afn> : tensor<32x16xf32, #systolic.axes<BK, BQ>> to tensor<32x16xbf16, #systolic.axes<BK, BQ>>
// BF16: systolic.kernel @attention(%{{.+}}: memref<64x64xbf16, #systolic.axes<RQ, D>>
// BF16-SAME: OPERAND = bf16
// BF16: arith.constant 2.500000e-01 : f32
// F32: systolic.mma %{{.+}}, %{{.+}}, %{{.+}} : tensor<32x16xf32, #systolic.axes<BK, DK>>, tensor<16x16xf32, #systolic.axes<DK, BQ>>

// The type of sums follows that of operands.
// RUN: nstf-opt %root/templates/kernels/matmul.mlir -systolic-instantiate="OPERAND=i8 BM=64" | FileCheck %s --check-prefix=I8 --implicit-check-not=f32
// RUN: nstf-opt %root/templates/kernels/matmul.mlir -systolic-instantiate="OPERAND=f8E4M3FNUZ" | FileCheck %s --check-prefix=F8
// I8: arith.constant dense<0> : tensor<64x32xi32, #systolic.axes<BM, BN>>
// I8: systolic.mma %{{.+}}, %{{.+}}, %{{.+}} : tensor<64x32xi8, #systolic.axes<BM, BK>>, tensor<32x32xi8, #systolic.axes<BK, BN>> -> tensor<64x32xi32, #systolic.axes<BM, BN>>
// I8: systolic.store %{{.+}} : tensor<64x32xi32, #systolic.axes<BM, BN>>, memref<64x64xi32, #systolic.axes<M, N>>
// F8: systolic.mma %{{.+}}, %{{.+}}, %{{.+}} : tensor<32x32xf8E4M3FNUZ, #systolic.axes<BM, BK>>, tensor<32x32xf8E4M3FNUZ, #systolic.axes<BK, BN>> -> tensor<32x32xf32, #systolic.axes<BM, BN>>

// An axis that is a product of parameters.
// RUN: nstf-opt %root/templates/kernels/attention.mlir -systolic-instantiate="PARTS=3 RQ=40 DX=48" | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: systolic.kernel @attention({{.+}}: memref<120x48xf32, #systolic.axes<RQ * PARTS, DX>>

// A divisor rounds up, and applies to its own factor: 33 rows are three tiles of 16.
// RUN: nstf-opt %root/templates/kernels/attention.mlir -systolic-instantiate="PARTS=3 RG=33 HK=2 DX=48 BQ=16" | FileCheck %s --check-prefix=QUOTIENT
// QUOTIENT: systolic.kernel @attention({{.+}}: memref<864x16xf32, #systolic.axes<RG / BQ * HK * PARTS * DX, BQ>>

// A slot's signature and body are resized with the kernel; a parameter that the slot reads is the kernel's.
// CHECK-LABEL: func.func private @epilogue(
// CHECK-SAME: %{{.+}}: tensor<48x24xf32, #systolic.axes<BM, BK>>) -> tensor<48x24xf32, #systolic.axes<BM, BK>>
// CHECK: arith.constant 24 : index
func.func private @epilogue(%x: !x) -> !x {
  %BK = systolic.param "BK"
  %BK_i32 = arith.index_cast %BK : index to i32
  %BK_f32 = arith.sitofp %BK_i32 : i32 to f32
  %b = systolic.broadcast %BK_f32 : f32 -> !x
  %y = arith.mulf %x, %b : !x
  return %y : !x
}

// CHECK-LABEL: systolic.kernel @copy(
// CHECK-SAME: memref<100x64xf32, #systolic.axes<M, K>>, %{{.+}}: index
// CHECK-SAME: params = {BK = 24 : i64, BM = 48 : i64, K = 64 : i64, M = 100 : i64}
// DEFAULT-LABEL: systolic.kernel @copy(
// DEFAULT-SAME: memref<64x64xf32, #systolic.axes<M, K>>
// DEFAULT-SAME: params = {BK = 32 : i64, BM = 32 : i64, K = 64 : i64, M = 64 : i64}
systolic.kernel @copy(%X: !X, %work: index)
    attributes {params = {M = 64, K = 64, BM = 32, BK = 32}, grid = ["M", "BM"]} {
  // CHECK: %[[BM:.+]] = arith.constant 48 : index
  // CHECK-NOT: systolic.param
  %BM = systolic.param "BM"
  %c0 = arith.constant 0 : index
  // Splat constants keep their value, and dimensions without a name keep their size.
  // CHECK: arith.constant dense<2.500000e+00> : tensor<48x24xf32, #systolic.axes<BM, BK>>
  // CHECK: arith.constant dense<0.000000e+00> : tensor<1x24xf32, #systolic.axes<1, BK>>
  // DEFAULT: arith.constant dense<2.500000e+00> : tensor<32x32xf32, #systolic.axes<BM, BK>>
  %c = arith.constant dense<2.5> : !x
  %r = arith.constant dense<0.0> : !row
  // Loop-carried tiles are resized too.
  // CHECK: scf.for {{.+}} -> (tensor<48x24xf32, #systolic.axes<BM, BK>>)
  %sum = scf.for %i = %c0 to %work step %BM iter_args(%acc = %c) -> (!x) {
    %x = systolic.load %X[%i, %c0] : !X -> !x
    %next = arith.addf %acc, %x : !x
    scf.yield %next : !x
  }
  // CHECK: call @epilogue(%{{.+}}) : (tensor<48x24xf32, #systolic.axes<BM, BK>>) -> tensor<48x24xf32, #systolic.axes<BM, BK>>
  %y = func.call @epilogue(%sum) : (!x) -> !x
  systolic.store %y, %X[%c0, %c0] : !x, !X
  systolic.return
}
