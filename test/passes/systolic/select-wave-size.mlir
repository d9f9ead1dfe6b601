// Wave sizes on the real chips, which have one, and on the test target, which has two and prefers 32.
// RUN: split-file %s %t
// RUN: nstf-opt %t/kernels.mlir --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-select-wave-size))' | FileCheck %t/kernels.mlir --check-prefix=ONE
// RUN: nstf-opt %t/kernels.mlir --pass-pipeline='builtin.module(nstf-set-target{target=gfx90a},systolic.kernel(systolic-select-wave-size))' | FileCheck %t/kernels.mlir --check-prefix=ONE
// RUN: nstf-opt %t/kernels.mlir \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=%root/test/compiler/target/Inputs/test-wave.yaml}, \
// RUN:     systolic.kernel(systolic-select-wave-size))' | FileCheck %t/kernels.mlir --check-prefix=TWO
// RUN: nstf-opt %t/kernels.mlir \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=%root/test/compiler/target/Inputs/test-wave.yaml}, \
// RUN:     systolic.kernel(systolic-select-wave-size{wave-size=64}))' \
// RUN:   | FileCheck %t/kernels.mlir --check-prefix=FORCED

// Remarks on the choice and its reason.
// RUN: nstf-opt %t/remarks.mlir \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=%root/test/compiler/target/Inputs/test-wave.yaml}, \
// RUN:     systolic.kernel(systolic-select-wave-size))' --remark-format=emitRemark --remarks-filter=systolic-.* \
// RUN:   -verify-diagnostics -o /dev/null
// RUN: nstf-opt %t/forced.mlir \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=%root/test/compiler/target/Inputs/test-wave.yaml}, \
// RUN:     systolic.kernel(systolic-select-wave-size{wave-size=32}))' --remark-format=emitRemark \
// RUN:   --remarks-filter=systolic-.* -verify-diagnostics -o /dev/null
// RUN: nstf-opt %t/only.mlir \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-select-wave-size))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o /dev/null

// Errors.
// RUN: nstf-opt %t/lacking.mlir --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-select-wave-size{wave-size=32}))' -verify-diagnostics
// RUN: nstf-opt %t/neither.mlir \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=%root/test/compiler/target/Inputs/test-wave.yaml}, \
// RUN:     systolic.kernel(systolic-select-wave-size{wave-size=48}))' -verify-diagnostics
// RUN: nstf-opt %t/no-target.mlir --pass-pipeline='builtin.module(systolic.kernel(systolic-select-wave-size))' -verify-diagnostics

//--- kernels.mlir
!a = tensor<16x16xf32, #systolic.axes<BM, BK>>
!X = memref<64x64xf32, #systolic.axes<M, K>>

// ONE-LABEL: @product
// ONE-SAME: wave_size = 64
// TWO-LABEL: @product
// TWO-SAME: wave_size = 32
// FORCED-LABEL: @product
// FORCED-SAME: wave_size = 64
systolic.kernel @product(%X: !X, %work: index) attributes {params = {}, grid = []} {
  %a = systolic.load %X[%work, %work] : !X -> !a
  %zero = arith.constant dense<0.0> : !a
  %c = systolic.mma %a, %a, %zero : !a, !a -> !a
  systolic.store %c, %X[%work, %work] : !a, !X
  systolic.return
}

// 64 elements fill a wave of 64.
// ONE-LABEL: @stream
// ONE-SAME: wave_size = 64
// TWO-LABEL: @stream
// TWO-SAME: wave_size = 64
// FORCED-LABEL: @stream
// FORCED-SAME: wave_size = 64
systolic.kernel @stream(%X: !X, %work: index) attributes {params = {}, grid = []} {
  %x = systolic.load %X[%work, %work] : !X -> tensor<2x32xf32, #systolic.axes<BM, BK>>
  systolic.return
}

// 63 elements do not.
// ONE-LABEL: @narrow
// ONE-SAME: wave_size = 64
// TWO-LABEL: @narrow
// TWO-SAME: wave_size = 32
// FORCED-LABEL: @narrow
// FORCED-SAME: wave_size = 64
systolic.kernel @narrow(%X: !X, %work: index) attributes {params = {}, grid = []} {
  %x = systolic.load %X[%work, %work] : !X -> tensor<3x21xf32, #systolic.axes<BM, BK>>
  systolic.return
}

//--- remarks.mlir
!a = tensor<16x16xf32, #systolic.axes<BM, BK>>
!X = memref<64x64xf32, #systolic.axes<M, K>>

// expected-remark @+2 {{[Passed] WaveSize | Category:systolic-select-wave-size | Function=product | Remark="wave32: matrix products take the target's preferred size", wave_size=32}}
// expected-remark @+1 {{[Missed] WaveSize | Category:systolic-select-wave-size | Function=product | Remark="wave64: not the size the target prefers for matrix products"}}
systolic.kernel @product(%X: !X, %work: index) attributes {params = {}, grid = []} {
  %a = systolic.load %X[%work, %work] : !X -> !a
  %c = systolic.mma %a, %a, %a : !a, !a -> !a
  systolic.return
}

// expected-remark @+2 {{[Passed] WaveSize | Category:systolic-select-wave-size | Function=stream | Remark="wave64: no matrix product, and tiles of 256 elements fill the wider wave", wave_size=64}}
// expected-remark @+1 {{[Missed] WaveSize | Category:systolic-select-wave-size | Function=stream | Remark="wave32: narrower, and no matrix product asks for it"}}
systolic.kernel @stream(%X: !X, %work: index) attributes {params = {}, grid = []} {
  %x = systolic.load %X[%work, %work] : !X -> !a
  systolic.return
}

// expected-remark @+2 {{[Passed] WaveSize | Category:systolic-select-wave-size | Function=narrow | Remark="wave32: no tile has more than 32 elements", wave_size=32}}
// expected-remark @+1 {{[Missed] WaveSize | Category:systolic-select-wave-size | Function=narrow | Remark="wave64: no tile fills it"}}
systolic.kernel @narrow(%X: !X, %work: index) attributes {params = {}, grid = []} {
  %x = systolic.load %X[%work, %work] : !X -> tensor<1x32xf32, #systolic.axes<1, BK>>
  systolic.return
}

//--- forced.mlir
// expected-remark @+2 {{[Passed] WaveSize | Category:systolic-select-wave-size | Function=kernel | Remark="wave32: asked for", wave_size=32}}
// expected-remark @+1 {{[Missed] WaveSize | Category:systolic-select-wave-size | Function=kernel | Remark="wave64: not asked for"}}
systolic.kernel @kernel(%work: index) attributes {params = {}, grid = []} {
  systolic.return
}

//--- only.mlir
// expected-remark @+1 {{[Passed] WaveSize | Category:systolic-select-wave-size | Function=kernel | Remark="wave64: the only one of gfx942", wave_size=64}}
systolic.kernel @kernel(%work: index) attributes {params = {}, grid = []} {
  systolic.return
}

//--- lacking.mlir
// expected-error @+1 {{expected a wave size of gfx942 (64) but got 32}}
systolic.kernel @kernel(%work: index) attributes {params = {}, grid = []} {
  systolic.return
}

//--- neither.mlir
// expected-error @+1 {{expected a wave size of test-wave (32, 64) but got 48}}
systolic.kernel @kernel(%work: index) attributes {params = {}, grid = []} {
  systolic.return
}

//--- no-target.mlir
// expected-error @+1 {{expected a target}}
systolic.kernel @kernel(%work: index) attributes {params = {}, grid = []} {
  systolic.return
}
