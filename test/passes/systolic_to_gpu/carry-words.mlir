// Narrow elements that a loop carries become words, 16 bytes each, if LLVM has no vector of that many.
// RUN: nstf-opt %s -systolic-to-gpu-carry-words | FileCheck %s

// CHECK-LABEL: @wide(
// CHECK: scf.for {{.+}} iter_args(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}, %[[C:.+]] = %{{.+}}, %[[D:.+]] = %{{.+}}, %[[E:.+]] = %{{.+}}, %[[SUM:.+]] = %{{.+}}) -> (vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xf32>)
// CHECK: vector.bitcast %[[A]] : vector<4xi32> to vector<8xbf16>
// CHECK: %[[NEW:.+]] = vector.insert_strided_slice %arg1, %{{.+}} {offsets = [0], strides = [1]} : vector<8xbf16> into vector<40xbf16>
// CHECK: %[[PART:.+]] = vector.extract_strided_slice %[[NEW]] {offsets = [0], sizes = [8], strides = [1]}
// CHECK: %[[WORDS:.+]] = vector.bitcast %[[PART]] : vector<8xbf16> to vector<4xi32>
// CHECK: scf.yield %[[WORDS]], %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : vector<4xi32>
// CHECK: {nstf.kept}
func.func @wide(%first: vector<40xbf16>, %next: vector<8xbf16>, %end: index) -> (vector<40xbf16>, vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %result:2 = scf.for %i = %c0 to %end step %c1 iter_args(%tile = %first, %sum = %zero) -> (vector<40xbf16>, vector<4xf32>) {
    %part = vector.extract_strided_slice %tile {offsets = [4], sizes = [4], strides = [1]} : vector<40xbf16> to vector<4xbf16>
    %wide = arith.extf %part : vector<4xbf16> to vector<4xf32>
    %new_sum = arith.addf %sum, %wide : vector<4xf32>
    %new = vector.insert_strided_slice %next, %tile {offsets = [0], strides = [1]} : vector<8xbf16> into vector<40xbf16>
    scf.yield %new, %new_sum : vector<40xbf16>, vector<4xf32>
  } {nstf.kept}
  return %result#0, %result#1 : vector<40xbf16>, vector<4xf32>
}

// Vectors that LLVM keeps whole stay, as do words.
// CHECK-LABEL: @narrow(
// CHECK: iter_args({{.+}}) -> (vector<32xf16>, vector<64xf32>)
func.func @narrow(%first: vector<32xf16>, %words: vector<64xf32>, %end: index) -> (vector<32xf16>, vector<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %result:2 = scf.for %i = %c0 to %end step %c1 iter_args(%tile = %first, %sum = %words) -> (vector<32xf16>, vector<64xf32>) {
    %new = arith.addf %tile, %tile : vector<32xf16>
    %new_sum = arith.addf %sum, %sum : vector<64xf32>
    scf.yield %new, %new_sum : vector<32xf16>, vector<64xf32>
  }
  return %result#0, %result#1 : vector<32xf16>, vector<64xf32>
}

// Elements that are loaded one by one, because a lane's elements are scattered in memory, are carried one by one:
// packing them into words would make the loop wait for all of them at its end.
// CHECK-LABEL: @one_by_one(
// CHECK: scf.for {{.+}} iter_args(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}) -> (f16, f16)
// CHECK: vector.from_elements %[[A]], %[[B]] : vector<2xf16>
// CHECK: vector.extract
func.func @one_by_one(%numbers: memref<64xf16>, %first: vector<2xf16>, %end: index) -> vector<2xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %result = scf.for %i = %c0 to %end step %c1 iter_args(%pair = %first) -> (vector<2xf16>) {
    %j = arith.addi %i, %c1 : index
    %low = memref.load %numbers[%i] : memref<64xf16>
    %high = memref.load %numbers[%j] : memref<64xf16>
    %next = vector.from_elements %low, %high : vector<2xf16>
    scf.yield %next : vector<2xf16>
  }
  return %result : vector<2xf16>
}

// CHECK-LABEL: @branch(
// CHECK: %[[WORDS:.+]]:5 = scf.if %{{.+}} -> (vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>) {
// CHECK: } else {
// CHECK: vector.bitcast %[[WORDS]]#4 : vector<4xi32> to vector<16xi8>
func.func @branch(%which: i1, %part: vector<8xi8>, %other: vector<80xi8>) -> vector<80xi8> {
  %result = scf.if %which -> vector<80xi8> {
    %new = vector.insert_strided_slice %part, %other {offsets = [8], strides = [1]} : vector<8xi8> into vector<80xi8>
    scf.yield %new : vector<80xi8>
  } else {
    scf.yield %other : vector<80xi8>
  }
  return %result : vector<80xi8>
}
