// Each numbered constraint of the dialect's attributes and types is violated once. Function names are the constraints'
// numbers.
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

// The counts multiply to 16, but the digits reach only 7 coordinates, some of them more than once.
// expected-error @+1 {{expected a digit of dimension 0 with stride 4 but got 1}}
func.func private @fragment_c3_overlap(tensor<16xf32, #systolic.fragment<reg [0:4*1], lane [0:4*1], wave []>>)

// -----

// expected-error @+1 {{expected a digit of dimension 0 with stride 1 but got 2}}
func.func private @fragment_c3_gap(tensor<16xf32, #systolic.fragment<reg [0:4*2], lane [0:4*8], wave []>>)

// -----

// expected-error @+1 {{expected powers of two but got 4, 3, 1 and fold 1}}
func.func private @swizzle_c1_rows(!systolic.lds<1 x 16x48xf32, #systolic.swizzle<4, 3, 1>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected powers of two but got 0, 4, 1 and fold 1}}
func.func private @swizzle_c1_vector(!systolic.lds<1 x 16x48xf32, #systolic.swizzle<0, 4, 1>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected powers of two but got 4, 4, 6 and fold 1}}
func.func private @swizzle_c1_phase(!systolic.lds<1 x 16x48xf32, #systolic.swizzle<4, 4, 6>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected powers of two but got 4, 4, 1 and fold 12}}
func.func private @swizzle_c1_fold(!systolic.lds<1 x 24x16xf32, #systolic.swizzle<4, 4, 1, fold 12>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected at least 1x1x1 waves but got 0x4x1}}
#array_c1 = #systolic.array<waves = 0x4>
func.func private @array_c1() attributes {array = #array_c1}

// -----

// expected-error @+1 {{expected a cell of positive sizes whose K instruction_k divides but got 16x16x16 and 3}}
#array_c2 = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 3>
func.func private @array_c2() attributes {array = #array_c2}

// -----

// expected-error @+1 {{expected a chained cell that is not transposed, with M a multiple of K, but got 16x16x32}}
#array_c3 = #systolic.array<waves = 1x4, cell = 16x16x32, instruction_k = 16, chained>
func.func private @array_c3() attributes {array = #array_c3}

// -----

// expected-error @+1 {{expected parts of sums of a cell that is not chained but got 2}}
#array_c4 = #systolic.array<waves = 1x4x2>
func.func private @array_c4() attributes {array = #array_c4}

// -----

// expected-error @+1 {{expected parts of sums of a cell that is not chained but got 2}}
#array_c4_chained = #systolic.array<waves = 1x4x2, cell = 32x32x16, instruction_k = 8, chained>
func.func private @array_c4_chained() attributes {array = #array_c4_chained}

// -----

// expected-error @+1 {{expected runs of more than one part}}
#array_c5 = #systolic.array<waves = 1x4, cell = 16x16x32, instruction_k = 16, transposed, runs>
func.func private @array_c5() attributes {array = #array_c5}

// -----

// expected-error @+1 {{expected RxC or RxCxP waves and an MxNxK cell}}
#array_shape = #systolic.array<waves = 1x4x1x1>
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

// expected-error @+1 {{expected unit, a #systolic.swizzle or #systolic.packed but got "none"}}
func.func private @lds_c4(!systolic.lds<1 x 16x32xf32, "none", #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected rows of a multiple of 32 columns for the swizzle but got 48 in rank 2}}
func.func private @lds_c5(!systolic.lds<1 x 16x48xf32, #systolic.swizzle<4, 8, 1>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected rows of a multiple of 32 columns for the swizzle but got 32 in rank 1}}
func.func private @lds_c5_rank(!systolic.lds<1 x 32xf32, #systolic.swizzle<4, 8, 1>, #systolic.axes<BK>>)

// -----

// expected-error @+1 {{expected whole blocks of 16 rows and 64 bytes but got 24, 32 of 'f16'}}
func.func private @lds_c6_rows(!systolic.lds<1 x 24x32xf16, #systolic.packed<16 x 64 bytes>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected whole blocks of 16 rows and 64 bytes but got 32, 16 of 'f16'}}
func.func private @lds_c6_bytes(!systolic.lds<1 x 32x16xf16, #systolic.packed<16 x 64 bytes>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected whole blocks of 16 rows and 64 bytes but got 512 of 'f16'}}
func.func private @lds_c6_rank(!systolic.lds<1 x 512xf16, #systolic.packed<16 x 64 bytes>, #systolic.axes<BK>>)

// -----

// expected-error @+1 {{expected a multiple of the 16 rows that the swizzle folds but got 24}}
func.func private @lds_c7(!systolic.lds<1 x 24x32xf32, #systolic.swizzle<4, 8, 1, fold 16>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected blocks of 1024 bytes, a power of two of rows with a multiple of 16 bytes each, but got 16 x 32}}
func.func private @packed_c1_size(!systolic.lds<1 x 16x32xf16, #systolic.packed<16 x 32 bytes>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected blocks of 1024 bytes, a power of two of rows with a multiple of 16 bytes each, but got 128 x 8}}
func.func private @packed_c1_bytes(!systolic.lds<1 x 16x32xf16, #systolic.packed<128 x 8 bytes>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected granules by 1, 2 or 4 elements but got 3}}
func.func private @packed_c2(!systolic.lds<1 x 16x32xf16, #systolic.packed<16 x 64 bytes, by 3>, #systolic.axes<BM, BK>>)

// -----

// expected-error @+1 {{expected blocks of 1024 bytes, a power of two of rows with a multiple of 16 bytes each, but got 0 x 64}}
func.func private @packed_c1_rows(!systolic.lds<1 x 16x32xf16, #systolic.packed<0 x 64 bytes>, #systolic.axes<BM, BK>>)
