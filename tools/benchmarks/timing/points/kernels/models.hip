// Kernels of transformer models: normalisation of rows, a vector times a matrix of fp8, a matrix product.
#include "device.h"

/// A row of 128 in a wave, two elements of 16 bits a lane, loaded one by one as published. Each row has weights of its
/// own: the published kernel is given as many as elements.
struct Row {
  __bf16 x[2], gamma[2];
};
DEVICE Row loadRow(const __bf16 *x, const __bf16 *gamma, long row) {
  const long first = row * 128 + ITEM % 64;
  return {{x[first], x[first + 64]}, {gamma[first], gamma[first + 64]}};
}

DEVICE __bf16 ofLane(__bf16 x, int lane) {
  return __builtin_bit_cast(__bf16, short(__builtin_amdgcn_ds_bpermute(4 * lane, __builtin_bit_cast(short, x))));
}
/// Every step is rounded to 16 bits; lane 0 has the sum in the end, and tells the others.
DEVICE __bf16 sumOfWave(__bf16 x) {
  const int lane = ITEM % 64;
  for (int distance = 32; distance > 0; distance /= 2)
    x += ofLane(x, lane + distance < 64 ? lane + distance : lane);
  return ofLane(x, 0);
}
DEVICE void storeNormalised(const Row &row, __bf16 *y, long number) {
  const float variance = float(sumOfWave(row.x[0] * row.x[0] + row.x[1] * row.x[1])) / 128.0f;
  const __bf16 scale = __bf16(__builtin_amdgcn_rsqf(variance + 1e-6f));
  for (int i = 0; i < 2; ++i)
    y[number * 128 + 64 * i + ITEM % 64] = row.x[i] * scale * row.gamma[i];
}

/// A row a wave.
KERNEL rmsnorm_row(const __bf16 *x, const __bf16 *gamma, __bf16 *y) {
  const long row = GROUP * 4l + ITEM / 64;
  storeNormalised(loadRow(x, gamma, row), y, row);
}

/// Eight rows a wave, the next two's loads under way.
KERNEL rmsnorm_8rows(const __bf16 *x, const __bf16 *gamma, __bf16 *y) {
  const long first = (GROUP * 4l + ITEM / 64) * 8;
  Row rows[2] = {loadRow(x, gamma, first), loadRow(x, gamma, first + 1)};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    storeNormalised(rows[i % 2], y, first + i);
    if (i + 2 < 8)
      rows[i % 2] = loadRow(x, gamma, first + i + 2);
    __builtin_amdgcn_sched_barrier(0); // as the published kernel's waits, which stand between rows
  }
}

#ifdef __gfx942__
/// Sixteen rows of w a workgroup; its four waves share the rows' length. A wave reads 256 bytes of each row at a time,
/// brings them through LDS into the order of operands, and has the next ones' loads under way meanwhile.
KERNEL AT_MOST(256) gemv_fp8(const unsigned char *w, const unsigned char *x, _Float16 *y, int k) {
  SHARED uint4 tiles[4][16 * 17];
  SHARED float partial[4][16];
  int wave = ITEM / 64, lane = ITEM % 64, row = lane % 16, part = lane / 16;
  uint4 *tile = tiles[wave];
  const unsigned char *mine = w + (GROUP * 16l + part) * k + row * 16;
  uint4 next[4];
  for (int i = 0; i < 4; ++i)
    next[i] = *(const uint4 *)(mine + wave * 256 + 4l * i * k);
  float4 sums[2] = {0, 0};
  for (int at = wave * 256; at < k; at += 1024) {
    for (int i = 0; i < 4; ++i)
      tile[(part + 4 * i) * 17 + row] = next[i];
    if (at + 1024 < k)
      for (int i = 0; i < 4; ++i)
        next[i] = *(const uint4 *)(mine + at + 1024 + 4l * i * k);
    for (int i = 0; i < 4; ++i) {
      uint4 weights = tile[row * 17 + 4 * i + part], inputs = *(const uint4 *)(x + at + 64 * i + part * 16);
      sums[0] = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8((long)weights.x | (long)weights.y << 32,
                                                           (long)inputs.x | (long)inputs.y << 32, sums[0], 0, 0, 0);
      sums[1] = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8((long)weights.z | (long)weights.w << 32,
                                                           (long)inputs.z | (long)inputs.w << 32, sums[1], 0, 0, 0);
    }
  }
  if (row == 0)
    *(float4 *)&partial[wave][part * 4] = sums[0] + sums[1];
  barrier();
  if (ITEM < 16)
    y[GROUP * 16 + ITEM] = _Float16(partial[0][ITEM] + partial[1][ITEM] + partial[2][ITEM] + partial[3][ITEM]);
}
#endif

/// C = A * transpose(B), 128 x 256 or 256 x 256 elements a workgroup of eight waves: two LDS buffers of 32 along K, the
/// next one's elements in registers while this one is multiplied. Four groups of 16 bytes a row, moved by the row.
template <int rows, int columns>
DEVICE void gemm(const _Float16 *a, const _Float16 *b, _Float16 *c, int n, int k, int groupsAcross) {
  constexpr int cellsI = rows / 64, cellsJ = columns / 128, stride = 32;
  SHARED half8 ldsA[2][rows * 4], ldsB[2][columns * 4];
  int item = ITEM, wave = item / 64, lane = item % 64, waveRow = wave / 4 * (rows / 2),
      waveColumn = wave % 4 * (columns / 4);
  int group = GROUP, groups = groupsAcross;
  long firstRow = group / groups * long(rows), firstColumn = group % groups * long(columns);
  auto place = [](int row, int quad) { return row * 4 + (quad ^ (row / 2 % 4)); };
  int row = item / 4, quad = item % 4;
  const half8 *fromA = (const half8 *)(a + (firstRow + row) * k + quad * 8),
              *fromB = (const half8 *)(b + (firstColumn + row) * k + quad * 8);
  half8 nextA[rows / 128], nextB[columns / 128];
  auto load = [&](int step) {
    for (int i = 0; i < rows / 128; ++i)
      nextA[i] = fromA[(128l * i * k + step * stride) / 8];
    for (int i = 0; i < columns / 128; ++i)
      nextB[i] = fromB[(128l * i * k + step * stride) / 8];
  };
  auto store = [&](int buffer) {
    for (int i = 0; i < rows / 128; ++i)
      ldsA[buffer][place(row + 128 * i, quad)] = nextA[i];
    for (int i = 0; i < columns / 128; ++i)
      ldsB[buffer][place(row + 128 * i, quad)] = nextB[i];
  };
  float16 sums[cellsI][cellsJ];
  for (int i = 0; i < cellsI; ++i)
    for (int j = 0; j < cellsJ; ++j)
      sums[i][j] = 0;
  load(0);
  store(0);
  barrier();
  for (int step = 0; step < k / stride; ++step) {
    int buffer = step % 2;
    load(step + 1 < k / stride ? step + 1 : 0);
    for (int half = 0; half < 2; ++half) {
      half8 rowsA[cellsI], rowsB[cellsJ];
      for (int i = 0; i < cellsI; ++i)
        rowsA[i] = ldsA[buffer][place(waveRow + 32 * i + lane % 32, 2 * half + lane / 32)];
      for (int j = 0; j < cellsJ; ++j)
        rowsB[j] = ldsB[buffer][place(waveColumn + 32 * j + lane % 32, 2 * half + lane / 32)];
      for (int i = 0; i < cellsI; ++i)
        for (int j = 0; j < cellsJ; ++j) {
          sums[i][j] = __builtin_amdgcn_mfma_f32_32x32x8f16(rowsA[i].lo, rowsB[j].lo, sums[i][j], 0, 0, 0);
          sums[i][j] = __builtin_amdgcn_mfma_f32_32x32x8f16(rowsA[i].hi, rowsB[j].hi, sums[i][j], 0, 0, 0);
        }
    }
    store(1 - buffer);
    barrier();
  }
  for (int i = 0; i < cellsI; ++i)
    for (int j = 0; j < cellsJ; ++j)
      for (int r = 0; r < 16; ++r)
        c[(firstRow + waveRow + 32 * i + 8 * (r / 4) + 4 * (lane / 32) + r % 4) * n + firstColumn + waveColumn +
          32 * j + lane % 32] = _Float16(sums[i][j][r]);
}
KERNEL AT_MOST(512) gemm_f16_128x256(const _Float16 *a, const _Float16 *b, _Float16 *c, int n, int k, int across) {
  gemm<128, 256>(a, b, c, n, k, across);
}
KERNEL AT_MOST(512) gemm_f16_256x256(const _Float16 *a, const _Float16 *b, _Float16 *c, int n, int k, int across) {
  gemm<256, 256>(a, b, c, n, k, across);
}
