// Small programs from different fields: sparse matrix times vector, breadth-first search, a Fourier transform in LDS,
// SHA-256, a stencil with a halo, edit distance along anti-diagonals, Cholesky in f64, random numbers, Game of Life on
// bits.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

/// One wave per row of a matrix in compressed sparse rows.
extern "C" __global__ void sparseRows(const int *starts, const int *columns, const float *values, const float *x,
                                      float *y) {
  int row = blockIdx.x * 4 + threadIdx.x / 64, rows = int(gridSize() / 64);
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = starts[row] + int(laneId()); i < starts[row + 1]; i += 64)
    sum += values[i] * x[columns[i]];
  for (int mask = 32; mask; mask /= 2)
    sum += shuffleXor(sum, mask);
  if (laneId() == 0)
    y[row] = sum;
}

/// One level: nodes at `level` set their neighbours to level + 1, if those have no level yet.
extern "C" __global__ void searchLevel(const int *starts, const int *neighbours, int *levels, int level, int *changed,
                                       int n) {
  int v = globalId();
  if (v >= n || ATOMIC_LOAD_ACQUIRE(&levels[v]) != level)
    return;
  for (int i = starts[v]; i < starts[v + 1]; ++i) {
    int none = -1;
    if (__scoped_atomic_compare_exchange_n(&levels[neighbours[i]], &none, level + 1, false, __ATOMIC_RELAXED,
                                           __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE))
      ATOMIC(fetch_or, changed, 1);
  }
}

/// Cooley-Tukey, radix 2, on 2 * blockDim.x points in LDS. v_sin and v_cos take revolutions.
extern "C" __global__ void fourier(const float *in, float *out, int bits) {
  extern __shared__ float values[];
  unsigned n = 1u << bits, t = threadIdx.x;
  float *re = values, *im = values + n;
  for (unsigned i = t; i < n; i += blockDim.x) {
    unsigned from = __builtin_bitreverse32(i) >> (32 - bits);
    re[i] = in[(blockIdx.x * n + from) * 2];
    im[i] = in[(blockIdx.x * n + from) * 2 + 1];
  }
  __syncthreads();
  for (unsigned half = 1; half < n; half *= 2) {
    unsigned j = t % half, i = t / half * 2 * half + j;
    float turn = float(j) / float(2 * half), c = __builtin_amdgcn_cosf(turn), s = -__builtin_amdgcn_sinf(turn);
    float r = re[i + half] * c - im[i + half] * s, m = re[i + half] * s + im[i + half] * c;
    float a = re[i], b = im[i];
    re[i] = a + r;
    im[i] = b + m;
    re[i + half] = a - r;
    im[i + half] = b - m;
    __syncthreads();
  }
  for (unsigned i = t; i < n; i += blockDim.x) {
    out[(blockIdx.x * n + i) * 2] = re[i];
    out[(blockIdx.x * n + i) * 2 + 1] = im[i];
  }
}

__device__ const unsigned roundConstants[64] = {
#include "test/runtime/emulator/suite/sha256.inc"
};
/// FIPS 180-4 for one single-block message per work-item: the work-item's number as eight decimal digits.
extern "C" __global__ void sha256(unsigned *digests, unsigned first) {
  unsigned w[64],
      h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned number = first + globalId(), s[8];
  for (int i = 0; i < 16; ++i)
    w[i] = 0;
  for (int digit = 7; digit >= 0; --digit, number /= 10)
    w[digit / 4] |= ('0' + number % 10) << (24 - digit % 4 * 8);
  w[2] = 0x80000000;
  w[15] = 64;
  for (int i = 16; i < 64; ++i) {
    unsigned a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (__builtin_rotateright32(a, 7) ^ __builtin_rotateright32(a, 18) ^ a >> 3) +
           (__builtin_rotateright32(b, 17) ^ __builtin_rotateright32(b, 19) ^ b >> 10);
  }
  for (int i = 0; i < 8; ++i)
    s[i] = h[i];
  for (int i = 0; i < 64; ++i) {
    unsigned e = s[4], a = s[0];
    unsigned t1 = s[7] +
                  (__builtin_rotateright32(e, 6) ^ __builtin_rotateright32(e, 11) ^ __builtin_rotateright32(e, 25)) +
                  ((e & s[5]) ^ (~e & s[6])) + roundConstants[i] + w[i];
    unsigned t2 = (__builtin_rotateright32(a, 2) ^ __builtin_rotateright32(a, 13) ^ __builtin_rotateright32(a, 22)) +
                  ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    for (int j = 7; j; --j)
      s[j] = s[j - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int i = 0; i < 8; ++i)
    digests[globalId() * 8 + i] = h[i] + s[i];
}

/// A 5-point average on 16 x 16 tiles with a halo in LDS.
extern "C" __global__ void stencil(const float *in, float *out, int width, int height) {
  __shared__ float tile[18][18];
  int x = int(blockIdx.x * 16) - 1, y = int(blockIdx.y * 16) - 1;
  for (int i = int(threadIdx.y * 16 + threadIdx.x); i < 18 * 18; i += 256) {
    int tx = x + i % 18, ty = y + i / 18;
    tile[i / 18][i % 18] = tx >= 0 && tx < width && ty >= 0 && ty < height ? in[ty * width + tx] : 0;
  }
  __syncthreads();
  int cx = int(threadIdx.x) + 1, cy = int(threadIdx.y) + 1;
  if (x + cx < width && y + cy < height)
    out[(y + cy) * width + x + cx] =
        0.5f * tile[cy][cx] + 0.125f * (tile[cy - 1][cx] + tile[cy + 1][cx] + tile[cy][cx - 1] + tile[cy][cx + 1]);
}

/// Levenshtein distance of one pair of words per workgroup, one anti-diagonal after another.
extern "C" __global__ void editDistance(const uint8_t *a, const uint8_t *b, int *out, int length) {
  __shared__ int diagonals[3][129];
  int t = threadIdx.x;
  const uint8_t *first = a + blockIdx.x * length, *second = b + blockIdx.x * length;
  for (int d = 0; d <= 2 * length; ++d) {
    int *now = diagonals[d % 3], *before = diagonals[(d + 2) % 3], *twoBefore = diagonals[(d + 1) % 3];
    for (int i = t; i <= length; i += int(blockDim.x)) {
      int j = d - i;
      if (j < 0 || j > length)
        continue;
      int best = i == 0 ? j : i;
      if (i > 0 && j > 0) {
        best = twoBefore[i - 1] + (first[i - 1] != second[j - 1]);
        best = __builtin_elementwise_min(best, before[i - 1] + 1);
        best = __builtin_elementwise_min(best, before[i] + 1);
      }
      now[i] = best;
    }
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = diagonals[2 * length % 3][length];
}

/// A = L L^T for a symmetric matrix in LDS, one per workgroup.
extern "C" __global__ void cholesky(double *matrices, int n) {
  extern __shared__ double m[];
  double *own = matrices + long(blockIdx.x) * n * n;
  for (int i = threadIdx.x; i < n * n; i += int(blockDim.x))
    m[i] = own[i];
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (threadIdx.x == 0)
      m[k * n + k] = __builtin_sqrt(m[k * n + k]);
    __syncthreads();
    for (int i = k + 1 + int(threadIdx.x); i < n; i += int(blockDim.x))
      m[i * n + k] /= m[k * n + k];
    __syncthreads();
    for (int i = threadIdx.x; i < n * n; i += int(blockDim.x))
      if (int row = i / n, column = i % n; column > k && row >= column)
        m[i] -= m[row * n + k] * m[column * n + k];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n * n; i += int(blockDim.x))
    own[i] = i % n > i / n ? 0 : m[i];
}

/// 32 cells per word; bitwise adders count the neighbours; the field wraps around.
extern "C" __global__ void life(const unsigned *in, unsigned *out, int words, int rows) {
  int x = threadIdx.x, y = blockIdx.x;
  unsigned ones = 0, twos = 0, fours = 0;
  auto count = [&](unsigned cells) {
    unsigned carry = ones & cells, carry2 = twos & carry;
    ones ^= cells;
    twos ^= carry;
    fours |= carry2;
  };
  for (int dy = -1; dy <= 1; ++dy) {
    const unsigned *row = in + (y + dy + rows) % rows * words;
    unsigned left = row[(x + words - 1) % words], here = row[x], right = row[(x + 1) % words];
    count(__builtin_amdgcn_alignbit(here, left, 31));
    count(__builtin_amdgcn_alignbit(right, here, 1));
    if (dy)
      count(here);
  }
  out[y * words + x] = twos & ~fours & (ones | in[y * words + x]);
}

#else

SUITE(applications, sparseRows, 4, 12, 40) {
  int rows = run.size, columns = 300;
  std::vector<int> starts{0}, places;
  std::vector<float> values;
  auto x = run.floats(columns);
  std::vector<double> expected(rows);
  for (int r = 0; r < rows; ++r) {
    for (int i = int(run.random() % 150); i > 0; --i) {
      places.push_back(int(run.random() % columns));
      values.push_back(run.uniform(-1, 1));
      expected[r] += double(values.back()) * x[places.back()];
    }
    starts.push_back(int(places.size()));
  }
  places.push_back(0); // must not be empty
  values.push_back(0);
  float *y = run.room<float>(rows);
  run.launch("sparseRows", rows / 4, 256, run.upload(starts), run.upload(places), run.upload(values), run.upload(x), y);
  run.expectNear(run.download(y, rows), expected, 1e-5);
}

SUITE(applications, breadthFirst, 10, 300, 1001) {
  int n = run.size;
  std::vector<int> starts{0}, neighbours, expected(n, -1), front{0};
  for (int v = 0; v < n; ++v) {
    for (int i = 0; i < 3; ++i)
      neighbours.push_back(int(run.random() % unsigned(n)));
    starts.push_back(int(neighbours.size()));
  }
  expected[0] = 0;
  for (int level = 1; !front.empty(); ++level) {
    std::vector<int> next;
    for (int v : front)
      for (int i = starts[v]; i < starts[v + 1]; ++i)
        if (expected[neighbours[i]] < 0) {
          expected[neighbours[i]] = level;
          next.push_back(neighbours[i]);
        }
    front = next;
  }
  std::vector<int> levels(n, -1);
  levels[0] = 0;
  int *deviceStarts = run.upload(starts), *deviceNeighbours = run.upload(neighbours), *device = run.upload(levels);
  for (int level = 0, changed = 1; changed; ++level) {
    int *flag = run.upload(std::vector<int>{0});
    run.launch("searchLevel", suite::blocksFor(n, 128), 128, deviceStarts, deviceNeighbours, device, level, flag, n);
    changed = run.download(flag, 1)[0];
  }
  run.expectEqual(run.download(device, n), expected);
}

SUITE(applications, fourier, 2, 7, 9) {
  int bits = run.size, n = 1 << bits, transforms = 2;
  auto in = run.floats(transforms * n * 2);
  std::vector<double> expected(in.size());
  for (int t = 0; t < transforms; ++t)
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i) {
        double angle = -2 * M_PI * (i * k % n) / n, c = std::cos(angle), s = std::sin(angle);
        double re = in[(t * n + i) * 2], im = in[(t * n + i) * 2 + 1];
        expected[(t * n + k) * 2] += re * c - im * s;
        expected[(t * n + k) * 2 + 1] += re * s + im * c;
      }
  float *out = run.room<float>(in.size());
  run.launchDynamic(8 * n, "fourier", transforms, n / 2, run.upload(in), out, bits);
  run.expectNear(run.download(out, in.size()), expected, 2e-5);
}

SUITE(applications, sha256, 1, 64, 100) {
  uint32_t *digests = run.room<uint32_t>(8 * run.size);
  run.launch("sha256", 1, run.size, digests, 12345678u);
  // SHA-256 of "12345678", from sha256sum.
  auto got = run.download(digests, 8 * run.size);
  got.resize(8);
  run.expectEqual(got,
                  {0xef797c81, 0x18f02dfb, 0x649607dd, 0x5d3f8c76, 0x23048c9c, 0x063d532c, 0xc95c5ed7, 0xa898a64f});
  // SHA-256 of "12345741", the 64th.
  if (run.size >= 64) {
    got = run.download(digests + 63 * 8, 8);
    run.expectEqual(got,
                    {0x1985840e, 0x6bf01d2a, 0x38caa0e4, 0x4ea45199, 0xc6e214e5, 0x099ead6b, 0xbaedd1f5, 0xba72ffbf});
  }
}

SUITE(applications, stencil, 5, 16, 45) {
  int width = run.size, height = run.size * 2 / 3 + 1;
  auto in = run.floats(width * height);
  std::vector<float> expected(in.size());
  auto at = [&](int x, int y) { return x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0; };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      expected[y * width + x] = 0.5f * at(x, y) + 0.125f * (at(x, y - 1) + at(x, y + 1) + at(x - 1, y) + at(x + 1, y));
  float *out = run.room<float>(in.size());
  run.launch("stencil", {suite::blocksFor(width, 16), suite::blocksFor(height, 16)}, {16, 16}, run.upload(in), out,
             width, height);
  run.expectNear(run.download(out, in.size()), expected, 1e-6);
}

SUITE(applications, editDistance, 1, 50, 128) {
  int length = run.size, pairs = 2;
  std::vector<uint8_t> a(pairs * length), b(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = uint8_t(run.random() % 4);
    b[i] = run.random() % 3 ? a[i] : uint8_t(run.random() % 4);
  }
  std::vector<int> expected(pairs);
  for (int p = 0; p < pairs; ++p) {
    std::vector<int> row(length + 1);
    for (int j = 0; j <= length; ++j)
      row[j] = j;
    for (int i = 1; i <= length; ++i) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= length; ++j) {
        int kept = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[p * length + i - 1] != b[p * length + j - 1])});
        diagonal = kept;
      }
    }
    expected[p] = row[length];
  }
  int *out = run.room<int>(pairs);
  run.launch("editDistance", pairs, 64, run.upload(a), run.upload(b), out, length);
  run.expectEqual(run.download(out, pairs), expected);
}

SUITE(applications, cholesky, 1, 9, 30) {
  int n = run.size, matrices = 2;
  std::vector<double> lower(matrices * n * n), product(lower.size());
  for (int m = 0; m < matrices; ++m) {
    double *l = &lower[m * n * n];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        l[i * n + j] = i == j ? 2 + run.uniform(0, 1) : run.uniform(-1, 1);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k)
          product[m * n * n + i * n + j] += l[i * n + k] * l[j * n + k];
  }
  double *device = run.upload(product);
  run.launchDynamic(8 * n * n, "cholesky", matrices, 128, device, n);
  run.expectNear(run.download(device, product.size()), lower, 1e-10);
}

SUITE(applications, life, 1, 2, 5) {
  int words = run.size, rows = 23, width = words * 32;
  auto cells = run.integers(words * rows);
  std::vector<uint32_t> expected(cells.size());
  auto alive = [&](int x, int y) {
    x = (x + width) % width, y = (y + rows) % rows;
    return cells[y * words + x / 32] >> x % 32 & 1;
  };
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < width; ++x) {
      uint32_t around = 0;
      for (int i = 0; i < 9; ++i)
        if (i != 4)
          around += alive(x + i % 3 - 1, y + i / 3 - 1);
      expected[y * words + x / 32] |= uint32_t(around == 3 || (around == 2 && alive(x, y))) << x % 32;
    }
  uint32_t *out = run.room<uint32_t>(cells.size());
  run.launch("life", rows, words, run.upload(cells), out, words, rows);
  run.expectEqual(run.download(out, cells.size()), expected);
}
#endif
