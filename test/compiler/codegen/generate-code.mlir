// Machine code of a gpu.module, as assembly and as an object; errors name the reason.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics -nstf-set-target -nstf-generate-code | FileCheck %s
// RUN: nstf-opt %s -split-input-file -verify-diagnostics -nstf-set-target -nstf-generate-code=keep-llvm | FileCheck %s --check-prefix=LLVM

// CHECK: gpu.binary @good [#gpu.object<#rocdl.target<{{.*}}chip = "gfx942"{{.*}}>, assembly = "{{.*}}good:{{.*}}s_endpgm{{.*}}">, #gpu.object<#rocdl.target<{{.*}}>, bin = "\7FELF{{.*}}">]
// LLVM: gpu.binary @good [#gpu.object<#rocdl.target<{{.*}}>, offload = "{{.*}}define amdgpu_kernel void @good({{.*}}">, #gpu.object<

module {
  gpu.module @good {
    llvm.func @good(%x: !llvm.ptr<1>) attributes {gpu.kernel, rocdl.kernel} {
      llvm.return
    }
  }
}

// -----

// A module without kernels stays.
module {}

// -----

// expected-error-re @+1 {{kernel 'lds': {{.*}}local memory (262144) exceeds limit (65536) in function 'lds'}}
module {
  gpu.module @lds {
    llvm.mlir.global internal @array() {addr_space = 3 : i32} : !llvm.array<65536 x f32>
    llvm.func @lds(%i: i32, %x: f32) attributes {gpu.kernel, rocdl.kernel} {
      %0 = llvm.mlir.addressof @array : !llvm.ptr<3>
      %1 = llvm.getelementptr %0[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      llvm.store volatile %x, %1 : f32, !llvm.ptr<3>
      llvm.return
    }
  }
}

// -----

// expected-error @+1 {{expected kernels of different names but got 'k' in the modules 'one' and 'two'}}
module {
  gpu.module @one {
    llvm.func @k() attributes {gpu.kernel, rocdl.kernel} { llvm.return }
  }
  gpu.module @two {
    llvm.func @k() attributes {gpu.kernel, rocdl.kernel} { llvm.return }
  }
}
