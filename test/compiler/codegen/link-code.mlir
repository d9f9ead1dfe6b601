// The objects of a module's kernels become one code object, in the IR and as a file. Nested modules occur in the
// reproducers of a failed link.
// RUN: rm -rf %t && split-file %s %t
// RUN: nstf-opt %t/good.mlir -nstf-set-target -nstf-generate-code -nstf-link-code=output=%t/out | FileCheck %t/good.mlir
// RUN: llvm-readelf-22 --symbols %t/out/kernels.gfx942.hsaco | FileCheck %t/good.mlir --check-prefix=SYMBOLS
// RUN: nstf-opt %t/bad.mlir -verify-diagnostics -nstf-set-target -nstf-generate-code -nstf-link-code
// RUN: echo x > %t/file
// RUN: not nstf-opt %t/good.mlir -nstf-set-target -nstf-generate-code -nstf-link-code=output=%t/file 2>&1 | FileCheck %t/good.mlir --check-prefix=FILE
// A module without kernels stays.
// RUN: echo 'module {}' | nstf-opt -nstf-link-code

//--- good.mlir
// CHECK: module {
// CHECK: gpu.binary @kernels [
// CHECK: module {
// CHECK: gpu.binary @kernels [
// CHECK: gpu.binary @code_object [#gpu.object<#rocdl.target<{{.*}}chip = "gfx942"{{.*}}>, bin = "\7FELF{{.*}}">]
// SYMBOLS: FUNC {{.*}} first
// SYMBOLS: FUNC {{.*}} second
// FILE: error: {{.*}}file/kernels.gfx942.hsaco
module {
  module {
    gpu.module @kernels {
      llvm.func @first(%x: !llvm.ptr<1>) attributes {gpu.kernel, rocdl.kernel} {
        llvm.return
      }
    }
  }
  module {
    gpu.module @kernels {
      llvm.func @second(%x: !llvm.ptr<1>) attributes {gpu.kernel, rocdl.kernel} {
        llvm.return
      }
    }
  }
}

//--- bad.mlir
// expected-error-re @+1 {{lld: {{.*}}undefined symbol: missing}}
module {
  gpu.module @kernels {
    llvm.func @missing(i32)
    llvm.func @second(%i: i32) attributes {gpu.kernel, rocdl.kernel} {
      llvm.call @missing(%i) : (i32) -> ()
      llvm.return
    }
  }
}
