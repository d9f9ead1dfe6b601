// Each numbered constraint of the ops on memory and LDS is violated once. Function names are the constraints' numbers.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

!X = memref<64x48xf32, #systolic.axes<M, K>>
func.func @load_c1_rank(%X: !X, %i: index) {
  // expected-error @+1 {{expected tile and buffer of one rank and element type, or of floats and i8, but got 'tensor<16xf32, #systolic.axes<BK>>' and 'memref<64x48xf32, #systolic.axes<M, K>>'}}
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
  // expected-error @+1 {{expected tile and buffer of one element type, or of floats and i8, but got}}
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
  // In a transposed load, the tile's 16 columns are the rows that are read.
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
  // In a transposed store, the tile's 16 columns are the rows that are written.
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
