// Codes of 8 bits are converted to floats exactly, four at a time.
// RUN: nstf-opt %s -split-input-file -systolic-to-gpu-lower-kernels -canonicalize -cse | FileCheck %s

// A byte with its top bit flipped, below 0x64, is an f16 that is 1152 too large.
// CHECK-LABEL: gpu.func @bytes_to_halves(
// CHECK-DAG: %[[MORE:.+]] = arith.constant dense<-1.152000e+03> : vector<4xf16>
// CHECK-NOT: sitofp
// CHECK: %[[TURNED:.+]] = arith.xori %{{.+}}, %{{.+}} : i32
// CHECK: llvm.call_intrinsic "llvm.amdgcn.perm"(%{{.+}}, %[[TURNED]], %{{.+}})
// CHECK: llvm.call_intrinsic "llvm.amdgcn.perm"(%{{.+}}, %[[TURNED]], %{{.+}})
// CHECK: arith.addf %{{.+}}, %[[MORE]] fastmath<reassoc,nsz> : vector<4xf16>
// CHECK: arith.addf %{{.+}}, %[[MORE]] fastmath<reassoc,nsz> : vector<4xf16>
#row = #systolic.fragment<reg [0:8*1], lane [0:64*8], wave []>
systolic.kernel @bytes_to_halves(%X: memref<512xi8, #systolic.axes<N>>, %Y: memref<512xf16, #systolic.axes<N>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = systolic.load %X[%c0] : memref<512xi8, #systolic.axes<N>> -> tensor<512xi8, #row>
  %y = arith.sitofp %x : tensor<512xi8, #row> to tensor<512xf16, #row>
  systolic.store %y, %Y[%c0] : tensor<512xf16, #row>, memref<512xf16, #systolic.axes<N>>
  systolic.return
}

// -----

// Two are converted at once; bf16 takes the upper halves.
// CHECK-LABEL: gpu.func @floats_to_bf16(
// CHECK-COUNT-4: amdgpu.ext_packed_fp8
// CHECK-NOT: truncf
#pairs = #systolic.fragment<reg [0:8*1], lane [0:64*8], wave []>
systolic.kernel @floats_to_bf16(%X: memref<512xf8E4M3FNUZ, #systolic.axes<N>>, %Y: memref<512xbf16, #systolic.axes<N>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = systolic.load %X[%c0] : memref<512xf8E4M3FNUZ, #systolic.axes<N>> -> tensor<512xf8E4M3FNUZ, #pairs>
  %y = arith.extf %x : tensor<512xf8E4M3FNUZ, #pairs> to tensor<512xbf16, #pairs>
  systolic.store %y, %Y[%c0] : tensor<512xbf16, #pairs>, memref<512xbf16, #systolic.axes<N>>
  systolic.return
}

// -----

// Floats of 8 bits on a chip without an instruction are shifted into f16.
// CHECK-LABEL: gpu.func @floats_of_8_bits_as_bits(
// CHECK: %[[PAIR:.+]] = llvm.call_intrinsic "llvm.amdgcn.perm"(%{{.+}}, %{{.+}}, %c17563660_i32)
// CHECK: %[[SIGN:.+]] = arith.andi %[[PAIR]], %c-2147450880_i32
// CHECK: %[[SHIFTED:.+]] = arith.shrui %[[PAIR]], %c1_i32
// CHECK: %[[REST:.+]] = arith.andi %[[SHIFTED]], %c1065369472_i32
// CHECK: arith.ori %[[REST]], %[[SIGN]]
// CHECK: arith.mulf %{{.+}}, %cst{{.*}} : vector<4xf16>
// CHECK: arith.extf {{.+}} : vector<4xf16> to vector<4xf32>
#bytes = #systolic.fragment<reg [1:4*1], lane [1:64*4], wave []>
!E = memref<1x256xf8E4M3FNUZ, #systolic.axes<N, K>>
!F = memref<1x256xf32, #systolic.axes<N, K>>
module attributes {nstf.target = {fp8 = "none"}} {
  systolic.kernel @floats_of_8_bits_as_bits(%E: !E, %F: !F, %work: index)
      attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
    %c0 = arith.constant 0 : index
    %codes = systolic.load %E[%c0, %c0] : !E -> tensor<1x256xf8E4M3FNUZ, #bytes>
    %w = arith.extf %codes : tensor<1x256xf8E4M3FNUZ, #bytes> to tensor<1x256xf32, #bytes>
    systolic.store %w, %F[%c0, %c0] : tensor<1x256xf32, #bytes>, !F
    systolic.return
  }
}

// -----

// Rounding to floats of 8 bits, two at a time; three zeros pad the fifth.
// CHECK-LABEL: gpu.func @rounded(
// CHECK: %[[LOW:.+]] = amdgpu.packed_trunc_2xfp8 %{{.+}}, %{{.+}} into undef[word 0] : f32 to vector<4xf8E4M3FNUZ>
// CHECK: %[[WORD:.+]] = amdgpu.packed_trunc_2xfp8 %{{.+}}, %{{.+}} into %[[LOW]][word 1]
// CHECK-COUNT-2: amdgpu.packed_trunc_2xfp8
// CHECK: vector.extract %[[WORD]][3]
// CHECK-NOT: truncf
#five = #systolic.fragment<reg [0:5*64], lane [0:64*1], wave []>
systolic.kernel @rounded(%X: memref<320xf32, #systolic.axes<N>>, %Y: memref<320xf8E4M3FNUZ, #systolic.axes<N>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = systolic.load %X[%c0] : memref<320xf32, #systolic.axes<N>> -> tensor<320xf32, #five>
  systolic.store %x, %Y[%c0] : tensor<320xf32, #five>, memref<320xf8E4M3FNUZ, #systolic.axes<N>>
  systolic.return
}

// -----

// Floats of 8 bits are multiplied as f32.
// CHECK-LABEL: gpu.func @sums(
// CHECK-COUNT-4: amdgpu.ext_packed_fp8
// CHECK-COUNT-2: math.fma {{.+}} : vector<2xf32>
#x = #systolic.fragment<reg [1:4*1], lane [1:64*4], wave []>
#sums = #systolic.fragment<reg [], lane [1:64*1], wave []>
!E = memref<1x256xf8E4M3FNUZ, #systolic.axes<N, K>>
!Y = memref<1x64xf32, #systolic.axes<N, S>>
systolic.kernel @sums(%W: !E, %X: !E, %Y: !Y, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<1x64xf32, #sums>
  %w = systolic.load %W[%c0, %c0] : !E -> tensor<1x256xf8E4M3FNUZ, #x>
  %x = systolic.load %X[%c0, %c0] : !E -> tensor<1x256xf8E4M3FNUZ, #x>
  %y = systolic.dot %w, %x, %zero : tensor<1x256xf8E4M3FNUZ, #x>, tensor<1x256xf8E4M3FNUZ, #x> -> tensor<1x64xf32, #sums>
  systolic.store %y, %Y[%c0, %c0] : tensor<1x64xf32, #sums>, !Y
  systolic.return
}
