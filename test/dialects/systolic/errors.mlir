// Every numbered constraint of the dialect, broken once (those of launches: launch-errors.mlir). Names of functions are
// the numbers.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected an axis of size at least 1 but got 0}}
func.func private @axes_c1(tensor<16x4xf32, #systolic.axes<BM, 0>>)

// -----

// expected-error @+1 {{expected 2 axis names but got 1}}
func.func private @axes_c2(tensor<16x4xf32, #systolic.axes<BM>>)

// -----

// expected-error @+1 {{expected a dimension below 2, or -1, but got 2}}
func.func private @fragment_c1_high(tensor<16x4xf32, #systolic.fragment<reg [1:4*1], lane [2:16*1], wave []>>)

// -----

// expected-error @+1 {{expected a dimension below 2, or -1, but got -2}}
func.func private @fragment_c1_low(tensor<16x4xf32, #systolic.fragment<reg [1:4*1], lane [-2:16*1], wave []>>)

// -----

// expected-error @+1 {{expected a positive digit count but got 0}}
func.func private @fragment_c2(tensor<16x4xf32, #systolic.fragment<reg [1:4*1], lane [0:16*1, -1:0*0], wave []>>)

// -----

// expected-error @+1 {{expected the digits of dimension 0 to cover 32 but got 16}}
func.func private @fragment_c3_short(tensor<32x4xf32, #systolic.fragment<reg [1:4*1], lane [0:16*1], wave []>>)

// -----

// expected-error @+1 {{expected the digits of dimension 1 to cover 4 but got 8}}
func.func private @fragment_c3_long(tensor<16x4xf32, #systolic.fragment<reg [1:8*1], lane [0:16*1], wave []>>)

// -----

// The counts multiply to 16, yet the digits reach 7 coordinates only, some of them more than once.
// expected-error @+1 {{expected a digit of dimension 0 with stride 4 but got 1}}
func.func private @fragment_c3_overlap(tensor<16xf32, #systolic.fragment<reg [0:4*1], lane [0:4*1], wave []>>)

// -----

// expected-error @+1 {{expected a digit of dimension 0 with stride 1 but got 2}}
func.func private @fragment_c3_gap(tensor<16xf32, #systolic.fragment<reg [0:4*2], lane [0:4*8], wave []>>)

// -----

// expected-error @+1 {{expected powers of two but got 4 and 3}}
func.func private @swizzle_c1_rows(!systolic.lds<1 x 16x48xf32, #systolic.swizzle<4, 3>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected powers of two but got 0 and 4}}
func.func private @swizzle_c1_vector(!systolic.lds<1 x 16x48xf32, #systolic.swizzle<0, 4>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected powers of two but got 4 and 3}}
func.func private @bank_swizzle_c1_banks(!systolic.lds<1 x 16x48xf32, #systolic.bank_swizzle<4, 3>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected powers of two but got 0 and 4}}
func.func private @bank_swizzle_c1_vector(!systolic.lds<1 x 16x48xf32, #systolic.bank_swizzle<0, 4>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected at least 1x1 waves but got 0x4}}
#array_c1 = #systolic.array<waves = 0x4>
func.func private @array_c1() attributes {array = #array_c1}

// -----

// expected-error @+1 {{expected a cell of positive sizes whose K instruction_k divides but got 16x16x16 and 3}}
#array_c2 = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 3>
func.func private @array_c2() attributes {array = #array_c2}

// -----

// expected-error @+1 {{expected RxC waves and an MxNxK cell}}
#array_shape = #systolic.array<waves = 1x4x1>
func.func private @array_shape() attributes {array = #array_shape}

// -----

// expected-error @+1 {{expected at least one buffer of rank 1 or 2 that is not empty but got 0 of rank 2}}
func.func private @lds_c1_buffers(!systolic.lds<0 x 16x32xf32, unit, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected at least one buffer of rank 1 or 2 that is not empty but got 1 of rank 3}}
func.func private @lds_c1_rank(!systolic.lds<1 x 16x32x2xf32, unit, #systolic.axes<BM, BK, 2>>)

// -----

// expected-error @+1 {{expected at least one buffer of rank 1 or 2 that is not empty but got 1 of rank 2}}
func.func private @lds_c1_empty(!systolic.lds<1 x 0x32xf32, unit, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected an integer or float element type of whole bytes but got 'i1'}}
func.func private @lds_c2(!systolic.lds<1 x 16x32xi1, unit, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected 2 axis names but got 1}}
func.func private @lds_c3(!systolic.lds<1 x 16x32xf32, unit, #systolic.axes<BM>>)

// -----

// expected-error @+1 {{expected unit or a #systolic.swizzle but got "none"}}
func.func private @lds_c4(!systolic.lds<1 x 16x32xf32, "none", #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected rows of a multiple of 32 columns for the swizzle but got 48 in rank 2}}
func.func private @lds_c5(!systolic.lds<1 x 16x48xf32, #systolic.swizzle<4, 8>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected rows of a multiple of 32 columns for the swizzle but got 32 in rank 1}}
func.func private @lds_c5_rank(!systolic.lds<1 x 32xf32, #systolic.swizzle<4, 8>, #systolic.axes<BK>>)

// -----

// expected-error @+1 {{expected one work item argument of type index, or one for each of 0 axes of grid, but got 2}}
systolic.kernel @kernel_c1(%a: index, %b: index) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

// expected-error @+1 {{expected one work item argument of type index, or one for each of 3 axes of grid, but got 2}}
systolic.kernel @kernel_c1_axes(%a: index, %b: index) attributes {params = {M = 4}, grid = ["M", 1, "M", 1, "M", 1]} {
  systolic.return
}

// -----

// expected-error @+1 {{expected no results but got 1}}
systolic.kernel @kernel_c2(%work: index) -> index attributes {params = {}, grid = []} {
  systolic.return
}

// -----

// expected-error @+1 {{expected a buffer, a control block, a work item or an LDS array but got 'f32'}}
systolic.kernel @kernel_c3(%x: f32, %work: index) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

// expected-error @+1 {{expected a buffer, a control block, a work item or an LDS array but got 'memref<4x4xf32, #systolic.axes<M>>'}}
systolic.kernel @kernel_c3_axes(%x: memref<4x4xf32, #systolic.axes<M>>, %work: index) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

// expected-error @+1 {{expected pairs of parameters in grid but got 1 names}}
systolic.kernel @kernel_c4_pairs(%work: index) attributes {params = {M = 4}, grid = ["M"]} {
  systolic.return
}

// -----

// expected-error @+1 {{expected grid to name parameters of at least 1 but got "BM"}}
systolic.kernel @kernel_c4_name(%work: index) attributes {params = {M = 4}, grid = ["M", "BM"]} {
  systolic.return
}

// -----

// expected-error @+1 {{expected grid to name parameters of at least 1 but got 4}}
systolic.kernel @kernel_c4_extent(%work: index) attributes {params = {M = 4}, grid = [4, 1]} {
  systolic.return
}

// -----

// expected-error @+1 {{expected grid to name parameters of at least 1 but got 0}}
systolic.kernel @kernel_c4_number(%work: index) attributes {params = {M = 4}, grid = ["M", 0]} {
  systolic.return
}

// -----

// expected-error @+1 {{expected grid to name parameters of at least 1 but got "BM"}}
systolic.kernel @kernel_c4_zero(%work: index) attributes {params = {M = 4, BM = 0}, grid = ["M", "BM"]} {
  systolic.return
}

// -----

// expected-error @+1 {{expected a wave size of 32 or 64 but got 48}}
systolic.kernel @kernel_c5(%work: index) attributes {params = {}, grid = [], wave_size = 48 : i64} {
  systolic.return
}

// -----

// expected-error @+1 {{expected scratch to be one LDS buffer of rank 1 and type i8 but got '!systolic.lds<1 x 16xf32, unit, #systolic.axes<16>>'}}
systolic.kernel @kernel_c6(%work: index, %s: !systolic.lds<1 x 16xf32, unit, #systolic.axes<16>> {systolic.scratch})
    attributes {params = {}, grid = []} {
  systolic.return
}

// -----

// expected-error @+1 {{expected scratch to be one LDS buffer of rank 1 and type i8 but got 'index'}}
systolic.kernel @kernel_c6_type(%work: index {systolic.scratch}) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

// expected-error @+1 {{expected a buffer with at least 1 element a token but got 'index' with 4 : i64}}
systolic.kernel @kernel_c7(%work: index {systolic.per_token = 4 : i64}) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

!X = memref<64xf32, #systolic.axes<N>>
// expected-error @+1 {{expected a buffer with at least 1 element a token but got 'memref<64xf32, #systolic.axes<N>>' with 0 : i64}}
systolic.kernel @kernel_c7_none(%X: !X {systolic.per_token = 0 : i64}, %work: index) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

!X = memref<64xf32, #systolic.axes<N>>
// expected-error @+1 {{expected a control block for the tokens of argument 0 but got none}}
systolic.kernel @kernel_c7_control(%X: !X {systolic.per_token = 4 : i64}, %work: index) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

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
  // expected-error @+1 {{expected at without rows, cols and limit}}
  %x = systolic.load %X[%i] limit [%i] at(%at : !at) : !X -> tensor<16xf32, #systolic.axes<BK>>
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
  // expected-error @+1 {{expected tile and LDS array of one shape and element type but got 'tensor<32x16xf32, #systolic.axes<BK, BM>>' and '!systolic.lds<1 x 16x32xf32, unit, #systolic.axes<BM, BK>>'}}
  systolic.write %x, %lds[%i] : !x, !lds
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

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
func.func @convert_layout_c1(%tile: tensor<16x16xf32, #rows>) {
  // expected-error @+1 {{expected one shape and element type but got}}
  %turned = systolic.convert_layout %tile : tensor<16x16xf32, #rows> -> tensor<16x16xi32, #cols>
  return
}
