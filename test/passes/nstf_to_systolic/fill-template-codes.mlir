// Fills kernel regions with codes into the shipped templates; fill-template.mlir does the same with floats.
// RUN: split-file %s %t
// DEFINE: %{of-one} = sed -e 's/^module {/module attributes {nstf.max_tokens = 1 : i64} {/'
// DEFINE: %{of-100} = sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/'
// DEFINE: %{kernels} = %root/templates/kernels
// DEFINE: %{fill} = nstf-opt -nstf-to-systolic-fill-template | FileCheck
// RUN: %{of-one} -e '/^module/r %t/matvec-codes.mlir' %{kernels}/matvec.mlir | %{fill} %t/matvec-codes.mlir
// RUN: %{of-one} -e '/^module/r %t/matvec-bytes.mlir' %{kernels}/matvec.mlir | %{fill} %t/matvec-bytes.mlir
// RUN: %{of-one} -e '/^module/r %t/matvec-floats.mlir' %{kernels}/matvec.mlir | %{fill} %t/matvec-floats.mlir
// RUN: %{of-100} -e '/^module/r %t/matmul-codes.mlir' %{kernels}/matmul.mlir | %{fill} %t/matmul-codes.mlir
// RUN: %{of-100} -e '/^module/r %t/matmul-bytes.mlir' %{kernels}/matmul.mlir | %{fill} %t/matmul-bytes.mlir
// RUN: %{of-100} -e '/^module/r %t/matmul-groups.mlir' %{kernels}/matmul.mlir | %{fill} %t/matmul-groups.mlir
// RUN: %{of-100} -e '/^module/r %t/rms-norm-codes.mlir' %{kernels}/rms_norm.mlir | %{fill} %t/rms-norm-codes.mlir
// RUN: %{of-100} -e '/^module/r %t/attention-codes-ordered.mlir' %{kernels}/attention.mlir | %{fill} %t/attention-codes-ordered.mlir
// RUN: %{of-100} -e '/^module/r %t/attention-codes.mlir' %{kernels}/attention.mlir | %{fill} %t/attention-codes.mlir
// RUN: %{of-100} -e '/^module/r %t/code-product.mlir' %{kernels}/matmul.mlir | %{fill} %t/code-product.mlir
// RUN: %{of-100} -e '/^module/r %t/quantize.mlir' %{kernels}/quantize.mlir | %{fill} %t/quantize.mlir
// RUN: %{of-100} -e '/^module/r %t/quantize-append.mlir' %{kernels}/quantize.mlir | %{fill} %t/quantize-append.mlir
// RUN: %{of-100} -e '/^module/r %t/quantize-ordered.mlir' %{kernels}/quantize.mlir | %{fill} %t/quantize-ordered.mlir

//--- attention-codes-ordered.mlir
// Codes are multiplied in f16, though queries are bf16. The scales of 500 positions have rows of 512.
// CHECK: systolic.kernel @attention_0(%{{.+}}: memref<64x64xbf16, {{.+}}, %{{.+}}: memref<64x64xi8, #systolic.axes<L, F>> {systolic.packed = #systolic.packed<16 x 64 bytes, by 4>}, %{{.+}}: memref<64x64xi8, #systolic.axes<VR, VC>> {systolic.packed = #systolic.packed<16 x 64 bytes, by 4>}, %{{[a-zA-Z0-9]+}}: memref<64x1xf32, #systolic.axes<SR, SC>>,
// CHECK-SAME: CODES = 1 : i64
// CHECK-SAME: FINITE = 1 : i64
// CHECK-SAME: KD = 64 : i64, KEYS = 256 : i64, L = 512 : i64, OPERAND = f16, ORDER = 1 : i64
// CHECK-SAME: SC = 512 : i64
// CHECK-SAME: SR = 2 : i64
// CHECK: %[[CODES:.+]] = systolic.load %{{.+}} : memref<64x64xi8, {{.+}} -> tensor<32x16xi8, #systolic.axes<BK, DK>>
// CHECK: arith.sitofp %[[CODES]] : tensor<32x16xi8, {{.+}} to tensor<32x16xf16
nstf.kernel @attention_0(%q: tensor<?x120xbf16>, %k: tensor<500x40xi8, #nstf.operand_order<keys, heads = 2>>, %v: tensor<500x40xi8, #nstf.operand_order<values, heads = 2>>, %ks: tensor<500x2xf32, #nstf.operand_order<scales, heads = 2>>, %vs: tensor<500x2xf32, #nstf.operand_order<scales, heads = 2>>) -> tensor<?x120xf32> {
  %y = nstf.attention %q, %k, %v scales %ks, %vs {heads = 6 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64} : (tensor<?x120xbf16>, tensor<500x40xi8, #nstf.operand_order<keys, heads = 2>>, tensor<500x40xi8, #nstf.operand_order<values, heads = 2>>, tensor<500x2xf32, #nstf.operand_order<scales, heads = 2>>, tensor<500x2xf32, #nstf.operand_order<scales, heads = 2>>) -> tensor<?x120xf32>
  nstf.return %y : tensor<?x120xf32>
}

//--- attention-codes.mlir
// Codes are loaded as they are and converted in registers; their scales have their own buffers.
// CHECK: systolic.kernel @attention_0({{.+}}, %[[K:[^:]+]]: memref<64x64xi8, #systolic.axes<L, F>>, %[[V:[^:]+]]: memref<64x64xi8, #systolic.axes<VR, VC>>, %{{[^:]+}}: memref<64x1xf32, #systolic.axes<SR, SC>>
// CHECK-SAME: launch = #systolic.launch<[q = operand 0, k = operand 1, v = operand 2, k_scales = operand 3, v_scales = operand 4, y = result 0, control, partials = scratch, tiles = scratch, arrived = zeros]
// CHECK-SAME: CODES = 1 : i64
// CHECK: %[[CODES:.+]] = systolic.load %[[K]][%{{.+}}] limit[%{{.+}}] : {{.+}} -> tensor<32x16xi8, #systolic.axes<BK, DK>>
// CHECK: arith.sitofp %[[CODES]] : tensor<32x16xi8, #systolic.axes<BK, DK>> to tensor<32x16xf16, #systolic.axes<BK, DK>>
// CHECK: systolic.load %[[V]][%{{.+}}] limit[%{{.+}}] transposed : {{.+}} -> tensor<16x32xi8, #systolic.axes<DP, BK>>
nstf.kernel @attention_0(%q: tensor<?x16xf16>, %k: tensor<512x16xi8>, %v: tensor<512x16xi8>, %ks: tensor<512x1xf32>, %vs: tensor<512x1xf32>) -> tensor<?x16xf32> {
  %y = nstf.attention %q, %k, %v scales %ks, %vs {heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 1.0 : f64} : (tensor<?x16xf16>, tensor<512x16xi8>, tensor<512x16xi8>, tensor<512x1xf32>, tensor<512x1xf32>) -> tensor<?x16xf32>
  nstf.return %y : tensor<?x16xf32>
}

//--- matvec-codes.mlir
// A quantised matrix is loaded as codes, scales and zeros. Codes are multiplied undecoded, with an offset if x is f16.
// The sums are corrected by the zeros, which include the offset, and multiplied by the scales. The loads come first, so
// that x is shared after them.
// CHECK: systolic.kernel @linear_0(
// CHECK-SAME: %[[W:[a-zA-Z0-9_]+]]: memref<64x1xi32, #systolic.axes<N, K_codes>>
// CHECK-SAME: %[[S:[a-zA-Z0-9_]+]]: memref<64x1xf16, #systolic.axes<N, K_scales>>
// CHECK-SAME: %[[Z:[a-zA-Z0-9_]+]]: memref<1x1xi32, #systolic.axes<N_zeros, K_zeros>>
// CHECK-SAME: launch = #systolic.launch<[x = operand 3, w = operand 0, w_scales = operand 1, w_zeros = operand 2, y = result 0, control]
// CHECK-SAME: BK = 64 : i64, BK_codes = 8 : i64, BK_scales = 2 : i64, BK_zeros = 2 : i64
// CHECK-SAME: K = 300 : i64, K_codes = 38 : i64, K_scales = 10 : i64, K_zeros = 10 : i64, N = 33 : i64, N_zeros = 5 : i64
// CHECK: scf.for %[[K:[a-z0-9]+]] = {{.+}} iter_args(%[[ACC:.+]] = %
// CHECK: %[[X:.+]] = systolic.load
// CHECK: %[[COLUMN:.+]] = arith.divui %[[K]], %{{.+}} : index
// CHECK: %[[WORDS:.+]] = systolic.load %[[W]][%{{.+}}, %[[COLUMN]]] : {{.+}} -> tensor<16x8xi32, #systolic.axes<BN, BK_codes>>
// CHECK: systolic.load %[[Z]][%{{.+}}, %{{.+}}] rows(%{{.+}}) : {{.+}} -> tensor<16x2xi32, #systolic.axes<BN, BK_zeros>>
// CHECK: systolic.load %[[S]]{{.+}} -> tensor<16x2xf32, #systolic.axes<BN, BK_scales>>
// CHECK-NOT: systolic.load
// CHECK: %[[CODES:.+]] = systolic.unpack 4 raised %[[WORDS]] along 1 : {{.+}} -> tensor<16x64xf16, #systolic.axes<BN, BK>>
// CHECK: arith.shrui
// CHECK: arith.subf %{{.+}}, %{{.+}} : tensor<16x2xf32, #systolic.axes<BN, BK_zeros>>
// CHECK: %[[PRODUCTS:.+]] = systolic.dot %[[CODES]], %[[X]], %
// CHECK: %[[ZEROS:.+]] = systolic.broadcast %{{.+}} each along 1 {{.+}} -> tensor<16x8xf32, #systolic.axes<BN, BS>>
// CHECK: %[[LESS:.+]] = arith.negf %[[ZEROS]]
// CHECK: %[[SUMS:.+]] = systolic.dot %{{.+}}, %[[X]], %
// CHECK: %[[ALL:.+]] = math.fma %[[LESS]], %[[SUMS]], %[[PRODUCTS]]
// CHECK: %[[SCALES:.+]] = systolic.broadcast %{{.+}} each along 1
// CHECK: math.fma %[[ALL]], %[[SCALES]], %[[ACC]]
nstf.kernel @linear_0(%codes: tensor<33x38xi32>, %scales: tensor<33x10xf16>, %zeros: tensor<5x10xi32>, %x: tensor<1x300xf16>) -> tensor<1x33xf32> {
  %w = nstf.dequantize %codes, %scales, %zeros {format = #nstf.int<4, group = 32, columns = 300>} : (tensor<33x38xi32>, tensor<33x10xf16>, tensor<5x10xi32>) -> tensor<33x300xf16>
  %y = nstf.linear %x, %w : (tensor<1x300xf16>, tensor<33x300xf16>) -> tensor<1x33xf32>
  nstf.return %y : tensor<1x33xf32>
}

//--- matvec-bytes.mlir
// Codes of 8 bits are multiplied as they are; the scale of a row is loaded before the loop and multiplies the whole
// sum. bf16, which no instruction multiplies here, is converted to f32.
// CHECK: systolic.kernel @linear_0(
// CHECK: %[[SCALES:.+]] = systolic.load {{.+}} -> tensor<16x1xf32, #systolic.axes<BN, BK_scales>>
// CHECK: %[[SUM:.+]] = scf.for
// CHECK: %[[X:.+]] = systolic.load
// CHECK: %[[FLOATS:.+]] = arith.extf %[[X]] {{.+}} to tensor<1x64xf32, #systolic.axes<1, BK>>
// CHECK: %[[BYTES:.+]] = systolic.load {{.+}} -> tensor<16x64xi8, #systolic.axes<BN, BK>>
// CHECK: systolic.dot %[[BYTES]], %[[FLOATS]], %{{.+}} : tensor<16x64xi8,
// CHECK: %[[EACH:.+]] = systolic.broadcast %[[SCALES]] each along 1
// CHECK: arith.mulf %[[SUM]], %[[EACH]]
nstf.kernel @linear_0(%codes: tensor<33x300xi8>, %scales: tensor<33x1xf16>, %x: tensor<1x300xbf16>) -> tensor<1x33xf32> {
  %w = nstf.dequantize %codes, %scales {format = #nstf.int<8, group = row, columns = 300>} : (tensor<33x300xi8>, tensor<33x1xf16>) -> tensor<33x300xbf16>
  %y = nstf.linear %x, %w : (tensor<1x300xbf16>, tensor<33x300xbf16>) -> tensor<1x33xf32>
  nstf.return %y : tensor<1x33xf32>
}

//--- matvec-floats.mlir
// Floats of 8 bits are converted to f16 before they are multiplied, whatever the type of the scales, which multiply the
// sum.
// CHECK: systolic.kernel @linear_0(
// CHECK: %[[SCALES:.+]] = systolic.load {{.+}} memref<{{.+}}xf32, {{.+}} -> tensor<16x1xf32, #systolic.axes<BN, BK_scales>>
// CHECK: %[[BYTES:.+]] = systolic.load {{.+}} -> tensor<16x64xf8E4M3FNUZ, #systolic.axes<BN, BK>>
// CHECK: %[[CODES:.+]] = arith.extf %[[BYTES]] : {{.+}} to tensor<16x64xf16, #systolic.axes<BN, BK>>
// CHECK: systolic.dot %[[CODES]], %
// CHECK: %[[EACH:.+]] = systolic.broadcast %[[SCALES]] each along 1
// CHECK: arith.mulf %{{.+}}, %[[EACH]]
nstf.kernel @linear_0(%codes: tensor<33x300xf8E4M3FNUZ>, %scales: tensor<33x1xf32>, %x: tensor<1x300xf16>) -> tensor<1x33xf32> {
  %w = nstf.dequantize %codes, %scales {format = #nstf.float<f8E4M3FNUZ, group = row, columns = 300, scales = f32>} : (tensor<33x300xf8E4M3FNUZ>, tensor<33x1xf32>) -> tensor<33x300xf16>
  %y = nstf.linear %x, %w : (tensor<1x300xf16>, tensor<33x300xf16>) -> tensor<1x33xf32>
  nstf.return %y : tensor<1x33xf32>
}

//--- matmul-codes.mlir
// The codes are loaded transposed, like the template's matrix, and decoded to the type of the products' operands; bf16,
// for which there is no arithmetic, by way of f32. Codes of 8 bits have the shape of the matrix; codes of 6 bits have a
// plane of high bits.
// CHECK: systolic.kernel @linear_0(
// CHECK-SAME: memref<64x1xi32, #systolic.axes<N, K_high>>
// CHECK: systolic.load {{.+}} transposed : {{.+}} -> tensor<1x32xf32, #systolic.axes<BK_scales, BN>>
// CHECK: %[[LOW:.+]] = systolic.unpack 4 %{{.+}} along 0 : {{.+}} -> tensor<32x32xf32, #systolic.axes<BK, BN>>
// CHECK: %[[HIGH:.+]] = systolic.unpack 2 %{{.+}} along 0
// CHECK: %[[CODES:.+]] = math.fma %[[HIGH]], %{{.+}}, %[[LOW]]
// CHECK: arith.subf %[[CODES]], %{{.+}}
// CHECK: arith.truncf {{.+}} : tensor<32x32xf32, #systolic.axes<BK, BN>> to tensor<32x32xbf16, #systolic.axes<BK, BN>>
// CHECK: systolic.mma
nstf.kernel @linear_0(%codes: tensor<33x8xi32>, %high: tensor<33x4xi32>, %scales: tensor<33x1xf16>, %x: tensor<?x64xbf16>) -> tensor<?x33xf32> {
  %w = nstf.dequantize %codes high %high, %scales {format = #nstf.int<6, group = row, columns = 64>} : (tensor<33x8xi32>, tensor<33x4xi32>, tensor<33x1xf16>) -> tensor<33x64xbf16>
  %y = nstf.linear %x, %w : (tensor<?x64xbf16>, tensor<33x64xbf16>) -> tensor<?x33xf32>
  nstf.return %y : tensor<?x33xf32>
}

//--- matmul-bytes.mlir
// Codes of 8 bits, which bf16 holds exactly, are multiplied undecoded; the scale of a row is loaded before the loop and
// multiplies the whole sum.
// CHECK: systolic.kernel @linear_0(
// CHECK: %[[SCALES:.+]] = systolic.load {{.+}} transposed : {{.+}} -> tensor<1x32xf16, #systolic.axes<BK_scales, BN>>
// CHECK: %[[SUM:.+]] = scf.for
// CHECK: %[[CODES:.+]] = arith.sitofp %{{.+}} : tensor<32x32xi8, {{.+}} to tensor<32x32xbf16, #systolic.axes<BK, BN>>
// CHECK: systolic.mma %{{.+}}, %[[CODES]], %
// CHECK: %[[WIDE:.+]] = arith.extf %[[SCALES]]
// CHECK: %[[EACH:.+]] = systolic.broadcast %[[WIDE]] each :
// CHECK: arith.mulf %[[SUM]], %[[EACH]]
nstf.kernel @linear_0(%codes: tensor<33x64xi8>, %scales: tensor<33x1xf16>, %x: tensor<?x64xbf16>) -> tensor<?x33xf32> {
  %w = nstf.dequantize %codes, %scales {format = #nstf.int<8, group = row, columns = 64>} : (tensor<33x64xi8>, tensor<33x1xf16>) -> tensor<33x64xbf16>
  %y = nstf.linear %x, %w : (tensor<?x64xbf16>, tensor<33x64xbf16>) -> tensor<?x33xf32>
  nstf.return %y : tensor<?x33xf32>
}

//--- matmul-groups.mlir
// Waves that divide K each compute a part of a sum, which is multiplied by the scale of its group; zeros multiply the
// sum of x.
// CHECK: systolic.kernel @linear_0(
// CHECK-SAME: BM_parts = 128 : i64
// CHECK: scf.for {{.+}} -> (tensor<128x32xf32, #systolic.axes<BM_parts, BN>>)
// CHECK: %[[CODES:.+]] = systolic.unpack 4 raised %{{.+}} along 0 : {{.+}} -> tensor<32x32xbf16, #systolic.axes<BK, BN>>
// CHECK: %[[PRODUCTS:.+]] = systolic.mma %[[X:.+]], %[[CODES]], %{{.+}} parts 4 runs
// CHECK: %[[ZEROS:.+]] = systolic.broadcast %{{.+}} each
// CHECK: %[[LESS:.+]] = arith.negf %[[ZEROS]]
// CHECK: %[[OF_X:.+]] = systolic.mma %[[X]], %{{.+}}, %{{.+}} parts 4 runs
// CHECK: %[[BLOCK:.+]] = math.fma %[[LESS]], %[[OF_X]], %[[PRODUCTS]]
// CHECK: %[[SCALE:.+]] = systolic.broadcast %{{.+}} each
// CHECK: math.fma %[[BLOCK]], %[[SCALE]], %
// CHECK: systolic.sum_parts %{{.+}} : tensor<128x32xf32, #systolic.axes<BM_parts, BN>> -> tensor<32x32xf32, #systolic.axes<BM, BN>>
nstf.kernel @linear_0(%codes: tensor<33x64xi32>, %scales: tensor<33x16xf16>, %zeros: tensor<5x16xi32>, %x: tensor<?x512xbf16>) -> tensor<?x33xf32> attributes {nstf.tuning = {BK = 128}, nstf.schedule = #systolic.schedule<waves = 1x1x4>} {
  %w = nstf.dequantize %codes, %scales, %zeros {format = #nstf.int<4, group = 32, columns = 512>} : (tensor<33x64xi32>, tensor<33x16xf16>, tensor<5x16xi32>) -> tensor<33x512xbf16>
  %y = nstf.linear %x, %w : (tensor<?x512xbf16>, tensor<33x512xbf16>) -> tensor<?x33xf32>
  nstf.return %y : tensor<?x33xf32>
}

//--- code-product.mlir
// If both operands are codes, they are multiplied in i8 with sums of i32. The slot converts the sums to f32, multiplies
// them by the scales of rows and columns, and then applies its own ops.
// CHECK: func.func private @epilogue(%[[TILE:.+]]: tensor<32x32xi32, #systolic.axes<BM, BN>>, %[[M0:.+]]: index, %[[N0:.+]]: index, %[[E0:.+]]: memref<64xf32, #systolic.axes<M>>, %[[E1:.+]]: memref<64xf16, #systolic.axes<N>>, %[[E2:.+]]: memref<64xf32, #systolic.axes<N>>) -> tensor<32x32xf32, #systolic.axes<BM, BN>>
// CHECK: %[[SUMS:.+]] = arith.sitofp %[[TILE]]
// CHECK: %[[S:.+]] = systolic.load %[[E0]][%[[M0]]] : {{.+}} -> tensor<32xf32, #systolic.axes<BM>>
// CHECK: %[[ROWS:.+]] = systolic.broadcast %[[S]] along 1
// CHECK: %[[SCALED:.+]] = arith.mulf %[[SUMS]], %[[ROWS]]
// CHECK: %[[WS:.+]] = systolic.load %[[E1]][%[[N0]]] : {{.+}} -> tensor<32xf32, #systolic.axes<BN>>
// CHECK: %[[COLUMNS:.+]] = systolic.broadcast %[[WS]]
// CHECK: %[[Y:.+]] = arith.mulf %[[SCALED]], %[[COLUMNS]]
// CHECK: %[[BIAS:.+]] = systolic.broadcast
// CHECK: %[[BIASED:.+]] = arith.addf %[[Y]], %[[BIAS]]
// CHECK: arith.negf %[[BIASED]]
// CHECK: systolic.kernel @linear_0(
// CHECK-SAME: memref<64x64xi8, #systolic.axes<M, K>> {systolic.per_token = 64 : i64}
// CHECK-SAME: memref<64x64xi8, #systolic.axes<N, K>>
// CHECK-SAME: memref<64x64xf16, #systolic.axes<M, N>> {systolic.per_token = 33 : i64}
// CHECK-SAME: memref<64xf32, #systolic.axes<M>> {systolic.per_token = 1 : i64}
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, w = operand 2, y = result 0, e0 = operand 1, e1 = operand 3, e2 = operand 4, control]
// CHECK-SAME: OPERAND = i8
// CHECK: arith.constant dense<0> : tensor<32x32xi32
// CHECK: systolic.mma {{.+}} -> tensor<32x32xi32
// CHECK: systolic.store {{.+}} : tensor<32x32xf32
nstf.kernel @linear_0(%q: tensor<?x64xi8>, %s: tensor<?x1xf32>, %codes: tensor<33x64xi8>, %scales: tensor<33x1xf16>, %bias: tensor<33xf32>) -> tensor<?x33xf16> {
  %x = nstf.dequantize_rows %q, %s : (tensor<?x64xi8>, tensor<?x1xf32>) -> tensor<?x64xf16>
  %w = nstf.dequantize %codes, %scales {format = #nstf.int<8, group = row, columns = 64>} : (tensor<33x64xi8>, tensor<33x1xf16>) -> tensor<33x64xf16>
  %y = nstf.linear %x, %w, %bias : (tensor<?x64xf16>, tensor<33x64xf16>, tensor<33xf32>) -> tensor<?x33xf32>
  %z = nstf.silu %y : tensor<?x33xf32>
  %t = nstf.convert %z {type = f16} : (tensor<?x33xf32>) -> tensor<?x33xf16>
  nstf.return %t : tensor<?x33xf16>
}

//--- quantize.mlir
// Two results. Each group of a row is a row of the template.
// CHECK: systolic.kernel @quantize_0(
// CHECK-SAME: memref<64x64xf16, #systolic.axes<M, NX>> {systolic.per_token = 64 : i64}
// CHECK-SAME: memref<64x64xi8, #systolic.axes<YR, YC>> {systolic.per_token = 64 : i64}
// CHECK-SAME: memref<64xf32, #systolic.axes<MY>> {systolic.per_token = 2 : i64}
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, y = result 0, scales = result 1, control], per_token = {M = 2 : i64}>
// CHECK-SAME: APPEND = 0
// CHECK-SAME: G = 2 : i64, HEADS = 1 : i64, L = 64 : i64, M = 200 : i64, MAX_CODE = 1.270000e+02 : f32, MY = 200 : i64, N = 32 : i64, NX = 32 : i64, ORDER = 0 : i64
nstf.kernel @quantize_0(%x: tensor<?x64xf16>) -> (tensor<?x64xi8>, tensor<?x2xf32>) {
  %q, %s = nstf.quantize %x {type = i8, group = 32 : i64} : tensor<?x64xf16> -> tensor<?x64xi8>, tensor<?x2xf32>
  nstf.return %q, %s : tensor<?x64xi8>, tensor<?x2xf32>
}

//--- quantize-append.mlir
// Both results are written to caches, which have rows for the whole context.
// CHECK: systolic.kernel @quantize_0(
// CHECK-SAME: memref<64x64xi8, #systolic.axes<YR, YC>>, %{{[a-z0-9]+}}: memref<64xf32, #systolic.axes<MY>>, %{{[a-z0-9]+}}: !systolic.control
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, y = operand 1 in_place, scales = operand 2 in_place, control], per_token = {M = 2 : i64}>
// CHECK-SAME: APPEND = 1
// CHECK-SAME: M = 200 : i64, MAX_CODE = 1.270000e+02 : f32, MY = 600 : i64
nstf.kernel @quantize_0(%x: tensor<?x64xf32>, %codes: tensor<300x64xi8>, %scales: tensor<300x2xf32>) -> (tensor<300x64xi8>, tensor<300x2xf32>) {
  %q, %s = nstf.quantize %x {type = i8, group = 32 : i64} : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>
  %qc = nstf.kv_append %q, %codes : (tensor<?x64xi8>, tensor<300x64xi8>) -> tensor<300x64xi8>
  %sc = nstf.kv_append %s, %scales : (tensor<?x2xf32>, tensor<300x2xf32>) -> tensor<300x2xf32>
  nstf.return %qc, %sc : tensor<300x64xi8>, tensor<300x2xf32>
}

//--- quantize-ordered.mlir
// In operand order a group is a head, which has its own work items: 300 positions of 32 columns, transposed, fill
// blocks of 320 of 32, and a head has 320 scales.
// CHECK: systolic.kernel @quantize_0(
// CHECK-SAME: memref<64x64xi8, #systolic.axes<YR, YC>> {systolic.packed = #systolic.packed<16 x 64 bytes, by 4>}, %{{[a-z0-9]+}}: memref<64xf32, #systolic.axes<MY>>, %{{[a-z0-9]+}}: !systolic.control
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, y = operand 1 in_place, scales = operand 2 in_place, control], per_token = {M = 1 : i64}>
// CHECK-SAME: APPEND = 1
// CHECK-SAME: G = 1 : i64, HEADS = 2 : i64, L = 300 : i64, M = 100 : i64, MAX_CODE = 1.270000e+02 : f32, MY = 640 : i64, N = 32 : i64, NX = 64 : i64, ORDER = 2 : i64, ROWS = 0 : i64, SC = 320 : i64, YC = 320 : i64, YD = 32 : i64, YR = 64 : i64
nstf.kernel @quantize_0(%x: tensor<?x64xf32>, %codes: tensor<300x64xi8, #nstf.operand_order<values, heads = 2>>, %scales: tensor<300x2xf32, #nstf.operand_order<scales, heads = 2>>) -> (tensor<300x64xi8, #nstf.operand_order<values, heads = 2>>, tensor<300x2xf32, #nstf.operand_order<scales, heads = 2>>) {
  %q, %s = nstf.quantize %x {type = i8, group = 32 : i64} : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>
  %qc = nstf.kv_append %q, %codes : (tensor<?x64xi8>, tensor<300x64xi8, #nstf.operand_order<values, heads = 2>>) -> tensor<300x64xi8, #nstf.operand_order<values, heads = 2>>
  %sc = nstf.kv_append %s, %scales : (tensor<?x2xf32>, tensor<300x2xf32, #nstf.operand_order<scales, heads = 2>>) -> tensor<300x2xf32, #nstf.operand_order<scales, heads = 2>>
  nstf.return %qc, %sc : tensor<300x64xi8, #nstf.operand_order<values, heads = 2>>, tensor<300x2xf32, #nstf.operand_order<scales, heads = 2>>
}

//--- rms-norm-codes.mlir
// A norm that stores codes: an additional loop computes the same elements and finds the max of each row.
// CHECK: systolic.kernel @rms_norm_quantize_0(
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<64x64xi8, #systolic.axes<M, N>> {systolic.per_token = 64 : i64}
// CHECK-SAME: %[[S:[a-z0-9]+]]: memref<64xf32, #systolic.axes<M>> {systolic.per_token = 1 : i64}
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, weight = operand 1, y = result 0, scales = result 1, control], per_token = {M = 1 : i64}>
// CHECK: %[[MAXIMA:.+]] = scf.for {{.+}} iter_args(%[[ACC:.+]] = %{{.+}}) -> (tensor<4x256xi32,
// CHECK: %[[RESULT:.+]] = func.call @epilogue
// CHECK-NEXT: %[[MAGNITUDE:.+]] = math.absf %[[RESULT]]
// CHECK-NEXT: %[[BITS:.+]] = arith.bitcast %[[MAGNITUDE]]
// CHECK-NEXT: arith.maxsi %[[ACC]], %[[BITS]]
// CHECK: %[[MAX:.+]] = systolic.reduce max %[[MAXIMA]] along 1
// CHECK: %[[LARGEST:.+]] = arith.bitcast %[[MAX]]
// CHECK: %[[SCALE:.+]] = arith.divf %[[LARGEST]], %{{.+}}
// CHECK: systolic.store %[[SCALE]], %[[S]][%{{.+}}] limit[%{{.+}}]
// CHECK: %[[DIVISORS:.+]] = systolic.broadcast %{{.+}} along 1
// CHECK: scf.for
// CHECK: %[[AGAIN:.+]] = func.call @epilogue
// CHECK: arith.divf %[[AGAIN]], %[[DIVISORS]]
// CHECK: systolic.store %{{.+}}, %[[Y]]
nstf.kernel @rms_norm_quantize_0(%x: tensor<?x64xf32>, %w: tensor<64xf32>) -> (tensor<?x64xi8>, tensor<?x1xf32>) {
  %y = nstf.rms_norm %x, %w {eps = 1.0e-5 : f64} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %q, %s = nstf.quantize %y {type = i8, group = 64 : i64} : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x1xf32>
  nstf.return %q, %s : tensor<?x64xi8>, tensor<?x1xf32>
}
