// Products of matrices and vectors, and sums of rows.
#include "device.h"

/// 8 x 8 work-items compute 32 x 32 elements; A goes through a scratch buffer in memory, as published. The side of 8 is
/// known at launch only.
KERNEL matrixmultiplication(const float4 *a, const float4 *b, float4 *c, int widthA, float4 *scratch) {
  int side = SIZE, x = ITEM, y = ITEM_Y, globalX = side * GROUP + x, globalY = SIZE_Y * GROUP_Y + y,
      sizeX = GROUPS * SIZE;
  int place = x + side * (y << 2), quads = widthA / 4;
  float4 sum[4] = {0, 0, 0, 0};
  for (int i = 0; i < quads / side; ++i) {
    int from = i * side + x + (y << 2) * quads;
    for (int k = 0; k < 4; ++k)
      scratch[place + side * k] = a[from + k * quads];
    barrier();
    int columns = globalX + ((i * side) << 2) * sizeX;
    for (int j = 0; j < side * 4; j += 4) {
      float4 rows[4], lines[4];
      for (int k = 0; k < 4; ++k)
        rows[k] = scratch[(j >> 2) + (y * 4 + k) * side];
      for (int k = 0; k < 4; ++k)
        lines[k] = b[columns + (j + k) * sizeX];
      for (int k = 0; k < 4; ++k)
        sum[k] += rows[k].x * lines[0] + rows[k].y * lines[1] + rows[k].z * lines[2] + rows[k].w * lines[3];
    }
    barrier();
  }
  for (int k = 0; k < 4; ++k)
    c[globalX + (globalY << 2) * sizeX + k * sizeX] = sum[k];
}

/// Tiles of 16 x 16 go through LDS.
template <bool bounded> DEVICE float tiles(const float *a, const float *b, int m, int n, int k, int row, int column) {
  SHARED float tileA[16][16], tileB[16][16];
  int x = ITEM, y = ITEM_Y;
  float sum = 0;
  for (int t = 0; t < (k + 15) / 16; ++t) {
    tileA[y][x] = row < m && t * 16 + x < k ? a[row * k + t * 16 + x] : 0.0f;
    tileB[y][x] = t * 16 + y < k && column < n ? b[(t * 16 + y) * n + column] : 0.0f;
    barrier();
    for (int j = 0; j < 16; ++j)
      if (!bounded || j + 16 * t < k)
        sum += tileA[y][j] * tileB[j][x];
    barrier();
  }
  return sum;
}

/// Every work-item clears its element first, including those beyond the rows.
KERNEL tiled_gemm(int m, int n, int k, float alpha, float beta, const float *a, const float *b, const float *c,
                  float *d) {
  int row = GROUP_Y * 16 + ITEM_Y, column = GROUP * 16 + ITEM;
  d[row * n + column] = 0;
  float sum = tiles<true>(a, b, m, n, k, row, column);
  if (row < m && column < n)
    d[row * n + column] = alpha * sum + beta * c[row * n + column];
}

KERNEL polybench_mm(const float *p, const float *q, float *out, int n, float alpha, float beta) {
  int row = GROUP_Y * 16 + ITEM_Y, column = GROUP * 16 + ITEM;
  float sum = tiles<false>(p, q, n, n, n, row, column);
  if (row < n && column < n)
    out[row * n + column] = alpha * sum + beta * out[row * n + column];
}

KERNEL atax_rows(const float *a, const float *x, float *sums, int nx, int ny) {
  int i = GLOBAL_ITEM;
  if (i < nx)
    for (int j = 0; j < ny; ++j)
      sums[i] += a[i * ny + j] * x[j];
}

KERNEL atax_columns(const float *a, float *y, const float *sums, int nx, int ny) {
  int j = GLOBAL_ITEM;
  if (j < ny)
    for (int i = 0; i < nx; ++i)
      y[j] += a[i * ny + j] * sums[i];
}

KERNEL bicg_rows(const float *a, const float *p, float *q, int nx, int ny) {
  int i = GLOBAL_ITEM;
  if (i >= nx)
    return;
  q[i] = 0;
  for (int j = 0; j < ny; ++j)
    q[i] += a[i * ny + j] * p[j];
}

KERNEL bicg_columns(const float *a, const float *r, float *s, int nx, int ny) {
  int j = GLOBAL_ITEM;
  if (j >= ny)
    return;
  s[j] = 0;
  for (int i = 0; i < nx; ++i)
    s[j] += a[i * ny + j] * r[i];
}

KERNEL spmv_csr_scalar(const float *__restrict__ values, const float *__restrict__ vector,
                       const int *__restrict__ columns, const int *__restrict__ rows, int n, float *__restrict__ out) {
  int row = GLOBAL_ITEM;
  if (row >= n)
    return;
  float sum = 0;
  for (int j = rows[row], end = rows[row + 1]; j < end; ++j)
    sum += values[j] * vector[columns[j]];
  out[row] = sum;
}

/// One wave computes a row.
KERNEL pagerank(unsigned n, const unsigned *rows, const unsigned *columns, const float *values, const float *x,
                float *y) {
  SHARED float sums[64];
  int lane = ITEM, row = GROUP;
  if (row >= int(n))
    return;
  y[row] = 0;
  sums[lane] = 0;
  for (int j = rows[row] + lane, end = rows[row + 1]; j < end; j += 64)
    sums[lane] = sums[lane] + values[j] * x[columns[j]];
  for (int width = 32; width > 0; width /= 2)
    if (lane < width)
      sums[lane] = sums[lane] + sums[lane + width];
  if (lane == 0)
    y[row] += sums[0];
}

KERNEL kmeans(const float *features, const float *clusters, int *membership, int points, int clusterCount,
              int featureCount) {
  unsigned i = GLOBAL_ITEM;
  if (int(i) >= points)
    return;
  float nearest = 3.4e38f;
  int index = 0;
  for (int c = 0; c < clusterCount; ++c) {
    float distance = 0;
    for (int f = 0; f < featureCount; ++f) {
      float difference = features[f * points + i] - clusters[c * featureCount + f];
      distance += difference * difference;
    }
    if (distance < nearest) {
      nearest = distance;
      index = c;
    }
  }
  membership[i] = index;
}

/// Positions go through a buffer in memory, as published.
KERNEL nbody(const float4 *positions, const float4 *velocities, int bodies, float step, float softening,
             float4 *scratch, float4 *newPositions, float4 *newVelocities) {
  unsigned item = ITEM, global = GLOBAL_ITEM, size = SIZE, tiles = bodies / size;
  float4 mine = positions[global], pull = 0;
  for (int tile = 0; tile < int(tiles); ++tile) {
    scratch[item] = positions[tile * size + item];
    barrier();
    for (unsigned j = 0; j < size; ++j) {
      float4 other = scratch[j];
      float x = other.x - mine.x, y = other.y - mine.y, z = other.z - mine.z;
      float inverse = 1.0f / __builtin_sqrtf(x * x + y * y + z * z + softening);
      float s = other.w * (inverse * inverse * inverse);
      pull.x += s * x;
      pull.y += s * y;
      pull.z += s * z;
    }
    barrier();
  }
  float4 velocity = velocities[global];
  float4 moved = mine + velocity * step + pull * (0.5f * step * step);
  moved.w = mine.w;
  newPositions[global] = moved;
  newVelocities[global] = velocity + pull * step;
}
