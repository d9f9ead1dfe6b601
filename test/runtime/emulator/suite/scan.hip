// Prefix sums: Blelloch's up and down sweep in LDS, wave scans by DPP combined through LDS, and a single pass over the
// whole grid in which each workgroup takes the preceding sum from its predecessor ("decoupled look-back"). Sources:
// Blelloch, "Prefix sums and their applications", 1990; Merrill and Garland, "Single-pass parallel prefix scan with
// decoupled look-back", 2016.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

constexpr int block = 256;

/// Exclusive, over 512 values per workgroup.
extern "C" __global__ void scanBlelloch(const unsigned *in, unsigned *out, int n) {
  __shared__ unsigned values[2 * block];
  unsigned t = threadIdx.x, base = blockIdx.x * 2 * block;
  for (unsigned i = t; i < 2 * block; i += block)
    values[i] = base + i < n ? in[base + i] : 0;
  unsigned offset = 1;
  for (unsigned d = block; d; d /= 2, offset *= 2) {
    __syncthreads();
    if (t < d)
      values[offset * (2 * t + 2) - 1] += values[offset * (2 * t + 1) - 1];
  }
  if (t == 0)
    values[2 * block - 1] = 0;
  for (unsigned d = 1; d <= block; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      unsigned left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
      unsigned kept = values[left];
      values[left] = values[right];
      values[right] += kept;
    }
  }
  __syncthreads();
  for (unsigned i = t; i < 2 * block; i += block)
    if (base + i < n)
      out[base + i] = values[i];
}

template <int control, int rows> INLINE unsigned dpp(unsigned value) {
  return __builtin_amdgcn_update_dpp(0, int(value), control, rows, 0xf, false);
}
INLINE unsigned waveScan(unsigned value) { // inclusive
  value += dpp<0x111, 0xf>(value);
  value += dpp<0x112, 0xf>(value);
  value += dpp<0x114, 0xf>(value);
  value += dpp<0x118, 0xf>(value);
  value += dpp<0x142, 0xa>(value);
  value += dpp<0x143, 0xc>(value);
  return value;
}
/// Inclusive over the workgroup; `total` receives its sum.
INLINE unsigned blockScan(unsigned value, unsigned &total) {
  __shared__ unsigned waves[block / 64];
  unsigned wave = threadIdx.x / 64, sum = waveScan(value);
  if (laneId() == 63)
    waves[wave] = sum;
  __syncthreads();
  total = 0;
  for (unsigned w = 0; w < block / 64; ++w) {
    if (w < wave)
      sum += waves[w];
    total += waves[w];
  }
  return sum;
}

extern "C" __global__ void scanDpp(const unsigned *in, unsigned *out, unsigned *totals, int n) {
  int i = globalId();
  unsigned total, sum = blockScan(i < n ? in[i] : 0, total);
  if (i < n)
    out[i] = sum;
  if (threadIdx.x == 0)
    totals[blockIdx.x] = total;
}

/// Inclusive over all n: workgroups take numbers in the order in which they start, and wait for their predecessors. The
/// upper half of state[b] is 1 if the lower half is b's own sum, and 2 if it is the sum up to b. state and next start
/// as zeros.
extern "C" __global__ void scanSinglePass(const unsigned *in, unsigned *out, uint64_t *state, unsigned *next, int n) {
  __shared__ unsigned number, before;
  if (threadIdx.x == 0)
    number = ATOMIC(fetch_add, next, 1u);
  __syncthreads();
  unsigned b = number;
  int i = int(b * block + threadIdx.x);
  unsigned total, sum = blockScan(i < n ? in[i] : 0, total);
  if (threadIdx.x == 0) {
    unsigned sumBefore = 0;
    if (b > 0) {
      ATOMIC_STORE_RELEASE(&state[b], uint64_t(1) << 32 | total);
      for (unsigned p = b - 1;;) {
        uint64_t s = ATOMIC_LOAD_ACQUIRE(&state[p]);
        if (s == 0) {
          __builtin_amdgcn_s_sleep(1);
          continue;
        }
        sumBefore += unsigned(s);
        if (s >> 32 == 2)
          break;
        --p;
      }
    }
    ATOMIC_STORE_RELEASE(&state[b], uint64_t(2) << 32 | (sumBefore + total));
    before = sumBefore;
  }
  __syncthreads();
  if (i < n)
    out[i] = before + sum;
}

#else

SUITE(scan, blelloch, 512, 700, 1537) {
  int n = run.size;
  auto in = run.integers(n);
  std::vector<uint32_t> expected(n);
  for (int i = 0; i < n; ++i)
    expected[i] = i % 512 ? expected[i - 1] + in[i - 1] : 0;
  uint32_t *out = run.room<uint32_t>(n);
  run.launch("scanBlelloch", suite::blocksFor(n, 512), 256, run.upload(in), out, n);
  run.expectEqual(run.download(out, n), expected);
}

SUITE(scan, dpp, 256, 333, 1000) {
  int n = run.size, blocks = suite::blocksFor(n, 256);
  auto in = run.integers(n);
  std::vector<uint32_t> expected(n), totals(blocks);
  for (int i = 0; i < n; ++i)
    expected[i] = totals[i / 256] += in[i];
  uint32_t *out = run.room<uint32_t>(n), *deviceTotals = run.room<uint32_t>(blocks);
  run.launch("scanDpp", blocks, 256, run.upload(in), out, deviceTotals, n);
  run.expectEqual(run.download(out, n), expected);
  run.expectEqual(run.download(deviceTotals, blocks), totals, "totals");
}

SUITE(scan, singlePass, 100, 2560, 5001) {
  int n = run.size, blocks = suite::blocksFor(n, 256);
  auto in = run.integers(n);
  std::vector<uint32_t> expected(n);
  for (int i = 0; i < n; ++i)
    expected[i] = in[i] + (i ? expected[i - 1] : 0);
  uint32_t *out = run.room<uint32_t>(n);
  run.launch("scanSinglePass", blocks, 256, run.upload(in), out, run.upload(std::vector<uint64_t>(blocks)),
             run.upload(std::vector<uint32_t>(1)), n);
  run.expectEqual(run.download(out, n), expected);
}
#endif
