// RUN: nstf-opt %s -split-input-file -verify-diagnostics -pass-pipeline="builtin.module(nstf-set-target{target=gfx942},gpu.module(systolic-to-gpu-convert-gpu-to-rocdl))"

// LLVM would abort on a matrix instruction that the chip does not have.
module {
  gpu.module @m {
    gpu.func @k(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %zero = arith.constant dense<0.0> : vector<16xf32>
      %v = arith.constant dense<1.0> : vector<2xbf16>
      // expected-error @+2 {{expected a matrix instruction of gfx942 but got 32x32x4 with 1 blocks of bf16 times bf16 plus f32}}
      // expected-note @+1 {{for these types it has v_mfma_f32_32x32x8_bf16 v_mfma_f32_32x32x4_2b_bf16 v_mfma_f32_16x16x16_bf16}}
      %d = amdgpu.mfma 32x32x4 %v * %v + %zero {blocks = 1 : i32} blgp = none : vector<2xbf16>, vector<2xbf16>, vector<16xf32>
      %s = vector.extract %d[0] : f32 from vector<16xf32>
      memref.store %s, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
}

// -----

// No instruction computes this function, and no library is linked.
module {
  gpu.module @m {
    gpu.func @k(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf32>
      // expected-error @+1 {{expected a function that instructions compute but got 'tanh'; expand it before (math-expand-ops)}}
      %d = math.tanh %v : f32
      memref.store %d, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
}

// -----

// The function is not available in this type.
module {
  gpu.module @m {
    gpu.func @k(%x: memref<64xf64>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<64xf64>
      // expected-error @+1 {{expected an element type of f16 or f32 but got 'f64'}}
      %d = math.exp %v : f64
      memref.store %d, %x[%i] : memref<64xf64>
      gpu.return
    }
  }
}

// -----

// Arguments become bare pointers, so their shapes must be static.
module {
  gpu.module @m {
    // expected-error @+1 {{expected argument 0 to be a memref of static shape but got 'memref<?xf32>'}}
    gpu.func @k(%x: memref<?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      gpu.return
    }
  }
}

// -----

// Offsets are 32-bit.
module {
  gpu.module @m {
    // expected-error @+1 {{expected argument 0 to have less than 2^31 elements with 32-bit indices}}
    gpu.func @k(%x: memref<2147483648xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      gpu.return
    }
  }
}

// -----

// The number of registers depends on the workgroup's size, which must be known.
module {
  gpu.module @m {
    // expected-error @+1 {{expected a kernel to have 'known_block_size' but got none}}
    gpu.func @k(%x: memref<64xf32>) kernel  {
      gpu.return
    }
  }
}

// -----

// The device library would read the grid's size from the dispatch packet.
module {
  gpu.module @m {
    gpu.func @k(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      // expected-error @+1 {{expected an operation that needs no device library}}
      %n = gpu.grid_dim x
      %c0 = arith.constant 0.0 : f32
      memref.store %c0, %x[%n] : memref<64xf32>
      gpu.return
    }
  }
}

// -----

// Ops that the conversion leaves over are errors.
module {
  gpu.module @m {
    gpu.func @k(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      // expected-error @+1 {{was left over by the conversion to the ROCDL dialect}}
      %v = tensor.empty() : tensor<4xf32>
      %c0 = arith.constant 0 : index
      %e = tensor.extract %v[%c0] : tensor<4xf32>
      memref.store %e, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
}
