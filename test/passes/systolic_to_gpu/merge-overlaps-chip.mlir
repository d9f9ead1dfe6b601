// Merging uses the chip's clocks: a product of 32 clocks and a store of 40 beside two reads of 32 (two SIMDs share a
// port of the LDS). The store precedes the second read. If a product takes 128 clocks, the store comes after it; if
// each SIMD has its own port, before both reads.
// RUN: rm -rf %t && split-file %s %t
// RUN: sed 's/^default_chip: .*/default_chip: rate.yaml/' %root/templates/targets/gfx942.yaml > %t/slow.yaml
// RUN: sed 's/^default_chip: .*/default_chip: ports.yaml/' %root/templates/targets/gfx942.yaml > %t/wide.yaml
// RUN: nstf-opt %t/merge.mlir -pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic-to-gpu-merge-overlaps)' | FileCheck %s --check-prefixes=CHECK,CHIP
// RUN: nstf-opt %t/merge.mlir -pass-pipeline='builtin.module(nstf-set-target{target=%t/slow.yaml},systolic-to-gpu-merge-overlaps)' | FileCheck %s --check-prefixes=CHECK,SLOW
// RUN: nstf-opt %t/merge.mlir -pass-pipeline='builtin.module(nstf-set-target{target=%t/wide.yaml},systolic-to-gpu-merge-overlaps)' | FileCheck %s --check-prefixes=CHECK,WIDE
// CHECK-LABEL: func.func @mixed(
// CHECK: amdgpu.mfma
// CHIP: vector.load
// CHIP: vector.store
// CHIP: vector.load
// SLOW: vector.load
// SLOW: vector.load
// SLOW: vector.store
// WIDE: vector.load
// WIDE: vector.load
// WIDE: vector.store
// CHECK: return

//--- rate.yaml
name: rate
target: gfx942
description: MI300X with slow matrix cores
base: mi300x
constants:
  matrix_pass_clocks: {value: 16, unit: clk, mark: U, source: of a test}
//--- ports.yaml
name: ports
target: gfx942
description: MI300X with a port of the LDS for each SIMD
base: mi300x
constants:
  lds_ports: {value: 4, unit: count, mark: U, source: of a test}
//--- merge.mlir
func.func @mixed(%a: vector<4xf16>, %acc: vector<16xf32>, %lds: memref<64xf16, #gpu.address_space<workgroup>>, %i: index, %v: vector<8xf16>)
    -> (vector<16xf32>, vector<8xf16>, vector<8xf16>) {
  %all:3 = systolic.overlap {
    %p = amdgpu.mfma 32x32x8 %a * %a + %acc blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    vector.store %v, %lds[%i] : memref<64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    systolic.yield %p : vector<16xf32>
  } with {
    %r0 = vector.load %lds[%i] : memref<64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %r1 = vector.load %lds[%i] : memref<64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    systolic.yield %r0, %r1 : vector<8xf16>, vector<8xf16>
  } : vector<16xf32>, vector<8xf16>, vector<8xf16>
  return %all#0, %all#1, %all#2 : vector<16xf32>, vector<8xf16>, vector<8xf16>
}
