// Kernels whose sampled time is compared with the full time: with equal and unequal workgroups, with and without a
// tail, limited by each part of the chip.
#define KERNEL(most) extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, most)))
#define DEVICE static __attribute__((device, always_inline)) inline
#define SHARED __attribute__((shared))
#define ITEM __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define GROUP_Y __builtin_amdgcn_workgroup_id_y()

typedef _Float16 half;
typedef half half4 __attribute__((ext_vector_type(4)));
typedef half half8 __attribute__((ext_vector_type(8)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));

DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// Adds the products of `steps` steps of 32 along k to a 128 x 128 tile of a * transpose(b); each of four waves
/// computes 64 x 64.
DEVICE void multiply(const half *a, const half *b, int k, int steps, float16 (&sums)[2][2]) {
  SHARED half tileA[128][40], tileB[128][40];
  int item = ITEM, lane = item % 64, wave = item / 64, row = item / 2, column = item % 2 * 16;
  int rowOfWave = wave / 2 * 64, columnOfWave = wave % 2 * 64;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < 16; i += 8) {
      *(half8 *)&tileA[row][column + i] = *(const half8 *)&a[row * k + step * 32 + column + i];
      *(half8 *)&tileB[row][column + i] = *(const half8 *)&b[row * k + step * 32 + column + i];
    }
    barrier();
    for (int inner = 0; inner < 32; inner += 8) {
      half4 left[2], right[2];
      for (int i = 0; i < 2; ++i) {
        left[i] = *(half4 *)&tileA[rowOfWave + i * 32 + lane % 32][inner + lane / 32 * 4];
        right[i] = *(half4 *)&tileB[columnOfWave + i * 32 + lane % 32][inner + lane / 32 * 4];
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          sums[i][j] = __builtin_amdgcn_mfma_f32_32x32x8f16(left[i], right[j], sums[i][j], 0, 0, 0);
    }
    barrier();
  }
}

DEVICE void storeTile(float *c, int n, const float16 (&sums)[2][2]) {
  int lane = ITEM % 64, wave = ITEM / 64;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int element = 0; element < 16; ++element) {
        int row = wave / 2 * 64 + i * 32 + element / 4 * 8 + lane / 32 * 4 + element % 4;
        c[row * n + wave % 2 * 64 + j * 32 + lane % 32] = sums[i][j][element];
      }
}

/// c = a * transpose(b) in tiles of 128 x 128; blockIdx.x runs along n.
KERNEL(256) void gemm(const half *a, const half *b, float *c, int n, int k) {
  float16 sums[2][2] = {};
  multiply(a + GROUP_Y * 128 * k, b + GROUP * 128 * k, k, k / 32, sums);
  storeTile(c + GROUP_Y * 128 * n + GROUP * 128, n, sums);
}

/// Stream-K: the resident workgroups share all steps of all tiles in equal parts. A workgroup whose part begins inside
/// a tile writes its sums to `partial` and sets its flag; the workgroup that has the tile's begin waits for the others.
KERNEL(256)
void streamK(const half *a, const half *b, float *c, int n, int k, int tiles, int parts, float *partial, int *flags) {
  int perTile = k / 32, all = tiles * perTile;
  int begin = int((long)all * GROUP / parts), end = int((long)all * (GROUP + 1) / parts);
  while (begin < end) {
    int tile = begin / perTile, first = begin % perTile, last = end - tile * perTile;
    last = last < perTile ? last : perTile;
    int tilesX = n / 128, x = tile % tilesX, y = tile / tilesX;
    float16 sums[2][2] = {};
    multiply(a + y * 128 * k + first * 32, b + x * 128 * k + first * 32, k, last - first, sums);
    if (first) {
      float *own = partial + (GROUP * 256 + ITEM) * 64;
      for (int i = 0; i < 64; ++i)
        own[i] = sums[i / 32][i / 16 % 2][i % 16];
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
      barrier();
      if (ITEM == 0)
        __hip_atomic_store(flags + GROUP, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    } else {
      for (int other = GROUP + 1, covered = last; covered < perTile; ++other) {
        while (!__hip_atomic_load(flags + other, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
          __builtin_amdgcn_s_sleep(1);
        const float *theirs = partial + (other * 256 + ITEM) * 64;
        for (int i = 0; i < 64; ++i)
          sums[i / 32][i / 16 % 2][i % 16] += theirs[i];
        covered = int((long)all * (other + 1) / parts) - tile * perTile;
      }
      storeTile(c + y * 128 * n + x * 128, n, sums);
    }
    begin = tile * perTile + last;
  }
}

/// Each lane processes a query over `rows` keys of 16 numbers: the shape of flash attention without matrix cores.
DEVICE void attend(const float *q, const float *keys, const float *values, float *out, int rows) {
  SHARED float tile[2][32 * 16];
  int item = ITEM;
  float4 query[4], sum[4];
  for (int i = 0; i < 4; ++i) {
    query[i] = *(const float4 *)&q[item * 16 + i * 4];
    sum[i] = 0;
  }
  float largest = -1e30f, weight = 0;
  for (int begin = 0; begin < rows; begin += 32) {
    *(float4 *)&tile[0][item * 4] = *(const float4 *)&keys[begin * 16 + item * 4];
    *(float4 *)&tile[1][item * 4] = *(const float4 *)&values[begin * 16 + item * 4];
    barrier();
    for (int row = 0; row < 32; ++row) {
      float4 products = 0;
      for (int i = 0; i < 4; ++i)
        products += query[i] * *(float4 *)&tile[0][row * 16 + i * 4];
      float score = products.x + products.y + products.z + products.w;
      float now = score > largest ? score : largest;
      float old = __builtin_amdgcn_exp2f(largest - now), mine = __builtin_amdgcn_exp2f(score - now);
      largest = now;
      weight = weight * old + mine;
      for (int i = 0; i < 4; ++i)
        sum[i] = sum[i] * old + mine * *(float4 *)&tile[1][row * 16 + i * 4];
    }
    barrier();
  }
  for (int i = 0; i < 4; ++i)
    *(float4 *)&out[item * 16 + i * 4] = sum[i] / weight;
}

/// Each workgroup processes 128 queries, which see the keys up to their own position; blockIdx.x is the block of
/// queries, y the head.
KERNEL(128) void causalAttention(const float *q, const float *k, const float *v, float *out, int length) {
  int head = GROUP_Y * length * 16, block = GROUP * 128 * 16;
  attend(q + head + block, k + head, v + head, out + head + block, (GROUP + 1) * 128);
}

/// The same with heads along x, so that later workgroups take longer.
KERNEL(128) void risingAttention(const float *q, const float *k, const float *v, float *out, int length) {
  int head = GROUP * length * 16, block = GROUP_Y * 128 * 16;
  attend(q + head + block, k + head, v + head, out + head + block, (GROUP_Y + 1) * 128);
}

/// Each y has a sequence of its own length.
KERNEL(128) void raggedAttention(const float *q, const float *k, const float *v, float *out, const int *lengths) {
  int block = (GROUP_Y * 4 + GROUP) * 128 * 16;
  attend(q + block, k, v, out + block, lengths[GROUP_Y]);
}

DEVICE float sumOfGroup(float value) {
  SHARED float parts[256];
  parts[ITEM] = value;
  barrier();
  for (int step = 128; step; step /= 2) {
    if (int(ITEM) < step)
      parts[ITEM] += parts[ITEM + step];
    barrier();
  }
  return parts[0];
}

/// A workgroup computes one row.
KERNEL(256) void rmsNorm(const float *x, float *y, int columns) {
  const float *row = x + GROUP * columns;
  float squares = 0;
  for (int i = ITEM; i < columns; i += 256)
    squares += row[i] * row[i];
  float scale = __builtin_amdgcn_rsqf(sumOfGroup(squares) / columns + 1e-5f);
  for (int i = ITEM; i < columns; i += 256)
    y[GROUP * columns + i] = row[i] * scale;
}

/// A workgroup sums one row, whose number of columns is in a list: rows of unequal lengths in any order.
KERNEL(256) void raggedSum(const float *x, const int *lengths, float *out) {
  float sum = 0;
  for (int i = ITEM; i < lengths[GROUP]; i += 256)
    sum += x[GROUP % 64 * 4096 + i];
  sum = sumOfGroup(sum);
  if (ITEM == 0)
    out[GROUP] = sum;
}

/// A wave computes one row.
KERNEL(256) void gemv(const half *a, const half *x, float *y, int columns) {
  int row = GROUP * 4 + ITEM / 64, lane = ITEM % 64;
  float sum = 0;
  for (int i = lane * 8; i < columns; i += 512) {
    half8 left = *(const half8 *)&a[row * columns + i], right = *(const half8 *)&x[i];
    for (int j = 0; j < 8; ++j)
      sum += float(left[j]) * float(right[j]);
  }
  for (int step = 32; step; step /= 2)
    sum += __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute((lane + step) * 4, __builtin_bit_cast(int, sum)));
  if (!lane)
    y[row] = sum;
}

/// 4 bytes per work-item.
KERNEL(256) void scale(const float *x, float *y, float factor) {
  int i = GROUP * 256 + ITEM;
  y[i] = x[i] * factor;
}

/// 16 bytes per work-item, four times.
KERNEL(256) void add(const float4 *x, const float4 *y, float4 *z) {
  for (int j = 0; j < 4; ++j) {
    int i = (GROUP * 4 + j) * 256 + ITEM;
    z[i] = x[i] + y[i];
  }
}

/// Workgroups that compute much and write little.
KERNEL(256) void arithmetic(float *out, int rounds) {
  float x = ITEM * 1e-3f, y = 0.5f, z = 0.25f;
  for (int i = 0; i < rounds; ++i) {
    x = __builtin_fmaf(x, y, z);
    y = __builtin_fmaf(y, -0.9f, 0.3f);
    z = __builtin_amdgcn_exp2f(z * 0.5f) - x;
  }
  out[GROUP * 256 + ITEM] = x + y + z;
}

/// Every workgroup reads with its own stride, so that neighbours share no lines.
KERNEL(256) void gather(const int *indices, const float *x, float *y) {
  int i = GROUP * 256 + ITEM;
  float sum = 0;
  for (int j = 0; j < 4; ++j)
    sum += x[indices[i] * 4 + j];
  y[i] = sum;
}
