// The pass that replays code generation: what compiles goes through in silence, what does not says why.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics -nstf-set-target -nstf-generate-code

module {
  gpu.module @good {
    llvm.func @good(%x: !llvm.ptr<1>) attributes {gpu.kernel, rocdl.kernel} {
      llvm.return
    }
  }
}

// -----

// No kernels, nothing to do.
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

// Modules in modules, as a failed link leaves them.
// expected-error-re @+1 {{lld: {{.*}}undefined symbol: missing}}
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
      llvm.func @missing(i32)
      llvm.func @second(%i: i32) attributes {gpu.kernel, rocdl.kernel} {
        llvm.call @missing(%i) : (i32) -> ()
        llvm.return
      }
    }
  }
}
