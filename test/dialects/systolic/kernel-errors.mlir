// Each numbered constraint of systolic.kernel is violated once (those of its launch: launch-errors.mlir). Kernel names
// are the constraints' numbers.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

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

// expected-error @+1 {{expected a buffer of whole blocks that does not end with the launch's tokens but got 'index' with #systolic.packed<16 x 64 bytes>}}
systolic.kernel @kernel_c10(%work: index {systolic.packed = #systolic.packed<16 x 64 bytes>}) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

// The buffer has half a block along K.
!W = memref<64x48xf16, #systolic.axes<N, K>>
// expected-error @+1 {{expected a buffer of whole blocks that does not end with the launch's tokens but got 'memref<64x48xf16, #systolic.axes<N, K>>'}}
systolic.kernel @kernel_c10_blocks(%W: !W {systolic.packed = #systolic.packed<16 x 64 bytes>}, %work: index) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

!W = memref<64x64xf16, #systolic.axes<N, K>>
// expected-error @+1 {{expected a buffer of whole blocks that does not end with the launch's tokens but got 'memref<64x64xf16, #systolic.axes<N, K>>' with "rows"}}
systolic.kernel @kernel_c10_attribute(%W: !W {systolic.packed = "rows"}, %work: index) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

!X = memref<64x64xf16, #systolic.axes<M, K>>
// expected-error @+1 {{expected a buffer of whole blocks that does not end with the launch's tokens}}
systolic.kernel @kernel_c10_tokens(%X: !X {systolic.packed = #systolic.packed<16 x 64 bytes>, systolic.per_token = 64 : i64},
                                   %control: !systolic.control, %work: index) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

// expected-error @+1 {{expected an array of the 2x4 waves that schedule asks for but got 4x2}}
systolic.kernel @kernel_c11(%work: index)
    attributes {params = {}, grid = [], schedule = #systolic.schedule<waves = 2x4>, array = #systolic.array<waves = 4x2>} {
  systolic.return
}

// -----

// expected-error @+1 {{expected tune to name parameters and fields of schedule but got BM}}
systolic.kernel @kernel_c12(%work: index) attributes {params = {}, grid = [], tune = {BM = [16]}} {
  systolic.return
}

// -----

// expected-error @+1 {{expected tune to have a list for BM but got 16}}
systolic.kernel @kernel_c12_list(%work: index) attributes {params = {BM = 16}, grid = [], tune = {BM = 16}} {
  systolic.return
}

// -----

// expected-error @+1 {{expected tune to have a list for BM but got []}}
systolic.kernel @kernel_c12_empty(%work: index) attributes {params = {BM = 16}, grid = [], tune = {BM = []}} {
  systolic.return
}

// -----

// expected-error @+1 {{expected tune to have numbers of at least 1 for BM but got 0}}
systolic.kernel @kernel_c12_number(%work: index) attributes {params = {BM = 16}, grid = [], tune = {BM = [16, 0]}} {
  systolic.return
}

// -----

// expected-error @+1 {{expected tune to have texts of the field waves but got 4}}
systolic.kernel @kernel_c12_text(%work: index) attributes {params = {}, grid = [], tune = {waves = [4]}} {
  systolic.return
}

// -----

// expected-error @+1 {{expected tune to have texts of the field waves but got "0x4": expected}}
systolic.kernel @kernel_c12_field(%work: index) attributes {params = {}, grid = [], tune = {waves = ["2x2", "0x4"]}} {
  systolic.return
}

// -----

// expected-error @+1 {{expected at least 1 request but got 0}}
systolic.kernel @kernel_c13_none(%work: index) attributes {params = {}, grid = [], requests = 0 : i64} {
  systolic.return
}

// -----

// expected-error @+1 {{expected systolic.per_slot of a buffer that does not end with the launch's tokens but got it of argument 0}}
systolic.kernel @kernel_c13_index(%work: index {systolic.per_slot}) attributes {params = {}, grid = []} {
  systolic.return
}

// -----

// expected-error @+1 {{expected systolic.per_request of a buffer that does not end with the launch's tokens but got it of argument 0}}
systolic.kernel @kernel_c13_tokens(%X: memref<16x4xf32, #systolic.axes<M, N>> {systolic.per_request, systolic.per_token = 4 : i64},
                                   %control: !systolic.control, %work: index) attributes {params = {}, grid = []} {
  systolic.return
}
