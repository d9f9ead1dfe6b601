// Fills kernel regions into the shipped templates: buffers, extents and slot. Each part below is put into one module
// with its template.
// RUN: split-file %s %t
// DEFINE: %{of-one} = sed -e 's/^module {/module attributes {nstf.max_tokens = 1 : i64} {/'
// DEFINE: %{of-100} = sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/'
// DEFINE: %{kernels} = %root/templates/kernels
// DEFINE: %{fill} = nstf-opt -nstf-to-systolic-fill-template | FileCheck
// RUN: %{of-100} -e '/^module/r %t/matmul.mlir' %{kernels}/matmul.mlir | %{fill} %t/matmul.mlir
// RUN: %{of-one} -e '/^module/r %t/matvec.mlir' %{kernels}/matvec.mlir | %{fill} %t/matvec.mlir
// RUN: %{of-100} -e '/^module/r %t/rope.mlir' %{kernels}/rope.mlir | %{fill} %t/rope.mlir
// RUN: %{of-100} -e '/^module/r %t/rope-append.mlir' %{kernels}/rope.mlir | %{fill} %t/rope-append.mlir
// RUN: %{of-100} -e '/^module/r %t/attention.mlir' %{kernels}/attention.mlir | %{fill} %t/attention.mlir
// RUN: %{of-100} -e '/^module/r %t/attention-step.mlir' %{kernels}/attention.mlir | %{fill} %t/attention-step.mlir
// RUN: %{of-100} -e '/^module/r %t/embedding.mlir' %{kernels}/embedding.mlir | %{fill} %t/embedding.mlir
// RUN: %{of-100} -e '/^module/r %t/rms-norm.mlir' %{kernels}/rms_norm.mlir | %{fill} %t/rms-norm.mlir
// RUN: %{of-100} -e '/^module/r %t/append.mlir' %{kernels}/kv_append.mlir | %{fill} %t/append.mlir
// RUN: %{of-100} -e '/^module/r %t/append-ordered.mlir' %{kernels}/kv_append.mlir | %{fill} %t/append-ordered.mlir
// RUN: %{of-100} -e '/^module/r %t/last-row.mlir' %{kernels}/elementwise.mlir | %{fill} %t/last-row.mlir
// RUN: %{of-100} -e '/^module/r %t/chain.mlir' %{kernels}/elementwise.mlir | %{fill} %t/chain.mlir
// RUN: %{of-100} -e '/^module/r %t/softmax.mlir' %{kernels}/softmax.mlir | %{fill} %t/softmax.mlir
// RUN: %{of-100} -e '/^module/r %t/argmax.mlir' %{kernels}/argmax.mlir | %{fill} %t/argmax.mlir
// RUN: %{of-100} -e '/^module/r %t/head-norm.mlir' %{kernels}/rms_norm.mlir | %{fill} %t/head-norm.mlir
// RUN: %{of-100} -e '/^module/r %t/layer-norm.mlir' %{kernels}/layer_norm.mlir | %{fill} %t/layer-norm.mlir
// RUN: %{of-100} -e '/^module/r %t/l2-normalize.mlir' %{kernels}/l2_normalize.mlir | %{fill} %t/l2-normalize.mlir
// RUN: %{of-100} -e '/^module/r %t/mean-rows.mlir' %{kernels}/mean_rows.mlir | %{fill} %t/mean-rows.mlir
// RUN: %{of-100} -e '/^module/r %t/first-row.mlir' %{kernels}/elementwise.mlir | %{fill} %t/first-row.mlir
// RUN: %{of-100} -e '/^module/r %t/add-positions.mlir' %{kernels}/elementwise.mlir | %{fill} %t/add-positions.mlir
// RUN: %{of-100} -e '/^module/r %t/activations.mlir' %{kernels}/elementwise.mlir | %{fill} %t/activations.mlir
// RUN: %{of-100} -e '/^module/r %t/attention-window.mlir' %{kernels}/attention.mlir | %{fill} %t/attention-window.mlir
// RUN: %{of-100} -e '/^module/r %t/attention-ordered.mlir' %{kernels}/attention.mlir | %{fill} %t/attention-ordered.mlir
// RUN: %{of-100} -e '/^module/r %t/attention-wide-window.mlir' %{kernels}/attention.mlir | %{fill} %t/attention-wide-window.mlir

//--- matmul.mlir
// Tuning overrides the defaults; `?` is max_tokens. Bias, silu and the residual are in the slot; bias and residual have
// buffers after the output's.
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
// One row: the template has no M, and the slot stays as it was.
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
// Rows are heads, 3 for each token. The tile's width is the next power of two.
// CHECK: systolic.kernel @rope_0(
// CHECK-SAME: launch = #systolic.launch<[{{.+}}], per_token = {R = 3 : i64}>
// CHECK-SAME: params = {APPEND = 0 : i64, BD = 16 : i64, BR = 32 : i64, CTX = 512 : i64, D = 12 : i64, DY = 12 : i64, H = 3 : i64, INTERLEAVED = 1 : i64, ORDER = 0 : i64, R = 300 : i64, RD = 8 : i64, ROWS = 0 : i64, RY = 300 : i64}, schedule = #systolic.schedule<waves = 4x1>}
nstf.kernel @rope_0(%x: tensor<?x36xf32>, %t: tensor<512x8xf32>) -> tensor<?x36xf32> {
  %y = nstf.rope %x, %t {head_size = 12 : i64, inv_freq = array<f64: 1.0, 0.5, 0.25, 0.1>, interleaved} : (tensor<?x36xf32>, tensor<512x8xf32>) -> tensor<?x36xf32>
  nstf.return %y : tensor<?x36xf32>
}

//--- rope-append.mlir
// rope writes keys to the cache in place, so the output is the operand of the cache.
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
// Six query heads of 20 columns share two key heads, so a key head has 3 rows for each token. The head is padded to
// whole cells.
// CHECK: systolic.kernel @attention_0(
// CHECK-SAME: launch = #systolic.launch<[{{.+}}], per_token = {RG = 3 : i64, RQ = 6 : i64, RT = 1 : i64}>
// CHECK-SAME: params = {BK = 32 : i64, BQ = 16 : i64, CACHED = 1 : i64, CAUSAL = 1 : i64, CODES = 0 : i64, CREWS = 1 : i64, D = 20 : i64, DK = 32 : i64, DP = 32 : i64, DX = 48 : i64, F = 40 : i64, FINITE = 0 : i64, G = 3 : i64, H = 6 : i64, HK = 2 : i64, KD = 20 : i64, KEYS = 256 : i64, L = 512 : i64, OPERAND = f32, ORDER = 0 : i64, PARTS = 1 : i64, RAISE = 0 : i64, RG = 300 : i64, ROWS = 0 : i64, RQ = 600 : i64, RT = 100 : i64, SC = 1 : i64, SCALE = 5.000000e-01 : f32, SR = 64 : i64, VC = 40 : i64, VD = 20 : i64, VR = 512 : i64
nstf.kernel @attention_0(%q: tensor<?x120xf32>, %k: tensor<512x40xf32>, %v: tensor<512x40xf32>) -> tensor<?x120xf32> {
  %y = nstf.attention %q, %k, %v {heads = 6 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64} : (tensor<?x120xf32>, tensor<512x40xf32>, tensor<512x40xf32>) -> tensor<?x120xf32>
  nstf.return %y : tensor<?x120xf32>
}

//--- attention-ordered.mlir
// Keys fill blocks of 32 columns, values rows of 16, and both fill whole blocks of the context.
// CHECK: systolic.kernel @attention_0(%{{.+}}: memref<64x64xf16, #systolic.axes<L, F>> {systolic.packed = #systolic.packed<16 x 64 bytes, by 4>}, %{{.+}}: memref<64x64xf16, #systolic.axes<VR, VC>> {systolic.packed = #systolic.packed<16 x 64 bytes, by 4>},
// CHECK-SAME: D = 20 : i64, DK = 32 : i64, DP = 32 : i64, DX = 48 : i64, F = 64 : i64,
// CHECK-SAME: KD = 32 : i64, KEYS = 256 : i64, L = 512 : i64, OPERAND = f16, ORDER = 1 : i64
// CHECK-SAME: VC = 512 : i64, VD = 32 : i64, VR = 64 : i64
nstf.kernel @attention_0(%q: tensor<?x120xf16>, %k: tensor<500x40xf16, #nstf.operand_order<keys, heads = 2>>, %v: tensor<500x40xf16, #nstf.operand_order<values, heads = 2>>) -> tensor<?x120xf32> {
  %y = nstf.attention %q, %k, %v {heads = 6 : i64, kv_heads = 2 : i64, causal, scale = 0.5 : f64} : (tensor<?x120xf16>, tensor<500x40xf16, #nstf.operand_order<keys, heads = 2>>, tensor<500x40xf16, #nstf.operand_order<values, heads = 2>>) -> tensor<?x120xf32>
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
// A window as long as the cache is not a window.
// CHECK: systolic.kernel @attention_0(
// CHECK-SAME: WINDOW = 0 : i64
nstf.kernel @attention_0(%q: tensor<?x16xf32>, %k: tensor<512x16xf32>, %v: tensor<512x16xf32>) -> tensor<?x16xf32> {
  %y = nstf.attention %q, %k, %v {heads = 1 : i64, kv_heads = 1 : i64, causal, window = 512 : i64, scale = 1.0 : f64} : (tensor<?x16xf32>, tensor<512x16xf32>, tensor<512x16xf32>) -> tensor<?x16xf32>
  nstf.return %y : tensor<?x16xf32>
}

//--- attention-step.mlir
// Attention to all keys of the step, without a cache.
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
// A static number of rows becomes ROWS, so that the launch does not depend on the step.
// CHECK: systolic.kernel @rms_norm_0(
// CHECK-SAME: launch = #systolic.launch<[{{.+}}]>
// CHECK-SAME: EPS = 5.000000e-01 : f32, G = 1 : i64, M = 3 : i64, N = 20 : i64, ROWS = 3 : i64
nstf.kernel @rms_norm_0(%x: tensor<3x20xf32>, %w: tensor<20xf32>) -> tensor<3x20xf32> {
  %y = nstf.rms_norm %x, %w {eps = 0.5 : f64} : (tensor<3x20xf32>, tensor<20xf32>) -> tensor<3x20xf32>
  nstf.return %y : tensor<3x20xf32>
}

//--- head-norm.mlir
// Three heads of a row are three rows of the template; a factor is read by rows of 20 features.
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
// The slot applies the bias of a norm, like that of a linear.
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
// The kernel reads all rows of the step and writes one.
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
// The slot reads the rows of the table at the step's position, which is in the control block. The table keeps its type
// and its number of rows.
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
// A cache has a row for each position of the context, but the kernel writes only the rows of the step.
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
// Elementwise ops without an anchor: the first operand is the template's tile, even if it is read again later.
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

