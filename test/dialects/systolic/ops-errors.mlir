// Every numbered constraint of the operations inside a kernel, broken once. Names of functions are the numbers.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

!X = memref<64x48xf32, #systolic.axes<M, K>>
func.func @load_c1_rank(%X: !X, %i: index) {
  // expected-error @+1 {{expected tile and buffer of one rank and element type, or two float types, but got 'tensor<16xf32, #systolic.axes<BK>>' and 'memref<64x48xf32, #systolic.axes<M, K>>'}}
  %x = systolic.load %X[%i, %i] : !X -> tensor<16xf32, #systolic.axes<BK>>
  return
}

// -----

!X = memref<64x48xf32, #systolic.axes<M, K>>
func.func @load_c1_type(%X: !X, %i: index) {
  // expected-error @+1 {{expected tile and buffer of one rank and element type}}
  %x = systolic.load %X[%i, %i] : !X -> tensor<4x16xi32, #systolic.axes<BM, BK>>
  return
}

// -----

!X = memref<64x48xf32, #systolic.axes<M, K>>
func.func @load_c2_indices(%X: !X, %i: index) {
  // expected-error @+1 {{expected 2 indices but got 1}}
  %x = systolic.load %X[%i] : !X -> tensor<4x16xf32, #systolic.axes<BM, BK>>
  return
}

// -----

!X = memref<64x48xf32, #systolic.axes<M, K>>
func.func @load_c2_limits(%X: !X, %i: index) {
  // expected-error @+1 {{expected 2 limits or none but got 1}}
  %x = systolic.load %X[%i, %i] limit [%i] : !X -> tensor<4x16xf32, #systolic.axes<BM, BK>>
  return
}

// -----

!X = memref<64x48xf32, #systolic.axes<M, K>>
!rows = tensor<8xi32, #systolic.axes<BM>>
func.func @load_c3_rows(%X: !X, %i: index, %rows: !rows) {
  // expected-error @+1 {{expected 4 entries in rows but got 8}}
  %x = systolic.load %X[%i, %i] rows(%rows : !rows) : !X -> tensor<4x16xf32, #systolic.axes<BM, BK>>
  return
}

// -----

!X = memref<64x48xf32, #systolic.axes<M, K>>
!cols = tensor<8xi32, #systolic.axes<BM>>
func.func @load_c3_cols(%X: !X, %i: index, %cols: !cols) {
  // expected-error @+1 {{expected 16 entries in cols but got 8}}
  %x = systolic.load %X[%i, %i] cols(%cols : !cols) : !X -> tensor<4x16xf32, #systolic.axes<BM, BK>>
  return
}

// -----

!X = memref<48xf32, #systolic.axes<K>>
!rows = tensor<16xi32, #systolic.axes<BK>>
func.func @load_c3_rank(%X: !X, %i: index, %rows: !rows) {
  // expected-error @+1 {{expected a tile of rank 2 for rows}}
  %x = systolic.load %X[%i] rows(%rows : !rows) : !X -> tensor<16xf32, #systolic.axes<BK>>
  return
}

// -----

!X = memref<64x48xf32, #systolic.axes<M, K>>
!at = tensor<4x16xi32, #systolic.axes<BM, BK>>
func.func @load_c4_rank(%X: !X, %i: index, %at: !at) {
  // expected-error @+1 {{expected a buffer of rank 1 for at but got}}
  %x = systolic.load %X[%i, %i] at(%at : !at) : !X -> tensor<4x16xf32, #systolic.axes<BM, BK>>
  return
}

// -----

!X = memref<48xf32, #systolic.axes<K>>
!at = tensor<16xi32, #systolic.axes<BK>>
func.func @load_c4_shape(%X: !X, %i: index, %at: !at) {
  // expected-error @+1 {{expected an i32 in at for each element of}}
  %x = systolic.load %X[%i] at(%at : !at) : !X -> tensor<4x16xf32, #systolic.axes<BM, BK>>
  return
}

// -----

!X = memref<48xf32, #systolic.axes<K>>
!at = tensor<16xf32, #systolic.axes<BK>>
func.func @load_c4_type(%X: !X, %i: index, %at: !at) {
  // expected-error @+1 {{expected an i32 in at for each element of}}
  %x = systolic.load %X[%i] at(%at : !at) : !X -> tensor<16xf32, #systolic.axes<BK>>
  return
}

// -----

!X = memref<48xf32, #systolic.axes<K>>
!at = tensor<16xi32, #systolic.axes<BK>>
func.func @load_c4_element(%X: !X, %i: index, %at: !at) {
  // expected-error @+1 {{expected tile and buffer of one element type, or two float types, but got}}
  %x = systolic.load %X[%i] at(%at : !at) : !X -> tensor<16xi32, #systolic.axes<BK>>
  return
}

// -----

!X = memref<48xf32, #systolic.axes<K>>
!at = tensor<16xi32, #systolic.axes<BK>>
func.func @load_c4_limit(%X: !X, %i: index, %at: !at) {
  // expected-error @+1 {{expected at without rows, cols, limit, transposed and when}}
  %x = systolic.load %X[%i] limit [%i] at(%at : !at) : !X -> tensor<16xf32, #systolic.axes<BK>>
  return
}

// -----

!X = memref<48xf32, #systolic.axes<K>>
func.func @load_c5(%X: !X, %i: index) {
  // expected-error @+1 {{expected a tile of rank 2 for transposed}}
  %x = systolic.load %X[%i] transposed : !X -> tensor<16xf32, #systolic.axes<BK>>
  return
}

// -----

!X = memref<64x48xf32, #systolic.axes<M, K>>
!rows = tensor<4xi32, #systolic.axes<BM>>
func.func @load_c3_transposed(%X: !X, %i: index, %rows: !rows) {
  // Transposed, the 16 columns of the tile are the rows that are read.
  // expected-error @+1 {{expected 16 entries in rows but got 4}}
  %x = systolic.load %X[%i, %i] rows(%rows : !rows) transposed : !X -> tensor<4x16xf32, #systolic.axes<BK, BM>>
  return
}

// -----

!x = tensor<4x16xf32, #systolic.axes<BM, BK>>
func.func @load_no_buffer(%X: memref<64x48xf32>, %i: index) {
  // expected-error @+1 {{operand #0 must be buffer}}
  %x = systolic.load %X[%i, %i] : memref<64x48xf32> -> !x
  return
}

// -----

!Y = memref<64x48xf32, #systolic.axes<M, N>>
!y = tensor<4x16xi32, #systolic.axes<BM, BN>>
func.func @store_c1(%Y: !Y, %y: !y, %i: index) {
  // expected-error @+1 {{expected tile and buffer of one rank and element type}}
  systolic.store %y, %Y[%i, %i] : !y, !Y
  return
}

// -----

!Y = memref<64x48xf32, #systolic.axes<M, N>>
!y = tensor<4x16xf32, #systolic.axes<BM, BN>>
func.func @store_c2(%Y: !Y, %y: !y, %i: index) {
  // expected-error @+1 {{expected 2 indices but got 3}}
  systolic.store %y, %Y[%i, %i, %i] : !y, !Y
  return
}

// -----

!Y = memref<64x48xf32, #systolic.axes<M, N>>
!y = tensor<4x16xf32, #systolic.axes<BM, BN>>
!rows = tensor<4xi32, #systolic.axes<BM>>
func.func @store_c3(%Y: !Y, %y: !y, %i: index, %rows: !rows) {
  // Transposed, the 16 columns of the tile are the rows that are written.
  // expected-error @+1 {{expected 16 entries in rows but got 4}}
  systolic.store %y, %Y[%i, %i] rows(%rows : !rows) transposed : !y, !Y
  return
}

// -----

!Y = memref<48xf32, #systolic.axes<N>>
!y = tensor<16xf32, #systolic.axes<BN>>
func.func @store_c4(%Y: !Y, %y: !y, %i: index) {
  // expected-error @+1 {{expected a tile of rank 2 for rows and transposed}}
  systolic.store %y, %Y[%i] transposed : !y, !Y
  return
}

// -----

!lds = !systolic.lds<1 x 16x32xf32, unit, #systolic.axes<BM, BK>>
!x = tensor<32x16xf32, #systolic.axes<BK, BM>>
func.func @write_c1(%x: !x, %lds: !lds, %i: index) {
  // expected-error @+1 {{expected a tile of the LDS array's shape and element type but got 'tensor<32x16xf32, #systolic.axes<BK, BM>>' and '!systolic.lds<1 x 16x32xf32, unit, #systolic.axes<BM, BK>>'}}
  systolic.write %x, %lds[%i] : !x, !lds
  return
}

// -----

!lds = !systolic.lds<1 x 16x32xf32, unit, #systolic.axes<BM, BK>>
!x = tensor<16x32xf32, #systolic.axes<BM, BK>>
func.func @write_c1_transposed(%x: !x, %lds: !lds, %i: index) {
  // expected-error @+1 {{expected a tile of the LDS array's transposed shape and element type but got}}
  systolic.write %x, %lds[%i] transposed : !x, !lds
  return
}

// -----

!lds = !systolic.lds<1 x 16x32xf32, unit, #systolic.axes<BM, BK>>
func.func @read_c1(%lds: !lds, %i: index) {
  // expected-error @+1 {{expected a tile of the LDS array's shape and element type}}
  %x = systolic.read %lds[%i] : !lds -> tensor<16x32xf16, #systolic.axes<BM, BK>>
  return
}

// -----

!lds = !systolic.lds<1 x 16x32xf32, unit, #systolic.axes<BM, BK>>
func.func @read_c1_transposed(%lds: !lds, %i: index) {
  // expected-error @+1 {{expected a tile of the LDS array's transposed shape and element type}}
  %x = systolic.read %lds[%i] transposed : !lds -> tensor<16x32xf32, #systolic.axes<BM, BK>>
  return
}

// -----

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
  // expected-error @+1 {{expected words of i32 and codes of f16 or f32 but got 'tensor<16x4xi32, #systolic.axes<BM, BW>>' and 'tensor<16x32xbf16, #systolic.axes<BM, BK>>'}}
  %y = systolic.unpack 4 %w along 1 : tensor<16x4xi32, #systolic.axes<BM, BW>> -> tensor<16x32xbf16, #systolic.axes<BM, BK>>
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

!lds = !systolic.lds<1 x 16x32xf32, unit, #systolic.axes<BM, BK>>
func.func @read_c1_part(%lds: !lds, %i: index) {
  // expected-error @+1 {{expected a part of the LDS array but got 'tensor<16x16xf32, #systolic.axes<BM, BH>>' from [0, 24]}}
  %x = systolic.read %lds[%i] from [0, 24] : !lds -> tensor<16x16xf32, #systolic.axes<BM, BH>>
  return
}

// -----

!X = memref<48xf32, #systolic.axes<K>>
!at = tensor<16xi32, #systolic.axes<BK>>
func.func @load_c6(%X: !X, %i: index, %at: !at, %is_there: i1) {
  // expected-error @+1 {{expected at without rows, cols, limit, transposed and when}}
  %x = systolic.load %X[%i] at(%at : !at) when %is_there : !X -> tensor<16xf32, #systolic.axes<BK>>
  return
}

// -----

func.func @overlap_c1() {
  // expected-error @+1 {{expected two parts or more but got 1}}
  systolic.overlap {
    systolic.yield
  }
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

!X = memref<64x64xf32, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 16x32xf16, unit, #systolic.axes<BM, BK>>
func.func @stage_c1_type(%X: !X, %i: index, %lds: !lds) {
  // expected-error @+1 {{expected a buffer and an LDS array of rank 2 and one element type of 1, 2 or 4 bytes but got 'memref<64x64xf32, #systolic.axes<M, K>>' and '!systolic.lds<1 x 16x32xf16, unit, #systolic.axes<BM, BK>>'}}
  systolic.stage %X[%i, %i], %lds[%i] : !X, !lds
  return
}

// -----

!X = memref<64xf32, #systolic.axes<K>>
!lds = !systolic.lds<1 x 64xf32, unit, #systolic.axes<BK>>
func.func @stage_c1_rank(%X: !X, %i: index, %lds: !lds) {
  // expected-error @+1 {{expected a buffer and an LDS array of rank 2}}
  systolic.stage %X[%i], %lds[%i] : !X, !lds
  return
}

// -----

!X = memref<64x64xf64, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 16x32xf64, unit, #systolic.axes<BM, BK>>
func.func @stage_c1_bytes(%X: !X, %i: index, %lds: !lds) {
  // expected-error @+1 {{one element type of 1, 2 or 4 bytes}}
  systolic.stage %X[%i, %i], %lds[%i] : !X, !lds
  return
}

// -----

!X = memref<64x64xf32, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 16x32xf32, unit, #systolic.axes<BM, BK>>
func.func @stage_c2(%X: !X, %i: index, %lds: !lds) {
  // expected-error @+1 {{expected 2 indices but got 1}}
  systolic.stage %X[%i], %lds[%i] : !X, !lds
  return
}

// -----

!X = memref<64x65xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 16x32xf16, unit, #systolic.axes<BM, BK>>
func.func @stage_c3_buffer(%X: !X, %i: index, %lds: !lds) {
  // expected-error @+1 {{expected rows of whole dwords, and an array of a multiple of 256 bytes, but got 'memref<64x65xf16, #systolic.axes<M, K>>'}}
  systolic.stage %X[%i, %i], %lds[%i] : !X, !lds
  return
}

// -----

!X = memref<64x64xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 128x33xf16, unit, #systolic.axes<BM, BK>>
func.func @stage_c3_array(%X: !X, %i: index, %lds: !lds) {
  // expected-error @+1 {{expected rows of whole dwords, and an array of a multiple of 256 bytes}}
  systolic.stage %X[%i, %i], %lds[%i] : !X, !lds
  return
}

// -----

!X = memref<64x64xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 3x32xf16, unit, #systolic.axes<BM, BK>>
func.func @stage_c3_size(%X: !X, %i: index, %lds: !lds) {
  // expected-error @+1 {{expected rows of whole dwords, and an array of a multiple of 256 bytes}}
  systolic.stage %X[%i, %i], %lds[%i] : !X, !lds
  return
}

// -----

func.func @wait_c1_high() {
  // expected-error @+1 {{expected a count of 0 to 63 but got 64}}
  systolic.wait 64
  return
}

// -----

func.func @wait_c1_low() {
  // expected-error @+1 {{expected a count of 0 to 63 but got -1}}
  systolic.wait -1
  return
}
