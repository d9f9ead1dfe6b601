// Each numbered constraint of the other ops inside a kernel is violated once. Function names are the constraints'
// numbers.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

!a = tensor<16x32xf32, #systolic.axes<BM, BK>>
!b = tensor<16x32xf32, #systolic.axes<BN, BK>>
!c = tensor<16x16xf32, #systolic.axes<BM, BN>>
func.func @mma_c1(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expected MxK, KxN and MxN but got 'tensor<16x32xf32, #systolic.axes<BM, BK>>', 'tensor<16x32xf32, #systolic.axes<BN, BK>>' and 'tensor<16x16xf32, #systolic.axes<BM, BN>>'}}
  %d = systolic.mma %a, %b, %c : !a, !b -> !c
  return
}

// -----

!a = tensor<16x32xf32, #systolic.axes<BM, BK>>
!b = tensor<32x16xf16, #systolic.axes<BK, BN>>
!c = tensor<16x16xf32, #systolic.axes<BM, BN>>
func.func @mma_c2(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expected operands of one element type but got 'f32' and 'f16'}}
  %d = systolic.mma %a, %b, %c : !a, !b -> !c
  return
}

// -----

!a = tensor<16x64xi8, #systolic.axes<BM, BK>>
!b = tensor<64x16xi8, #systolic.axes<BK, BN>>
!c = tensor<16x16xf32, #systolic.axes<BM, BN>>
func.func @mma_c3_integers(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expected products of 'i8' to be summed up in 'i32' but got 'f32'}}
  %d = systolic.mma %a, %b, %c : !a, !b -> !c
  return
}

// -----

!a = tensor<16x64xf8E4M3FNUZ, #systolic.axes<BM, BK>>
!b = tensor<64x16xf8E4M3FNUZ, #systolic.axes<BK, BN>>
!c = tensor<16x16xf16, #systolic.axes<BM, BN>>
func.func @mma_c3_floats(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expected products of 'f8E4M3FNUZ' to be summed up in 'f32' but got 'f16'}}
  %d = systolic.mma %a, %b, %c : !a, !b -> !c
  return
}

// -----

!a = tensor<16x64x!systolic.operand, #systolic.axes<BM, BK>>
!b = tensor<64x16x!systolic.operand, #systolic.axes<BK, BN>>
!c = tensor<16x16xi32, #systolic.axes<BM, BN>>
func.func @mma_c3_open(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expected products of '!systolic.operand' to be summed up in '!systolic.accumulator' but got 'i32'}}
  %d = systolic.mma %a, %b, %c : !a, !b -> !c
  return
}

// -----

!a = tensor<16x32xf32, #systolic.axes<BM, BK>>
!b = tensor<32x16xf32, #systolic.axes<BK, BN>>
!c = tensor<16x16xf32, #systolic.axes<BM, BN>>
func.func @mma_c1_parts(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expected MxK, KxN and (P*M)xN but got 'tensor<16x32xf32, #systolic.axes<BM, BK>>', 'tensor<32x16xf32, #systolic.axes<BK, BN>>' and 'tensor<16x16xf32, #systolic.axes<BM, BN>>' in 2 parts}}
  %d = systolic.mma %a, %b, %c parts 2 : !a, !b -> !c
  return
}

// -----

!a = tensor<16x32xf32, #systolic.axes<BM, BK>>
!b = tensor<32x16xf32, #systolic.axes<BK, BN>>
!c = tensor<16x16xf32, #systolic.axes<BM, BN>>
func.func @mma_c4(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expected at least one part but got 0}}
  %d = systolic.mma %a, %b, %c parts 0 : !a, !b -> !c
  return
}

// -----

!a = tensor<16x32xf32, #systolic.axes<BM, BK>>
!b = tensor<32x16xf32, #systolic.axes<BK, BN>>
!c = tensor<16x16xf32, #systolic.axes<BM, BN>>
func.func @mma_c4_runs_of_one(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expected more than one part of as many columns for runs but got 1 of 'tensor<16x32xf32, #systolic.axes<BM, BK>>'}}
  %d = systolic.mma %a, %b, %c runs : !a, !b -> !c
  return
}

// -----

!a = tensor<16x32xf32, #systolic.axes<BM, BK>>
!b = tensor<32x16xf32, #systolic.axes<BK, BN>>
!c = tensor<48x16xf32, #systolic.axes<48, BN>>
func.func @mma_c4_uneven_runs(%a: !a, %b: !b, %c: !c) {
  // expected-error @+1 {{expected more than one part of as many columns for runs but got 3 of}}
  %d = systolic.mma %a, %b, %c parts 3 runs : !a, !b -> !c
  return
}

// -----

!parts = tensor<40x16xf32, #systolic.axes<40, BN>>
!sum = tensor<16x16xf32, #systolic.axes<BM, BN>>
func.func @sum_parts_c1(%parts: !parts) {
  // expected-error @+1 {{expected (P*M)xN and MxN of one type but got 'tensor<40x16xf32, #systolic.axes<40, BN>>' and 'tensor<16x16xf32, #systolic.axes<BM, BN>>'}}
  %sum = systolic.sum_parts %parts : !parts -> !sum
  return
}

// -----

!parts = tensor<32x16xf16, #systolic.axes<32, BN>>
!sum = tensor<16x16xf16, #systolic.axes<BM, BN>>
func.func @sum_parts_c2(%parts: !parts) {
  // expected-error @+1 {{expected sums of f32 or i32 but got 'tensor<32x16xf16, #systolic.axes<32, BN>>'}}
  %sum = systolic.sum_parts %parts : !parts -> !sum
  return
}

// -----

!x = tensor<16x32xf32, #systolic.axes<BM, BK>>
func.func @reduce_c1_result(%x: !x) {
  // expected-error @+1 {{expected the tile without dimension 0 but got 'tensor<16xf32, #systolic.axes<BM>>' from 'tensor<16x32xf32, #systolic.axes<BM, BK>>'}}
  %y = systolic.reduce add %x along 0 : !x -> tensor<16xf32, #systolic.axes<BM>>
  return
}

// -----

!x = tensor<16x32xf32, #systolic.axes<BM, BK>>
func.func @reduce_c1_dim(%x: !x) {
  // expected-error @+1 {{expected the tile without dimension 2}}
  %y = systolic.reduce add %x along 2 : !x -> tensor<16xf32, #systolic.axes<BM>>
  return
}

// -----

!x = tensor<16x32xi1, #systolic.axes<BM, BK>>
func.func @reduce_c2(%x: !x) {
  // expected-error @+1 {{expected elements that are numbers but got 'tensor<16x32xi1, #systolic.axes<BM, BK>>'}}
  %y = systolic.reduce max %x along 1 : !x -> tensor<16xi1, #systolic.axes<BM>>
  return
}

// -----

!x = tensor<16x32xf32, #systolic.axes<BM, BK>>
func.func @reduce_c1_parts(%x: !x) {
  // expected-error @+1 {{expected the tile with 4 elements along dimension 0 but got 'tensor<8x32xf32, #systolic.axes<8, BK>>' from 'tensor<16x32xf32, #systolic.axes<BM, BK>>'}}
  %y = systolic.reduce add %x along 0 parts 4 : !x -> tensor<8x32xf32, #systolic.axes<8, BK>>
  return
}

// -----

!x = tensor<16x32xf32, #systolic.axes<BM, BK>>
func.func @reduce_c3(%x: !x) {
  // expected-error @+1 {{expected parts that divide the tile but got 3 of 'tensor<16x32xf32, #systolic.axes<BM, BK>>'}}
  %y = systolic.reduce add %x along 0 parts 3 : !x -> tensor<3x32xf32, #systolic.axes<3, BK>>
  return
}

// -----

func.func @broadcast_c1(%x: f16) {
  // expected-error @+1 {{expected a source of element type 'f32' but got 'f16'}}
  %y = systolic.broadcast %x : f16 -> tensor<16x32xf32, #systolic.axes<BM, BK>>
  return
}

// -----

!r = tensor<16xf32, #systolic.axes<BM>>
func.func @broadcast_c2(%r: !r) {
  // expected-error @+1 {{expected the result without dimension 0 as source but got 'tensor<16xf32, #systolic.axes<BM>>' for 'tensor<16x32xf32, #systolic.axes<BM, BK>>'}}
  %y = systolic.broadcast %r along 0 : !r -> tensor<16x32xf32, #systolic.axes<BM, BK>>
  return
}

// -----

func.func @broadcast_c3(%r: tensor<16x5xf32, #systolic.axes<BM, BG>>) {
  // expected-error @+1 {{expected a tile whose size along dimension 1 divides the result's, and equal ones else, as source but got 'tensor<16x5xf32, #systolic.axes<BM, BG>>' for 'tensor<16x32xf32, #systolic.axes<BM, BK>>'}}
  %y = systolic.broadcast %r each along 1 : tensor<16x5xf32, #systolic.axes<BM, BG>> -> tensor<16x32xf32, #systolic.axes<BM, BK>>
  return
}

// -----

!dw = tensor<16x32xf16, #systolic.axes<BN, BK>>
!dx = tensor<1x32xf16, #systolic.axes<1, BK>>
func.func @dot_c1(%w: !dw, %x: !dx, %acc: tensor<16x5xf32, #systolic.axes<BN, BS>>) {
  // expected-error @+1 {{expected NxK, 1xK and NxP with P a divisor of K but got 'tensor<16x32xf16, #systolic.axes<BN, BK>>', 'tensor<1x32xf16, #systolic.axes<1, BK>>' and 'tensor<16x5xf32, #systolic.axes<BN, BS>>'}}
  %y = systolic.dot %w, %x, %acc : !dw, !dx -> tensor<16x5xf32, #systolic.axes<BN, BS>>
  return
}

// -----

!dw = tensor<16x32xf16, #systolic.axes<BN, BK>>
!dx = tensor<1x32xf32, #systolic.axes<1, BK>>
func.func @dot_c2_types(%w: !dw, %x: !dx, %acc: tensor<16x4xf32, #systolic.axes<BN, BS>>) {
  // expected-error @+1 {{expected floats of one type, or i8 in sums of a multiple of 4 columns, but got 'tensor<16x32xf16, #systolic.axes<BN, BK>>' and 'tensor<1x32xf32, #systolic.axes<1, BK>>' in sums of 8}}
  %y = systolic.dot %w, %x, %acc : !dw, !dx -> tensor<16x4xf32, #systolic.axes<BN, BS>>
  return
}

// -----

!dw = tensor<16x32xi8, #systolic.axes<BN, BK>>
!dx = tensor<1x32xf32, #systolic.axes<1, BK>>
func.func @dot_c2_bytes(%w: !dw, %x: !dx, %acc: tensor<16x16xf32, #systolic.axes<BN, BS>>) {
  // expected-error @+1 {{expected floats of one type, or i8 in sums of a multiple of 4 columns, but got 'tensor<16x32xi8, #systolic.axes<BN, BK>>' and 'tensor<1x32xf32, #systolic.axes<1, BK>>' in sums of 2}}
  %y = systolic.dot %w, %x, %acc : !dw, !dx -> tensor<16x16xf32, #systolic.axes<BN, BS>>
  return
}

// -----

!dw = tensor<16x32xf16, #systolic.axes<BN, BK>>
!dx = tensor<1x32xf16, #systolic.axes<1, BK>>
func.func @dot_c3(%w: !dw, %x: !dx, %acc: tensor<16x4xf16, #systolic.axes<BN, BS>>) {
  // expected-error @+1 {{expected sums of 'f32' but got 'tensor<16x4xf16, #systolic.axes<BN, BS>>'}}
  %y = systolic.dot %w, %x, %acc : !dw, !dx -> tensor<16x4xf16, #systolic.axes<BN, BS>>
  return
}

// -----

!dw = tensor<16x32xi8, #systolic.axes<BN, BK>>
!dx = tensor<1x32xi8, #systolic.axes<1, BK>>
func.func @dot_c3_whole(%w: !dw, %x: !dx, %acc: tensor<16x8xf32, #systolic.axes<BN, BS>>) {
  // expected-error @+1 {{expected sums of 'i32' but got 'tensor<16x8xf32, #systolic.axes<BN, BS>>'}}
  %y = systolic.dot %w, %x, %acc : !dw, !dx -> tensor<16x8xf32, #systolic.axes<BN, BS>>
  return
}

// -----

func.func @unpack_c1(%w: tensor<16x4xi32, #systolic.axes<BM, BW>>) {
  // expected-error @+1 {{expected codes of 1, 2 or 4 bits but got 8}}
  %y = systolic.unpack 8 %w along 1 : tensor<16x4xi32, #systolic.axes<BM, BW>> -> tensor<16x16xf32, #systolic.axes<BM, BK>>
  return
}

// -----

func.func @unpack_c2(%w: tensor<16x4xi32, #systolic.axes<BM, BW>>) {
  // expected-error @+1 {{expected 8 elements along dimension 0 for each word but got 'tensor<16x32xf32, #systolic.axes<BM, BK>>' for 'tensor<16x4xi32, #systolic.axes<BM, BW>>'}}
  %y = systolic.unpack 4 %w along 0 : tensor<16x4xi32, #systolic.axes<BM, BW>> -> tensor<16x32xf32, #systolic.axes<BM, BK>>
  return
}

// -----

func.func @unpack_c3(%w: tensor<16x4xi32, #systolic.axes<BM, BW>>) {
  // expected-error @+1 {{expected words of i32 and codes of f16 or f32, raised ones of bf16 too, but got 'tensor<16x4xi32, #systolic.axes<BM, BW>>' and 'tensor<16x32xbf16, #systolic.axes<BM, BK>>'}}
  %y = systolic.unpack 4 %w along 1 : tensor<16x4xi32, #systolic.axes<BM, BW>> -> tensor<16x32xbf16, #systolic.axes<BM, BK>>
  return
}

// -----

func.func @slice_c1_size(%t: tensor<16x64xf16, #systolic.axes<BM, BL>>) {
  // expected-error @+1 {{expected a part of the tile but got 'tensor<16x32xf16, #systolic.axes<BM, BK>>' from [0, 40] of 'tensor<16x64xf16, #systolic.axes<BM, BL>>'}}
  %y = systolic.slice %t from [0, 40] : tensor<16x64xf16, #systolic.axes<BM, BL>> -> tensor<16x32xf16, #systolic.axes<BM, BK>>
  return
}

// -----

func.func @slice_c1_type(%t: tensor<16x64xf16, #systolic.axes<BM, BL>>) {
  // expected-error @+1 {{expected a part of the tile but got 'tensor<16x32xf32, #systolic.axes<BM, BK>>' from [0, 0]}}
  %y = systolic.slice %t from [0, 0] : tensor<16x64xf16, #systolic.axes<BM, BL>> -> tensor<16x32xf32, #systolic.axes<BM, BK>>
  return
}

// -----

func.func @iota_c1_dim() {
  // expected-error @+1 {{expected an i32 tile with dimension 2 but got 'tensor<16x32xi32, #systolic.axes<BM, BK>>'}}
  %y = systolic.iota along 2 : tensor<16x32xi32, #systolic.axes<BM, BK>>
  return
}

// -----

func.func @iota_c1_negative() {
  // expected-error @+1 {{expected an i32 tile with dimension -1 but got 'tensor<16x32xi32, #systolic.axes<BM, BK>>'}}
  %y = systolic.iota along -1 : tensor<16x32xi32, #systolic.axes<BM, BK>>
  return
}

// -----

func.func @empty_tile() {
  // expected-error @+1 {{result #0 must be tile of rank 1 or 2 that is not empty}}
  %y = systolic.iota along 0 : tensor<0x32xi32, #systolic.axes<BM, BK>>
  return
}

// -----

func.func @iota_c1_type() {
  // expected-error @+1 {{expected an i32 tile with dimension 0 but got 'tensor<16xf32, #systolic.axes<BM>>'}}
  %y = systolic.iota along 0 : tensor<16xf32, #systolic.axes<BM>>
  return
}

// -----

!x = tensor<16xf32, #systolic.axes<BM>>
func.func @if_any_c1(%asks: tensor<16xi32, #systolic.axes<BM>>, %x: !x) {
  // expected-error @+1 {{expected a condition of i1 but got 'tensor<16xi32, #systolic.axes<BM>>'}}
  %y = systolic.if_any %asks {
    systolic.yield %x : !x
  } else %x : tensor<16xi32, #systolic.axes<BM>> -> !x
  return
}

// -----

!x = tensor<16xf32, #systolic.axes<BM>>
func.func @if_any_c2(%asks: tensor<16xi1, #systolic.axes<BM>>, %x: !x, %i: index) {
  // expected-error @+1 {{expected a region that yields 'tensor<16xf32, #systolic.axes<BM>>' but got 'index'}}
  %y = systolic.if_any %asks {
    systolic.yield %i : index
  } else %x : tensor<16xi1, #systolic.axes<BM>> -> !x
  return
}

// -----

!x = tensor<16xf32, #systolic.axes<BM>>
func.func @if_any_c3_order(%asks: tensor<16xi1, #systolic.axes<BM>>, %x: !x) {
  // expected-error @+1 {{expected a region that computes only but got systolic.barrier}}
  %y = systolic.if_any %asks {
    systolic.barrier
    systolic.yield %x : !x
  } else %x : tensor<16xi1, #systolic.axes<BM>> -> !x
  return
}

// -----

!x = tensor<16x16xf32, #systolic.axes<BM, BM>>
func.func @if_any_c3_product(%asks: tensor<16xi1, #systolic.axes<BM>>, %x: !x) {
  // expected-error @+1 {{expected a region that computes only but got systolic.mma}}
  %y = systolic.if_any %asks {
    %z = systolic.mma %x, %x, %x : !x, !x -> !x
    systolic.yield %z : !x
  } else %x : tensor<16xi1, #systolic.axes<BM>> -> !x
  return
}

// -----

func.func @overlap_c1() {
  // expected-error @+1 {{expected at least one part but got none}}
  "systolic.overlap"() : () -> ()
  return
}

// -----

func.func @overlap_c2(%i: index) {
  // expected-error @+1 {{expected results of the types that the parts yield, 'index', but got 'i32'}}
  %x = systolic.overlap {
    systolic.yield %i : index
  } with {
    systolic.yield
  } : i32
  return
}

// -----

func.func @priority_c1() {
  // expected-error @+1 {{expected a level of 0 to 3 but got 4}}
  systolic.priority 4
  return
}
