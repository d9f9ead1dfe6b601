// nstf-pipeline-isa: assembly and object of each kernel, and a code object for each target, in the IR and as files.
// RUN: rm -rf %t
// RUN: nstf-opt %s -nstf-pipeline-graph=max-tokens=1 -nstf-pipeline-tile=targets=gfx942,gfx90a -nstf-pipeline-gpu -nstf-pipeline-llvm -nstf-pipeline-isa=output=%t | FileCheck %s
// RUN: llvm-readelf-22 --file-header --symbols %t/kernels.gfx90a.hsaco | FileCheck %s --check-prefix=HSACO
// The whole pipeline in one option.
// RUN: nstf-opt %s -nstf-pipeline="max-tokens=1 targets=gfx942,gfx90a output=%t/all" -o /dev/null && cmp %t/kernels.gfx90a.hsaco %t/all/kernels.gfx90a.hsaco

// CHECK: module @gfx942
// CHECK: nstf.variant @linear_silu_0_t1
// CHECK: gpu.binary @kernels [#gpu.object<{{.*}}, assembly = "{{.*}}">, #gpu.object<{{.*}}, bin = "{{.*}}">]
// CHECK: gpu.binary @code_object
// CHECK: module @gfx90a
// CHECK: gpu.binary @code_object
// HSACO: gfx90a
// HSACO: FUNC {{.*}} linear_silu_0_t1
// HSACO: FUNC {{.*}} softmax_0_t1

nstf.weight @w : tensor<8x8xf32>
nstf.graph @main(%x: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"}) attributes {context = 64 : i64} {
  %w = nstf.get @w : tensor<8x8xf32>
  %y = nstf.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %z = nstf.silu %y : tensor<?x8xf32>
  %p = nstf.softmax %z : tensor<?x8xf32>
  nstf.return %p : tensor<?x8xf32>
}
