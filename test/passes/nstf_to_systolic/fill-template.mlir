// Kernel regions in the templates the compiler ships: buffers, extents, and what goes into the slot. Each part below is
// put beside its template in one module.
// RUN: split-file %s %t
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/matmul.mlir' %root/templates/kernels/matmul.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/matmul.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 1 : i64} {/' -e '/^module/r %t/matvec.mlir' %root/templates/kernels/matvec.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/matvec.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 1 : i64} {/' -e '/^module/r %t/matvec-codes.mlir' %root/templates/kernels/matvec.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/matvec-codes.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 1 : i64} {/' -e '/^module/r %t/matvec-bytes.mlir' %root/templates/kernels/matvec.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/matvec-bytes.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 1 : i64} {/' -e '/^module/r %t/matvec-floats.mlir' %root/templates/kernels/matvec.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/matvec-floats.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/matmul-codes.mlir' %root/templates/kernels/matmul.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/matmul-codes.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/matmul-bytes.mlir' %root/templates/kernels/matmul.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/matmul-bytes.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/matmul-groups.mlir' %root/templates/kernels/matmul.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/matmul-groups.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/rope.mlir' %root/templates/kernels/rope.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/rope.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/rope-append.mlir' %root/templates/kernels/rope.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/rope-append.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/attention.mlir' %root/templates/kernels/attention.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/attention.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/attention-step.mlir' %root/templates/kernels/attention.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/attention-step.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/embedding.mlir' %root/templates/kernels/embedding.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/embedding.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/rms-norm.mlir' %root/templates/kernels/rms_norm.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/rms-norm.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/rms-norm-codes.mlir' %root/templates/kernels/rms_norm.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/rms-norm-codes.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/append.mlir' %root/templates/kernels/kv_append.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/append.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/append-ordered.mlir' %root/templates/kernels/kv_append.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/append-ordered.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/last-row.mlir' %root/templates/kernels/elementwise.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/last-row.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/chain.mlir' %root/templates/kernels/elementwise.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/chain.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/softmax.mlir' %root/templates/kernels/softmax.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/softmax.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/argmax.mlir' %root/templates/kernels/argmax.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/argmax.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/head-norm.mlir' %root/templates/kernels/rms_norm.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/head-norm.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/layer-norm.mlir' %root/templates/kernels/layer_norm.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/layer-norm.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/l2-normalize.mlir' %root/templates/kernels/l2_normalize.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/l2-normalize.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/mean-rows.mlir' %root/templates/kernels/mean_rows.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/mean-rows.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/first-row.mlir' %root/templates/kernels/elementwise.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/first-row.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/add-positions.mlir' %root/templates/kernels/elementwise.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/add-positions.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/activations.mlir' %root/templates/kernels/elementwise.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/activations.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/attention-window.mlir' %root/templates/kernels/attention.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/attention-window.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/attention-ordered.mlir' %root/templates/kernels/attention.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/attention-ordered.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/attention-codes-ordered.mlir' %root/templates/kernels/attention.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/attention-codes-ordered.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/attention-codes.mlir' %root/templates/kernels/attention.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/attention-codes.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/attention-wide-window.mlir' %root/templates/kernels/attention.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/attention-wide-window.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/code-product.mlir' %root/templates/kernels/matmul.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/code-product.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/quantize.mlir' %root/templates/kernels/quantize.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/quantize.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/quantize-append.mlir' %root/templates/kernels/quantize.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/quantize-append.mlir
// RUN: sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/' -e '/^module/r %t/quantize-ordered.mlir' %root/templates/kernels/quantize.mlir | nstf-opt -nstf-to-systolic-fill-template | FileCheck %t/quantize-ordered.mlir

//--- matmul.mlir
// Tuning goes over the defaults; `?` is max_tokens; bias, silu and the residual are in the slot, with a buffer each for bias
// and residual behind the output's.
// CHECK: func.func private @epilogue(%[[TILE:.+]]: tensor<32x32xf32, #systolic.axes<BM, BN>>, %[[M0:.+]]: index, %[[N0:.+]]: index, %[[E0:.+]]: memref<64xf32, #systolic.axes<N>>, %[[E1:.+]]: memref<64x64xf32, #systolic.axes<M, N>>)
// CHECK: %[[BIAS:.+]] = systolic.load %[[E0]][%[[N0]]]
// CHECK: %[[ROWS:.+]] = systolic.broadcast %[[BIAS]] : tensor<32xf32, #systolic.axes<BN>> -> tensor<32x32xf32, #systolic.axes<BM, BN>>
// CHECK: %[[R:.+]] = systolic.load %[[E1]][%[[M0]], %[[N0]]]
// CHECK: %[[Y:.+]] = arith.addf %[[TILE]], %[[ROWS]]
// CHECK: %[[NEGATED:.+]] = arith.negf %[[Y]]
// CHECK: %[[EXP:.+]] = math.exp %[[NEGATED]]
// CHECK: %[[SUM:.+]] = arith.addf %[[EXP]], %{{.+}}
// CHECK: %[[SILU:.+]] = arith.divf %[[Y]], %[[SUM]]
// CHECK: %[[RESULT:.+]] = arith.addf %[[SILU]], %[[R]]
// CHECK: return %[[RESULT]]
// CHECK: systolic.kernel @linear_0(
// CHECK-SAME: {systolic.per_token = 20 : i64}
// CHECK-SAME: {systolic.per_token = 33 : i64}
// CHECK-SAME: %[[A0:[a-z0-9]+]]: memref<64xf32, #systolic.axes<N>>
// CHECK-SAME: %[[A1:[a-z0-9]+]]: memref<64x64xf32, #systolic.axes<M, N>> {systolic.per_token = 33 : i64}
// CHECK-SAME: !systolic.control
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, w = operand 1, y = result 0, e0 = operand 2, e1 = operand 3, control], per_token = {M = 1 : i64}>
// CHECK-SAME: params = {BK = 32 : i64, BM = 16 : i64, BN = 64 : i64, K = 20 : i64, M = 100 : i64, N = 33 : i64, OPERAND = f32, ROWS = 0 : i64}, schedule = #systolic.schedule<waves = 2x4, sum = 16>
// CHECK: call @epilogue(%{{.+}}, %{{.+}}, %{{.+}}, %[[A0]], %[[A1]])
// CHECK-NOT: nstf.kernel
nstf.kernel @linear_0(%x: tensor<?x20xf32>, %w: tensor<33x20xf32>, %bias: tensor<33xf32>, %r: tensor<?x33xf32>) -> tensor<?x33xf32> attributes {nstf.tuning = {BM = 16, BN = 64}, nstf.schedule = #systolic.schedule<waves = 2x4>} {
  %y = nstf.linear %x, %w, %bias : (tensor<?x20xf32>, tensor<33x20xf32>, tensor<33xf32>) -> tensor<?x33xf32>
  %s = nstf.silu %y : tensor<?x33xf32>
  %a = nstf.add %s, %r : tensor<?x33xf32>
  nstf.return %a : tensor<?x33xf32>
}

//--- matvec.mlir
// One row: no M, and nothing in the slot that was not there.
// CHECK: func.func private @epilogue(%[[TILE:.+]]: tensor<1x16xf32, #systolic.axes<1, BN>>, %{{.+}}: index, %{{.+}}: index)
// CHECK-NEXT: return %[[TILE]]
// CHECK: systolic.kernel @linear_0(
// CHECK-SAME: launch = #systolic.launch<[{{.+}}]>
// CHECK-SAME: params = {BK = 64 : i64, BN = 16 : i64, BS = 8 : i64, K = 20 : i64, N = 33 : i64, OPERAND = f32}, schedule = #systolic.schedule<waves = 4x1>
nstf.kernel @linear_0(%x: tensor<1x20xf32>, %w: tensor<33x20xf32>) -> tensor<1x33xf32> {
  %y = nstf.linear %x, %w : (tensor<1x20xf32>, tensor<33x20xf32>) -> tensor<1x33xf32>
  nstf.return %y : tensor<1x33xf32>
}

//--- rope.mlir
// Rows are heads: 3 for each token. The tile is as wide as the next power of two.
// CHECK: systolic.kernel @rope_0(
// CHECK-SAME: launch = #systolic.launch<[{{.+}}], per_token = {R = 3 : i64}>
// CHECK-SAME: params = {APPEND = 0 : i64, BD = 16 : i64, BR = 32 : i64, CTX = 512 : i64, D = 12 : i64, DY = 12 : i64, H = 3 : i64, INTERLEAVED = 1 : i64, ORDER = 0 : i64, R = 300 : i64, RD = 8 : i64, ROWS = 0 : i64, RY = 300 : i64}, schedule = #systolic.schedule<waves = 4x1>}
nstf.kernel @rope_0(%x: tensor<?x36xf32>, %t: tensor<512x8xf32>) -> tensor<?x36xf32> {
  %y = nstf.rope %x, %t {head_size = 12 : i64, inv_freq = array<f64: 1.0, 0.5, 0.25, 0.1>, interleaved} : (tensor<?x36xf32>, tensor<512x8xf32>) -> tensor<?x36xf32>
  nstf.return %y : tensor<?x36xf32>
}

//--- rope-append.mlir
// Keys go from rope into the cache: in place, so the output is the operand of the cache.
// CHECK: systolic.kernel @rope_kv(
// CHECK-SAME: {systolic.per_token = 16 : i64}
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, table = operand 1, y = operand 2 in_place, control], per_token = {R = 2 : i64}>
// CHECK-SAME: params = {APPEND = 1 : i64
// CHECK-SAME: R = 200 : i64
// CHECK-SAME: RY = 1024 : i64}
nstf.kernel @rope_kv(%x: tensor<?x16xf32>, %t: tensor<512x8xf32>, %cache: tensor<512x16xf32>) -> tensor<512x16xf32> {
  %y = nstf.rope %x, %t {head_size = 8 : i64, inv_freq = array<f64: 1.0, 0.5, 0.25, 0.1>} : (tensor<?x16xf32>, tensor<512x8xf32>) -> tensor<?x16xf32>
  %z = nstf.kv_append %y, %cache : (tensor<?x16xf32>, tensor<512x16xf32>) -> tensor<512x16xf32>
  nstf.return %z : tensor<512x16xf32>
}

//--- attention.mlir
// Six query heads of 20 share two key heads: 3 rows of a key head for each token. The head is padded to whole cells.
// CHECK: systolic.kernel @attention_0(
// CHECK-SAME: launch = #systolic.launch<[{{.+}}], per_token = {RG = 3 : i64, RQ = 6 : i64, RT = 1 : i64}>
// CHECK-SAME: params = {BK = 32 : i64, BQ = 16 : i64, CACHED = 1 : i64, CAUSAL = 1 : i64, CODES = 0 : i64, CREWS = 1 : i64, D = 20 : i64, DK = 32 : i64, DP = 32 : i64, DX = 48 : i64, F = 40 : i64, FINITE = 0 : i64, G = 3 : i64, H = 6 : i64, HK = 2 : i64, KD = 20 : i64, L = 512 : i64, OPERAND = f32, ORDER = 0 : i64, PARTS = 1 : i64, RAISE = 0 : i64, RG = 300 : i64, ROWS = 0 : i64, RQ = 600 : i64, RT = 100 : i64, SC = 1 : i64, SCALE = 5.000000e-01 : f32, SR = 64 : i64, VC = 40 : i64, VD = 20 : i64, VR = 512 : i64
nstf.kernel @attention_0(%q: tensor<?x120xf32>, %k: tensor<512x40xf32>, %v: tensor<512x40xf32>) -> tensor<?x120xf32> {
  %y = nstf.attention %q, %k, %v {heads = 6 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64} : (tensor<?x120xf32>, tensor<512x40xf32>, tensor<512x40xf32>) -> tensor<?x120xf32>
  nstf.return %y : tensor<?x120xf32>
}

//--- attention-ordered.mlir
// Keys fill blocks of 32 numbers, values rows of 16, and both whole blocks of the context.
// CHECK: systolic.kernel @attention_0(%{{.+}}: memref<64x64xf16, #systolic.axes<L, F>> {systolic.packed = #systolic.packed<16 x 64 bytes, by 4>}, %{{.+}}: memref<64x64xf16, #systolic.axes<VR, VC>> {systolic.packed = #systolic.packed<16 x 64 bytes, by 4>},
// CHECK-SAME: D = 20 : i64, DK = 32 : i64, DP = 32 : i64, DX = 48 : i64, F = 64 : i64,
// CHECK-SAME: KD = 32 : i64, L = 512 : i64, OPERAND = f16, ORDER = 1 : i64
// CHECK-SAME: VC = 512 : i64, VD = 32 : i64, VR = 64 : i64
nstf.kernel @attention_0(%q: tensor<?x120xf16>, %k: tensor<500x40xf16, #nstf.operand_order<keys, heads = 2>>, %v: tensor<500x40xf16, #nstf.operand_order<values, heads = 2>>) -> tensor<?x120xf32> {
  %y = nstf.attention %q, %k, %v {heads = 6 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64} : (tensor<?x120xf16>, tensor<500x40xf16, #nstf.operand_order<keys, heads = 2>>, tensor<500x40xf16, #nstf.operand_order<values, heads = 2>>) -> tensor<?x120xf32>
  nstf.return %y : tensor<?x120xf32>
}

//--- attention-codes-ordered.mlir
// Codes are multiplied in f16, though queries are of bf16; the scales of 500 positions have rows of 512.
// CHECK: systolic.kernel @attention_0(%{{.+}}: memref<64x64xbf16, {{.+}}, %{{.+}}: memref<64x64xi8, #systolic.axes<L, F>> {systolic.packed = #systolic.packed<16 x 64 bytes, by 4>}, %{{.+}}: memref<64x64xi8, #systolic.axes<VR, VC>> {systolic.packed = #systolic.packed<16 x 64 bytes, by 4>}, %{{[a-zA-Z0-9]+}}: memref<64x1xf32, #systolic.axes<SR, SC>>,
// CHECK-SAME: CODES = 1 : i64
// CHECK-SAME: FINITE = 1 : i64
// CHECK-SAME: KD = 64 : i64, L = 512 : i64, OPERAND = f16, ORDER = 1 : i64
// CHECK-SAME: SC = 512 : i64
// CHECK-SAME: SR = 2 : i64
// CHECK: %[[CODES:.+]] = systolic.load %{{.+}} : memref<64x64xi8, {{.+}} -> tensor<32x16xi8, #systolic.axes<BK, DK>>
// CHECK: arith.sitofp %[[CODES]] : tensor<32x16xi8, {{.+}} to tensor<32x16xf16
nstf.kernel @attention_0(%q: tensor<?x120xbf16>, %k: tensor<500x40xi8, #nstf.operand_order<keys, heads = 2>>, %v: tensor<500x40xi8, #nstf.operand_order<values, heads = 2>>, %ks: tensor<500x2xf32, #nstf.operand_order<scales, heads = 2>>, %vs: tensor<500x2xf32, #nstf.operand_order<scales, heads = 2>>) -> tensor<?x120xf32> {
  %y = nstf.attention %q, %k, %v scales %ks, %vs {heads = 6 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64} : (tensor<?x120xbf16>, tensor<500x40xi8, #nstf.operand_order<keys, heads = 2>>, tensor<500x40xi8, #nstf.operand_order<values, heads = 2>>, tensor<500x2xf32, #nstf.operand_order<scales, heads = 2>>, tensor<500x2xf32, #nstf.operand_order<scales, heads = 2>>) -> tensor<?x120xf32>
  nstf.return %y : tensor<?x120xf32>
}

//--- attention-window.mlir
// CHECK: systolic.kernel @attention_0(
// CHECK-SAME: WINDOW = 5 : i64
nstf.kernel @attention_0(%q: tensor<?x16xf32>, %k: tensor<512x16xf32>, %v: tensor<512x16xf32>) -> tensor<?x16xf32> {
  %y = nstf.attention %q, %k, %v {heads = 1 : i64, kv_heads = 1 : i64, causal, window = 5 : i64, scale = 1.0 : f64} : (tensor<?x16xf32>, tensor<512x16xf32>, tensor<512x16xf32>) -> tensor<?x16xf32>
  nstf.return %y : tensor<?x16xf32>
}

//--- attention-wide-window.mlir
// As long as the cache: no window.
// CHECK: systolic.kernel @attention_0(
// CHECK-SAME: WINDOW = 0 : i64
nstf.kernel @attention_0(%q: tensor<?x16xf32>, %k: tensor<512x16xf32>, %v: tensor<512x16xf32>) -> tensor<?x16xf32> {
  %y = nstf.attention %q, %k, %v {heads = 1 : i64, kv_heads = 1 : i64, causal, window = 512 : i64, scale = 1.0 : f64} : (tensor<?x16xf32>, tensor<512x16xf32>, tensor<512x16xf32>) -> tensor<?x16xf32>
  nstf.return %y : tensor<?x16xf32>
}

//--- attention-codes.mlir
// Codes are loaded as they are and made numbers of in registers; their scales have buffers of their own.
// CHECK: systolic.kernel @attention_0({{.+}}, %[[K:[^:]+]]: memref<64x64xi8, #systolic.axes<L, F>>, %[[V:[^:]+]]: memref<64x64xi8, #systolic.axes<VR, VC>>, %{{[^:]+}}: memref<64x1xf32, #systolic.axes<SR, SC>>
// CHECK-SAME: launch = #systolic.launch<[q = operand 0, k = operand 1, v = operand 2, k_scales = operand 3, v_scales = operand 4, y = result 0, control, partials = scratch, arrived = zeros]
// CHECK-SAME: CODES = 1 : i64
// CHECK: %[[CODES:.+]] = systolic.load %[[K]][%{{.+}}] limit[%{{.+}}] : {{.+}} -> tensor<32x16xi8, #systolic.axes<BK, DK>>
// CHECK: arith.sitofp %[[CODES]] : tensor<32x16xi8, #systolic.axes<BK, DK>> to tensor<32x16xf16, #systolic.axes<BK, DK>>
// CHECK: systolic.load %[[V]][%{{.+}}] limit[%{{.+}}] transposed : {{.+}} -> tensor<16x32xi8, #systolic.axes<DP, BK>>
nstf.kernel @attention_0(%q: tensor<?x16xf16>, %k: tensor<512x16xi8>, %v: tensor<512x16xi8>, %ks: tensor<512x1xf32>, %vs: tensor<512x1xf32>) -> tensor<?x16xf32> {
  %y = nstf.attention %q, %k, %v scales %ks, %vs {heads = 1 : i64, kv_heads = 1 : i64, causal, scale = 1.0 : f64} : (tensor<?x16xf16>, tensor<512x16xi8>, tensor<512x16xi8>, tensor<512x1xf32>, tensor<512x1xf32>) -> tensor<?x16xf32>
  nstf.return %y : tensor<?x16xf32>
}

//--- attention-step.mlir
// Keys of the step alone, and all of them.
// CHECK: systolic.kernel @attention_0(
// CHECK-SAME: CACHED = 0 : i64, CAUSAL = 0 : i64
// CHECK-SAME: L = 100 : i64
nstf.kernel @attention_0(%q: tensor<?x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %y = nstf.attention %q, %k, %v {heads = 1 : i64, kv_heads = 1 : i64, scale = 1.0 : f64} : (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  nstf.return %y : tensor<?x16xf32>
}

//--- embedding.mlir
// CHECK: systolic.kernel @embedding_0(
// CHECK-SAME: {systolic.per_token = 1 : i64}
// CHECK-SAME: launch = #systolic.launch<[ids = operand 0, table = operand 1, y = result 0, control], per_token = {M = 1 : i64}>
// CHECK-SAME: M = 100 : i64, N = 20 : i64, ROWS = 0 : i64, V = 77 : i64}, schedule = #systolic.schedule<waves = 4x1>
nstf.kernel @embedding_0(%ids: tensor<?xi32>, %t: tensor<77x20xf32>) -> tensor<?x20xf32> {
  %y = nstf.embedding %ids, %t : (tensor<?xi32>, tensor<77x20xf32>) -> tensor<?x20xf32>
  nstf.return %y : tensor<?x20xf32>
}

//--- rms-norm.mlir
// A static row count goes into ROWS: the launch does not depend on the step.
// CHECK: systolic.kernel @rms_norm_0(
// CHECK-SAME: launch = #systolic.launch<[{{.+}}]>
// CHECK-SAME: EPS = 5.000000e-01 : f32, G = 1 : i64, M = 3 : i64, N = 20 : i64, ROWS = 3 : i64
nstf.kernel @rms_norm_0(%x: tensor<3x20xf32>, %w: tensor<20xf32>) -> tensor<3x20xf32> {
  %y = nstf.rms_norm %x, %w {eps = 0.5 : f64} : (tensor<3x20xf32>, tensor<20xf32>) -> tensor<3x20xf32>
  nstf.return %y : tensor<3x20xf32>
}

//--- head-norm.mlir
// Three heads of a row are three rows of the template, with a factor that is read by rows of 20 features.
// CHECK: func.func private @epilogue(%{{.+}}: tensor<4x256xf32, #systolic.axes<BM, BN>>, %{{.+}}: index, %{{.+}}: index, %{{.+}}: memref<64x64xf32, #systolic.axes<M, N>>)
// CHECK: systolic.kernel @rms_norm_0(
// CHECK-SAME: launch = #systolic.launch<[{{.+}}], per_token = {M = 3 : i64}>
// CHECK-SAME: G = 3 : i64, M = 300 : i64, N = 20 : i64, ROWS = 0 : i64
nstf.kernel @rms_norm_0(%x: tensor<?x60xf32>, %w: tensor<20xf32>, %z: tensor<?x60xf32>) -> tensor<?x60xf32> {
  %y = nstf.rms_norm %x, %w {eps = 0.5 : f64} : (tensor<?x60xf32>, tensor<20xf32>) -> tensor<?x60xf32>
  %m = nstf.mul %y, %z : tensor<?x60xf32>
  nstf.return %m : tensor<?x60xf32>
}

//--- layer-norm.mlir
// The bias of a norm is the slot's, as that of a linear.
// CHECK: func.func private @epilogue(%[[TILE:.+]]: tensor<4x256xf32, #systolic.axes<BM, BN>>, %[[M0:.+]]: index, %[[N0:.+]]: index, %[[E0:.+]]: memref<64xf32, #systolic.axes<N>>)
// CHECK: %[[BIAS:.+]] = systolic.load %[[E0]][%[[N0]]]
// CHECK: %[[ROWS:.+]] = systolic.broadcast %[[BIAS]]
// CHECK: %[[Y:.+]] = arith.addf %[[TILE]], %[[ROWS]]
// CHECK: %[[RESULT:.+]] = math.tanh %[[Y]]
// CHECK: return %[[RESULT]]
// CHECK: systolic.kernel @layer_norm_0(
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, weight = operand 1, y = result 0, e0 = operand 2, control]
// CHECK-SAME: EPS = 5.000000e-01 : f32, M = 100 : i64, N = 20 : i64, ROWS = 0 : i64
nstf.kernel @layer_norm_0(%x: tensor<?x20xf32>, %w: tensor<20xf32>, %b: tensor<20xf32>) -> tensor<?x20xf32> {
  %y = nstf.layer_norm %x, %w, %b {eps = 0.5 : f64} : (tensor<?x20xf32>, tensor<20xf32>, tensor<20xf32>) -> tensor<?x20xf32>
  %z = nstf.tanh %y : tensor<?x20xf32>
  nstf.return %z : tensor<?x20xf32>
}

//--- l2-normalize.mlir
//
// CHECK: systolic.kernel @l2_normalize_0(
// CHECK-SAME: launch = #systolic.launch<[{{.+}}]>
// CHECK-SAME: EPS = 5.000000e-01 : f32, M = 1 : i64, N = 20 : i64, ROWS = 1 : i64
nstf.kernel @l2_normalize_0(%x: tensor<1x20xf32>) -> tensor<1x20xf32> {
  %y = nstf.l2_normalize %x {eps = 0.5 : f64} : (tensor<1x20xf32>) -> tensor<1x20xf32>
  nstf.return %y : tensor<1x20xf32>
}

//--- mean-rows.mlir
// The rows of the step are read, one is written.
// CHECK: systolic.kernel @mean_rows_0(
// CHECK-SAME: %{{.+}}: memref<1x64xf32, #systolic.axes<1, N>>
// CHECK-SAME: grid = ["N", "BN"]
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, y = result 0, control]
// CHECK-SAME: M = 100 : i64, N = 20 : i64, ROWS = 0 : i64
nstf.kernel @mean_rows_0(%x: tensor<?x20xf32>) -> tensor<1x20xf32> {
  %y = nstf.mean_rows %x : (tensor<?x20xf32>) -> tensor<1x20xf32>
  nstf.return %y : tensor<1x20xf32>
}

//--- first-row.mlir
// CHECK: systolic.kernel @first_0(
// CHECK-SAME: launch = #systolic.launch<[{{.+}}]>
// CHECK-SAME: LAST = 0 : i64, M = 1 : i64, MX = 1 : i64, N = 20 : i64, ROWS = 1 : i64
nstf.kernel @first_0(%x: tensor<?x20xf32>) -> tensor<1x20xf32> {
  %y = nstf.first_row %x : (tensor<?x20xf32>) -> tensor<1x20xf32>
  nstf.return %y : tensor<1x20xf32>
}

//--- add-positions.mlir
// Rows of the table by the step's position, which the slot reads from the control block. The table keeps its type and
// its number of rows.
// CHECK: func.func private @epilogue(%[[TILE:.+]]: tensor<4x256xf32, #systolic.axes<BM, BN>>, %[[M0:.+]]: index, %[[N0:.+]]: index, %[[E0:.+]]: memref<66x64xbf16, #systolic.axes<66, N>>, %[[CONTROL:.+]]: !systolic.control)
// CHECK: %[[POSITION:.+]] = systolic.control position %[[CONTROL]]
// CHECK: %[[FIRST:.+]] = arith.addi %[[M0]], %[[POSITION]]
// CHECK: %[[TWO:.+]] = arith.constant 2 : index
// CHECK: %[[ROW:.+]] = arith.addi %[[FIRST]], %[[TWO]]
// CHECK: %[[TABLE:.+]] = systolic.load %[[E0]][%[[ROW]], %[[N0]]]
// CHECK: %[[RESULT:.+]] = arith.addf %[[TILE]], %[[TABLE]]
// CHECK: return %[[RESULT]]
// CHECK: systolic.kernel @positions_0(
// CHECK-SAME: %[[BLOCK:[a-z0-9]+]]: !systolic.control
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, y = result 0, e0 = operand 1, control]
// CHECK: call @epilogue(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %[[BLOCK]])
nstf.kernel @positions_0(%x: tensor<?x20xf32>, %t: tensor<66x20xbf16>) -> tensor<?x20xf32> {
  %y = nstf.add_positions %x, %t {offset = 2 : i64} : (tensor<?x20xf32>, tensor<66x20xbf16>) -> tensor<?x20xf32>
  nstf.return %y : tensor<?x20xf32>
}

//--- activations.mlir
// CHECK: func.func private @epilogue(%[[X:.+]]: tensor<4x256xf32, #systolic.axes<BM, BN>>, %{{.+}}: index, %{{.+}}: index)
// CHECK: %[[NEGATIVE:.+]] = arith.cmpf olt, %[[X]], %{{.+}}
// CHECK: %[[RELU:.+]] = arith.select %[[NEGATIVE]], %{{.+}}, %[[X]]
// CHECK: math.erf
// CHECK-NOT: math.tanh
// CHECK: math.exp
// CHECK: return
nstf.kernel @activations_0(%x: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %0 = nstf.relu %x : tensor<?x20xf32>
  %1 = nstf.gelu %0 : tensor<?x20xf32>
  %2 = nstf.gelu %1 {tanh} : tensor<?x20xf32>
  nstf.return %2 : tensor<?x20xf32>
}

//--- append.mlir
// A cache is as long as the context, but only the step's rows are written.
// CHECK: systolic.kernel @append_0(
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, y = operand 1 in_place, control], per_token = {M = 1 : i64}>
// CHECK-SAME: C = 20 : i64, D = 20 : i64, DS = 20 : i64, L = 512 : i64, M = 100 : i64, N = 20 : i64, OPERAND = f32, ORDER = 0 : i64, PADDED = 0 : i64, ROWS = 0 : i64, YC = 20 : i64, YR = 512 : i64
nstf.kernel @append_0(%x: tensor<?x20xf32>, %cache: tensor<512x20xf32>) -> tensor<512x20xf32> {
  %y = nstf.kv_append %x, %cache : (tensor<?x20xf32>, tensor<512x20xf32>) -> tensor<512x20xf32>
  nstf.return %y : tensor<512x20xf32>
}

//--- append-ordered.mlir
// CHECK: systolic.kernel @append_0(
// CHECK-SAME: {systolic.packed = #systolic.packed<16 x 64 bytes, by 4>}
// CHECK-SAME: C = 32 : i64, D = 10 : i64, DS = 16 : i64, L = 500 : i64, M = 100 : i64, N = 20 : i64, OPERAND = f16, ORDER = 2 : i64, PADDED = 1 : i64, ROWS = 0 : i64, YC = 512 : i64, YR = 32 : i64
nstf.kernel @append_0(%x: tensor<?x20xf16>, %cache: tensor<500x20xf16, #nstf.operand_order<values, heads = 2>>) -> tensor<500x20xf16, #nstf.operand_order<values, heads = 2>> {
  %y = nstf.kv_append %x, %cache : (tensor<?x20xf16>, tensor<500x20xf16, #nstf.operand_order<values, heads = 2>>) -> tensor<500x20xf16, #nstf.operand_order<values, heads = 2>>
  nstf.return %y : tensor<500x20xf16, #nstf.operand_order<values, heads = 2>>
}

//--- last-row.mlir
// CHECK: systolic.kernel @last_0(
// CHECK-SAME: launch = #systolic.launch<[{{.+}}]>
// CHECK-SAME: LAST = 1 : i64, M = 1 : i64, MX = 100 : i64, N = 20 : i64, ROWS = 1 : i64
nstf.kernel @last_0(%x: tensor<?x20xf32>) -> tensor<1x20xf32> {
  %y = nstf.last_row %x : (tensor<?x20xf32>) -> tensor<1x20xf32>
  nstf.return %y : tensor<1x20xf32>
}

//--- chain.mlir
// Elementwise ops alone: the first operand is the template's tile, wherever it is read again.
// CHECK: func.func private @epilogue(%[[TILE:.+]]: tensor<4x256xf32, #systolic.axes<BM, BN>>, %{{.+}}: index, %{{.+}}: index, %[[E0:.+]]: memref<64x64xf32, #systolic.axes<M, N>>)
// CHECK: %[[UP:.+]] = systolic.load %[[E0]]
// CHECK: %[[SILU:.+]] = arith.divf %[[TILE]]
// CHECK: %[[GATED:.+]] = arith.mulf %[[SILU]], %[[UP]]
// CHECK: %[[RESULT:.+]] = arith.mulf %[[GATED]], %[[TILE]]
// CHECK: return %[[RESULT]]
// CHECK: systolic.kernel @chain_0(
// CHECK-SAME: {systolic.per_token = 20 : i64}
// CHECK-SAME: {systolic.per_token = 20 : i64}
// CHECK-SAME: launch = #systolic.launch<[x = operand 1, y = result 0, e0 = operand 0, control]
nstf.kernel @chain_0(%up: tensor<?x20xf32>, %gate: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %y = nstf.swiglu %gate, %up : tensor<?x20xf32>
  %z = nstf.mul %y, %gate : tensor<?x20xf32>
  nstf.return %z : tensor<?x20xf32>
}

//--- softmax.mlir
// CHECK: systolic.kernel @softmax_0(
// CHECK-SAME: launch = #systolic.launch<[{{.+}}], per_token = {M = 1 : i64}>
// CHECK-SAME: M = 100 : i64, N = 20 : i64, ROWS = 0 : i64
nstf.kernel @softmax_0(%x: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %y = nstf.softmax %x : tensor<?x20xf32>
  nstf.return %y : tensor<?x20xf32>
}

//--- argmax.mlir
// CHECK: systolic.kernel @argmax_0(
// CHECK-SAME: {systolic.per_token = 1 : i64}
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, y = result 0, control]
// CHECK-SAME: M = 100 : i64, N = 20 : i64, ROWS = 0 : i64
nstf.kernel @argmax_0(%x: tensor<?x20xf32>) -> tensor<?xi32> {
  %y = nstf.argmax %x : (tensor<?x20xf32>) -> tensor<?xi32>
  nstf.return %y : tensor<?xi32>
}

//--- matvec-codes.mlir
// A quantised matrix: what is loaded of it is made of codes, scales and zeros. Codes are multiplied as they are, raised where
// x is f16; zeros, which make up for that, and scales are the sums'. The loads come first, so that x is shared after them.
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
// Bytes are multiplied as they are; the scale of a row is loaded before the loop, for its whole sum. bf16, which no
// instruction multiplies, is f32.
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
// Floats of 8 bits become f16 before they are multiplied, whatever their scales are, which the sum gets.
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
// Transposed, as the template loads it, and in the type of the products' operands; bf16, which has no arithmetic, by f32. Codes
// of 8 bits lie as the matrix does, those of 6 have a plane of their high bits.
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
// Codes of 8 bits, which bf16 holds, are multiplied as they are; the scale of a row is loaded before the loop, for its whole sum.
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
// Waves that share out K make a part of a sum each, which is multiplied by its group's scale; zeros go into the sum of x.
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
// Codes on both sides are the operands, in i8 with sums of i32; the slot makes f32 of them, times the rows' scales and the
// columns', and goes on from there.
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
// Two results; a group of a row is a row of the template.
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
// Both results lie in caches, which have rows for the whole context.
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
// In operand order a group is a head, which has work items of its own: 300 positions of 32 columns, transposed, fill blocks of 320
// of 32, and a head has 320 scales.
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
// Codes of a norm: a loop more that makes the same numbers and finds the largest of each row.
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
