// Kernels of transformer models: norms of rows, an fp8 matrix times a vector, a matrix product.
#include "device.h"

/// A wave holds a row of 128 elements, two 16-bit elements per lane, each loaded by itself as published. Each row has
/// its own weights: the published kernel gets as many weights as elements.
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
/// Every step is rounded to 16 bits. Lane 0 ends with the sum and broadcasts it.
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

/// One wave computes a row.
KERNEL rmsnorm_row(const __bf16 *x, const __bf16 *gamma, __bf16 *y) {
  const long row = GROUP * 4l + ITEM / 64;
  storeNormalised(loadRow(x, gamma, row), y, row);
}

/// One wave computes eight rows, and has the loads of the next two in flight.
KERNEL rmsnorm_8rows(const __bf16 *x, const __bf16 *gamma, __bf16 *y) {
  const long first = (GROUP * 4l + ITEM / 64) * 8;
  Row rows[2] = {loadRow(x, gamma, first), loadRow(x, gamma, first + 1)};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    storeNormalised(rows[i % 2], y, first + i);
    if (i + 2 < 8)
      rows[i % 2] = loadRow(x, gamma, first + i + 2);
    __builtin_amdgcn_sched_barrier(0); // like the published kernel's waits, which stand between rows
  }
}

#ifdef __gfx942__
/// A workgroup computes sixteen rows of w, and its four waves divide the rows' length. A wave reads 256 bytes of each
/// row at a time, brings them into operand order through LDS, and has the next loads in flight meanwhile.
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

/// C = A * transpose(B): 128 x 256 elements per workgroup, 128 x 64 of them per wave, 32 along K at a time, according
/// to the name of the published configuration. A goes through two LDS buffers with four swizzled groups of 16 bytes per
/// row. B is stored in operand order (1 KB for each 16 rows and 32 along K) and is loaded from memory into VGPRs
/// directly. While a step is multiplied, the operands of the next one and the LDS elements of the one after that are in
/// flight.
KERNEL AT_MOST(256) gemm_f16(const _Float16 *a, const _Float16 *b, float *c, int n, int k, int across) {
  constexpr int rows = 128, columns = 256, cellsI = rows / 16, cellsJ = columns / 4 / 16, stride = 32;
  constexpr int matrix = 0x8, loads = 0x20, reads = 0x100; // masks of instruction kinds
  SHARED half8 lds[2][rows * 4];
  const int item = ITEM, lane = item % 64, group = GROUP, steps = k / stride;
  const long firstRow = group / across * long(rows), firstColumn = group % across * long(columns) + item / 64 * 64;
  auto place = [](int row, int quad) { return row * 4 + (quad ^ (row / 2 % 4)); };
  const int row = item / 4, quad = item % 4;
  const half8 *fromA = (const half8 *)(a + (firstRow + row) * k + quad * 8),
              *fromB = (const half8 *)b + firstColumn / 16 * steps * 64 + lane;
  half8 nextA[2], operandsA[2][cellsI], operandsB[2][cellsJ];
  auto loadA = [&](int step) {
    for (int i = 0; i < 2; ++i)
      nextA[i] = fromA[(64l * i * k + step * stride) / 8];
  };
  auto loadB = [&](int step, int buffer) {
    for (int j = 0; j < cellsJ; ++j)
      operandsB[buffer][j] = fromB[(j * steps + step) * 64];
  };
  auto store = [&](int buffer) {
    for (int i = 0; i < 2; ++i)
      lds[buffer][place(row + 64 * i, quad)] = nextA[i];
  };
  auto read = [&](int buffer) {
    for (int i = 0; i < cellsI; ++i)
      operandsA[buffer][i] = lds[buffer][place(16 * i + lane % 16, lane / 16)];
  };
  float4 sums[cellsI][cellsJ];
  for (int i = 0; i < cellsI; ++i)
    for (int j = 0; j < cellsJ; ++j)
      sums[i][j] = 0;
  for (int step = 0; step < 2; ++step) {
    loadA(step);
    store(step);
  }
  loadB(0, 0);
  barrier();
  read(0);
  for (int first = 0; first < steps; first += 2)
#pragma unroll
    for (int buffer = 0; buffer < 2; ++buffer) {
      const int step = first + buffer;
      loadA(step + 2 < steps ? step + 2 : 0);
      loadB(step + 1 < steps ? step + 1 : 0, 1 - buffer);
      read(1 - buffer);
      for (int half = 0; half < 2; ++half)
        for (int i = 0; i < cellsI; ++i)
          for (int j = 0; j < cellsJ; ++j) {
            const half8 mine = operandsA[buffer][i], other = operandsB[buffer][j];
            sums[i][j] = __builtin_amdgcn_mfma_f32_16x16x16f16(half ? mine.hi : mine.lo, half ? other.hi : other.lo,
                                                               sums[i][j], 0, 0, 0);
          }
      // The published kernel's scheduler spreads the loads, because a wave would stall on adjacent ones.
      for (int j = 0; j < 2 + cellsJ; ++j) {
        __builtin_amdgcn_sched_group_barrier(loads, 1, 0);
        __builtin_amdgcn_sched_group_barrier(matrix, 4, 0);
      }
      for (int i = 0; i < cellsI; ++i) {
        __builtin_amdgcn_sched_group_barrier(reads, 1, 0);
        __builtin_amdgcn_sched_group_barrier(matrix, 4, 0);
      }
      __builtin_amdgcn_sched_barrier(0);
      store(buffer);
      barrier();
    }
  for (int i = 0; i < cellsI; ++i)
    for (int j = 0; j < cellsJ; ++j)
      for (int r = 0; r < 4; ++r)
        c[(firstRow + 16 * i + lane / 16 * 4 + r) * n + firstColumn + 16 * j + lane % 16] = sums[i][j][r];
}
