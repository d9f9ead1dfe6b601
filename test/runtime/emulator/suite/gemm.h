// C = A * transpose(B) by matrix instructions: A is M x K, B is N x K, both with K contiguous; for any element type.
//
// A workgroup of four waves computes a 128 x 128 tile of C, a quarter per wave. While the waves multiply the contents
// of one half of LDS, the next 64 bytes of each row go from global memory to registers, and then into the other half,
// with one barrier per step. Rows in LDS are padded by 16 bytes so that the waves' 16-byte reads spread over the banks.
// A lane reads 16 consecutive bytes of a row, the operands of several instructions: the order of k does not matter as
// long as A and B agree.
#pragma once
#include "test/runtime/emulator/suite/device.h"

constexpr int gemmTile = 128, gemmRowBytes = 64, gemmRowStride = gemmRowBytes + 16, gemmThreads = 256;

/// The row of accumulator value `r` of a lane within the instruction's tile.
struct Layout32 { // 32 x 32, 32-bit accumulators
  static constexpr int tile = 32, values = 16;
  INLINE int row(int lane, int r) { return 8 * (r / 4) + 4 * (lane / 32) + r % 4; }
};
struct Layout16 { // 16 x 16, 32-bit accumulators
  static constexpr int tile = 16, values = 4;
  INLINE int row(int lane, int r) { return 4 * (lane / 16) + r; }
};
struct Layout16F64 { // 16 x 16, f64 accumulators
  static constexpr int tile = 16, values = 4;
  INLINE int row(int lane, int r) { return 4 * r + lane / 16; }
};

template <typename Type> struct GemmLds {
  char a[2][gemmTile * gemmRowStride], b[2][gemmTile * gemmRowStride];
};

/// The 16 bytes that a work-item copies of each of its two rows; zeros past the matrix.
struct GemmChunks {
  uint4 rows[2];
};
template <bool bounded> INLINE GemmChunks gemmLoad(const char *matrix, int firstRow, int rows, long rowBytes, long at) {
  GemmChunks chunks;
  int row = threadIdx.x / 4, byte = threadIdx.x % 4 * 16;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    int r = firstRow + row + 64 * i;
    if (bounded && (r >= rows || at + byte >= rowBytes))
      chunks.rows[i] = 0;
    else
      chunks.rows[i] = *(const uint4 *)(matrix + r * rowBytes + at + byte);
  }
  return chunks;
}
INLINE void gemmStore(char *lds, const GemmChunks &chunks) {
  int row = threadIdx.x / 4, byte = threadIdx.x % 4 * 16;
#pragma unroll
  for (int i = 0; i < 2; ++i)
    *(uint4 *)(lds + (row + 64 * i) * gemmRowStride + byte) = chunks.rows[i];
}

/// `Type` describes the instruction: Element, Fragment (a lane's operand), Accumulator, Value, Layout, multiply(). With
/// `bounded`, M and N are arbitrary and rows may be any multiple of 16 bytes.
template <typename Type, bool bounded, typename Out>
INLINE void gemm(const typename Type::Element *a, const typename Type::Element *b, Out *c, int m, int n, int k) {
  using Layout = typename Type::Layout;
  using Fragment = typename Type::Fragment;
  constexpr int tile = Layout::tile, tiles = 64 / tile, groups = 64 / tile;
  constexpr int steps = gemmRowBytes / (16 * groups), fragments = 16 / int(sizeof(Fragment));
  __shared__ __attribute__((aligned(16))) GemmLds<Type> lds;
  int lane = threadIdx.x % 64, wave = threadIdx.x / 64;
  int rowOfWave = wave / 2 * 64, columnOfWave = wave % 2 * 64;
  int firstRow = blockIdx.y * gemmTile, firstColumn = blockIdx.x * gemmTile;
  long rowBytes = long(k) * long(sizeof(typename Type::Element));

  typename Type::Accumulator sums[tiles][tiles];
#pragma unroll
  for (int i = 0; i < tiles; ++i)
#pragma unroll
    for (int j = 0; j < tiles; ++j)
      sums[i][j] = 0;

  GemmChunks nextA = gemmLoad<bounded>((const char *)a, firstRow, m, rowBytes, 0);
  GemmChunks nextB = gemmLoad<bounded>((const char *)b, firstColumn, n, rowBytes, 0);
  gemmStore(lds.a[0], nextA);
  gemmStore(lds.b[0], nextB);
  __syncthreads();
  int half = 0;
  for (long at = 0; at < rowBytes; at += gemmRowBytes, half ^= 1) {
    bool more = at + gemmRowBytes < rowBytes;
    if (more) {
      nextA = gemmLoad<bounded>((const char *)a, firstRow, m, rowBytes, at + gemmRowBytes);
      nextB = gemmLoad<bounded>((const char *)b, firstColumn, n, rowBytes, at + gemmRowBytes);
    }
    const char *fromA = lds.a[half] + (rowOfWave + lane % tile) * gemmRowStride + lane / tile * 16;
    const char *fromB = lds.b[half] + (columnOfWave + lane % tile) * gemmRowStride + lane / tile * 16;
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      union Operand {
        uint4 bytes;
        Fragment fragment[fragments];
      } rows[tiles], columns[tiles];
#pragma unroll
      for (int i = 0; i < tiles; ++i) {
        rows[i].bytes = *(const uint4 *)(fromA + i * tile * gemmRowStride + step * 16 * groups);
        columns[i].bytes = *(const uint4 *)(fromB + i * tile * gemmRowStride + step * 16 * groups);
      }
#pragma unroll
      for (int f = 0; f < fragments; ++f)
#pragma unroll
        for (int i = 0; i < tiles; ++i)
#pragma unroll
          for (int j = 0; j < tiles; ++j)
            sums[i][j] = Type::multiply(rows[i].fragment[f], columns[j].fragment[f], sums[i][j]);
    }
    if (more) {
      gemmStore(lds.a[half ^ 1], nextA);
      gemmStore(lds.b[half ^ 1], nextB);
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < tiles; ++i)
#pragma unroll
    for (int j = 0; j < tiles; ++j)
#pragma unroll
      for (int r = 0; r < Layout::values; ++r) {
        int row = firstRow + rowOfWave + i * tile + Layout::row(lane, r);
        int column = firstColumn + columnOfWave + j * tile + lane % tile;
        if (!bounded || (row < m && column < n))
          c[long(row) * n + column] = Out(sums[i][j][r]);
      }
}
