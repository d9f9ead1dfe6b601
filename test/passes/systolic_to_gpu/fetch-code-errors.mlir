// RUN: not nstf-opt %s -pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic-to-gpu-fetch-code)' 2>&1 | FileCheck %s

// The pass finds the end of the code by a label at the end of the first function, so there must be only one.
// CHECK: error: 'gpu.func' op expected a module of one function but got 2
gpu.module @kernels {
  gpu.func @first() kernel {
    gpu.return
  }
  gpu.func @second() kernel {
    gpu.return
  }
}
