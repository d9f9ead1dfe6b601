// Exchange between lanes, each builtin against its definition: DPP controls with row and bank masks, ds_swizzle's
// modes, ds_permute and ds_bpermute, readlane, writelane, readfirstlane, ballot and the mask counts under divergence,
// alignbyte, perm, sad, bit-field and median operations; votes and a segmented sum as users write them.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

template <int control, int rows, int banks, bool zero> INLINE unsigned dpp(unsigned before, unsigned value) {
  return unsigned(__builtin_amdgcn_update_dpp(int(before), int(value), control, rows, banks, zero));
}
extern "C" __global__ void dppControls(const unsigned *in, unsigned *out) {
  unsigned t = threadIdx.x, value = in[t], old = t * 1000, place = 0;
#define PUT(...) out[place++ * 64 + t] = __VA_ARGS__
  PUT(dpp<0x1b, 0xf, 0xf, false>(old, value));  // quad_perm:[3,2,1,0]
  PUT(dpp<0x39, 0xf, 0xf, false>(old, value));  // quad_perm:[1,2,3,0]
  PUT(dpp<0x103, 0xf, 0xf, false>(old, value)); // row_shl:3
  PUT(dpp<0x103, 0xf, 0xf, true>(old, value));
  PUT(dpp<0x115, 0xf, 0xf, false>(old, value)); // row_shr:5
  PUT(dpp<0x127, 0xf, 0xf, false>(old, value)); // row_ror:7
  PUT(dpp<0x130, 0xf, 0xf, false>(old, value)); // wave_shl:1
  PUT(dpp<0x134, 0xf, 0xf, false>(old, value)); // wave_rol:1
  PUT(dpp<0x138, 0xf, 0xf, false>(old, value)); // wave_shr:1
  PUT(dpp<0x13c, 0xf, 0xf, false>(old, value)); // wave_ror:1
  PUT(dpp<0x140, 0xf, 0xf, false>(old, value)); // row_mirror
  PUT(dpp<0x141, 0xf, 0xf, false>(old, value)); // row_half_mirror
  PUT(dpp<0x142, 0xf, 0xf, false>(old, value)); // row_bcast:15
  PUT(dpp<0x143, 0xf, 0xf, false>(old, value)); // row_bcast:31
  PUT(dpp<0x111, 0x5, 0xf, false>(old, value)); // rows 0 and 2
  PUT(dpp<0x111, 0xf, 0x9, false>(old, value)); // banks 0 and 3
}

extern "C" __global__ void swizzles(const unsigned *in, unsigned *out) {
  unsigned t = threadIdx.x, value = in[t], place = 0;
  PUT(__builtin_amdgcn_ds_swizzle(value, 0x801b)); // quad permutation
  PUT(__builtin_amdgcn_ds_swizzle(value, 0x041f)); // swap neighbours
  PUT(__builtin_amdgcn_ds_swizzle(value, 0x7c1f)); // reverse 32
  PUT(__builtin_amdgcn_ds_swizzle(value, 0x0018)); // broadcast the first of 8
  PUT(__builtin_amdgcn_ds_permute((t * 5 % 64) * 4, value));
  PUT(__builtin_amdgcn_ds_bpermute((t * 7 + 3) * 4, value)); // the lane is taken modulo 64
  PUT(__builtin_amdgcn_readlane(value, 41));
  unsigned written = value;
  asm("v_writelane_b32 %0, %1, 13" : "+v"(written) : "s"(7777));
  PUT(written);
  if (t > 20 && t % 3 == 0) // inactive lanes do not count
    PUT(__builtin_amdgcn_readfirstlane(value) + __builtin_popcountll(ballot(true)) +
        unsigned(__builtin_amdgcn_mbcnt_hi(unsigned(ballot(t % 2) >> 32),
                                           __builtin_amdgcn_mbcnt_lo(unsigned(ballot(t % 2)), 5))));
  else
    PUT(__builtin_amdgcn_ds_bpermute((63 - t) * 4, value));
}

extern "C" __global__ void bitsAndBytes(const unsigned *in, unsigned *out) {
  unsigned t = threadIdx.x, a = in[t], b = in[t + 64], c = in[t + 128], place = 0;
  PUT(__builtin_amdgcn_alignbit(a, b, c & 31));
  PUT(__builtin_amdgcn_alignbyte(a, b, c & 3));
  PUT(__builtin_amdgcn_perm(a, b, c & 0x07070707));
  PUT(__builtin_amdgcn_sad_u8(a, b, c));
  PUT(__builtin_amdgcn_sad_u16(a, b, c));
  PUT(__builtin_amdgcn_msad_u8(a, b, c));
  PUT(__builtin_amdgcn_ubfe(a, b & 31, c & 31));
  PUT(unsigned(__builtin_amdgcn_sbfe(int(a), b & 31, c & 31)));
  PUT(__builtin_amdgcn_lerp(a, b, c));
  PUT(bits<unsigned>(__builtin_amdgcn_fmed3f(float(int(a)), float(int(b)), float(int(c)))));
  PUT(__builtin_amdgcn_cvt_pk_u8_f32(float(c & 255), b & 3, a));
  PUT((a & 0xffffff) * (b & 0xffffff));
}

/// Sums runs of equal keys within a wave into the run's last lane, by shuffles that stop at the borders of a run.
extern "C" __global__ void segmentedSum(const int *keys, const int *values, int *sums, int *votes) {
  int t = threadIdx.x, i = globalId(), key = keys[i], sum = values[i];
  for (int step = 1; step < 64; step *= 2) {
    int otherKey = shuffle(key, t - step), other = shuffle(sum, t - step);
    if (t >= step && otherKey == key)
      sum += other;
  }
  int next = shuffle(key, t + 1); // outside the branch, as an inactive lane gives 0
  bool last = t == 63 || next != key;
  sums[i] = last ? sum : 0;
  votes[i] = (ballot(sum > 100) == ~uint64_t(0)) + 2 * (ballot(sum > 100) != 0) + 4 * __builtin_ctzll(ballot(last));
}

#else

namespace {
using Words = std::vector<uint32_t>;

/// The lane from which lane t takes its value under DPP control `control`; -1 for none.
int dppSource(int control, int t) {
  int row = t & ~15, n = control & 15, place = t & 15;
  if (control < 0x100)
    return (t & ~3) + (control >> t % 4 * 2 & 3);
  switch (control & ~15) {
  case 0x100:
    return place + n < 16 ? t + n : -1;
  case 0x110:
    return place >= n ? t - n : -1;
  case 0x120:
    return row + (place + 16 - n) % 16;
  }
  switch (control) {
  case 0x130:
    return t < 63 ? t + 1 : -1;
  case 0x134:
    return (t + 1) % 64;
  case 0x138:
    return t - 1;
  case 0x13c:
    return (t + 63) % 64;
  case 0x140:
    return row + 15 - place;
  case 0x141:
    return (t & ~7) + 7 - t % 8;
  case 0x142:
    return row - 1;
  default: // 0x143
    return t >= 32 ? 31 : -1;
  }
}
} // namespace

SUITE(lanes, dpp, 1) {
  struct {
    int control, rows, banks;
    bool zero;
  } forms[] = {{0x1b, 15, 15, false},  {0x39, 15, 15, false},  {0x103, 15, 15, false}, {0x103, 15, 15, true},
               {0x115, 15, 15, false}, {0x127, 15, 15, false}, {0x130, 15, 15, false}, {0x134, 15, 15, false},
               {0x138, 15, 15, false}, {0x13c, 15, 15, false}, {0x140, 15, 15, false}, {0x141, 15, 15, false},
               {0x142, 15, 15, false}, {0x143, 15, 15, false}, {0x111, 5, 15, false},  {0x111, 15, 9, false}};
  auto in = run.integers(64);
  Words expected;
  for (auto form : forms)
    for (int t = 0; t < 64; ++t) {
      int from = dppSource(form.control, t);
      bool written = (form.rows >> t / 16 & 1) && (form.banks >> t / 4 % 4 & 1);
      expected.push_back(!written || (from < 0 && !form.zero) ? t * 1000 : from < 0 ? 0 : in[from]);
    }
  uint32_t *out = run.room<uint32_t>(expected.size());
  run.launch("dppControls", 1, 64, run.upload(in), out);
  run.expectEqual(run.download(out, expected.size()), expected);
}

SUITE(lanes, swizzle, 1) {
  auto in = run.integers(64);
  Words expected(9 * 64);
  for (int t = 0; t < 64; ++t) {
    int half = t & 32, n = t & 31;
    expected[t] = in[t ^ 3];
    expected[64 + t] = in[t ^ 1];
    expected[128 + t] = in[half | (n ^ 31)];
    expected[192 + t] = in[half | (n & 24)];
    expected[256 + t * 5 % 64] = in[t];
    expected[320 + t] = in[(t * 7 + 3) % 64];
    expected[384 + t] = in[41];
    expected[448 + t] = t == 13 ? 7777 : in[t];
    int there = 0, odd = 0;
    for (int s = 21; s < 64; s += 3) {
      ++there;
      odd += s % 2 && s < t;
    }
    expected[512 + t] = t > 20 && t % 3 == 0               ? in[21] + there + odd + 5
                        : 63 - t > 20 && (63 - t) % 3 == 0 ? 0
                                                           : in[63 - t];
  }
  uint32_t *out = run.room<uint32_t>(expected.size());
  run.launch("swizzles", 1, 64, run.upload(in), out);
  run.expectEqual(run.download(out, expected.size()), expected);
}

SUITE(lanes, bitsAndBytes, 1) {
  auto in = run.integers(192);
  Words expected(12 * 64);
  for (int t = 0; t < 64; ++t) {
    uint32_t a = in[t], b = in[t + 64], c = in[t + 128];
    uint64_t both = uint64_t(a) << 32 | b;
    uint32_t perm = 0, sad8 = c, sad16 = c, masked = c, lerp = 0;
    for (int i = 0; i < 4; ++i) {
      int x = a >> 8 * i & 255, y = b >> 8 * i & 255;
      perm |= uint32_t(both >> 8 * (c >> 8 * i & 7) & 255) << 8 * i;
      sad8 += std::abs(x - y);
      masked += y ? std::abs(x - y) : 0;
      lerp |= uint32_t((x + y + (c >> 8 * i & 1)) / 2) << 8 * i;
    }
    for (int i = 0; i < 2; ++i)
      sad16 += std::abs(int(a >> 16 * i & 0xffff) - int(b >> 16 * i & 0xffff));
    int width = c & 31;
    uint32_t field = a >> (b & 31) & ((1u << width) - 1);
    float x = float(int(a)), y = float(int(b)), z = float(int(c));
    float median = std::max(std::min(x, y), std::min(std::max(x, y), z));
    uint32_t medianBits;
    std::memcpy(&medianBits, &median, 4);
    uint32_t sfield = uint32_t(int64_t(int32_t(a)) >> (b & 31)) & ((1u << width) - 1);
    if (width && sfield >> (width - 1))
      sfield |= ~((1u << width) - 1);
    uint32_t values[] = {uint32_t(both >> (c & 31)),
                         uint32_t(both >> (c & 3) * 8),
                         perm,
                         sad8,
                         sad16,
                         masked,
                         field,
                         sfield,
                         lerp,
                         medianBits,
                         (a & ~(255u << (b & 3) * 8)) | (c & 255) << (b & 3) * 8,
                         (a & 0xffffff) * (b & 0xffffff)};
    for (int i = 0; i < 12; ++i)
      expected[i * 64 + t] = values[i];
  }
  uint32_t *out = run.room<uint32_t>(expected.size());
  run.launch("bitsAndBytes", 1, 64, run.upload(in), out);
  run.expectEqual(run.download(out, expected.size()), expected);
}

SUITE(lanes, segmentedSum, 1, 2, 5) {
  int n = run.size * 64;
  std::vector<int> keys(n), values(n), sums(n), votes(n);
  for (int i = 0; i < n; ++i) {
    keys[i] = i ? keys[i - 1] + (run.random() % 5 == 0) : 0;
    values[i] = int(run.random() % 100);
  }
  for (int base = 0; base < n; base += 64) {
    int above = 0, first = -1, sum = 0;
    for (int t = 0; t < 64; ++t) {
      int i = base + t;
      sum = t && keys[i - 1] == keys[i] ? sum + values[i] : values[i];
      above += sum > 100;
      if (t == 63 || keys[i + 1] != keys[i]) {
        sums[i] = sum;
        if (first < 0)
          first = t;
      }
    }
    for (int t = 0; t < 64; ++t)
      votes[base + t] = (above == 64) + 2 * (above != 0) + 4 * first;
  }
  int *deviceSums = run.room<int>(n), *deviceVotes = run.room<int>(n);
  run.launch("segmentedSum", run.size, 64, run.upload(keys), run.upload(values), deviceSums, deviceVotes);
  run.expectEqual(run.download(deviceSums, n), sums, "sums");
  run.expectEqual(run.download(deviceVotes, n), votes, "votes");
}
#endif
