// Dot products (v_dot*) and sparse matrix instructions (smfmac, gfx942) through their builtins.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

extern "C" __global__ void dots(const unsigned *a, const unsigned *b, int *out, float *floats, int n) {
  int i = globalId();
  if (i >= n)
    return;
  unsigned x = a[i], y = b[i];
  out[8 * i] = __builtin_amdgcn_sdot4(int(x), int(y), i, false);
  out[8 * i + 1] = int(__builtin_amdgcn_udot4(x, y, i, false));
  out[8 * i + 2] = __builtin_amdgcn_sdot8(int(x), int(y), i, false);
  out[8 * i + 3] = int(__builtin_amdgcn_udot8(x, y, i, false));
  out[8 * i + 4] = __builtin_amdgcn_sdot2(bits<short2>(x & 0x3fff3fff), bits<short2>(y & 0x3fff3fff), i, false);
  out[8 * i + 5] = int(__builtin_amdgcn_udot2(bits<Vector<unsigned short, 2>>(x & 0x3fff3fff),
                                              bits<Vector<unsigned short, 2>>(y & 0x3fff3fff), i, false));
  out[8 * i + 6] = __builtin_amdgcn_sdot4(int(x | 0x7f7f7f7f), int(y | 0x7f7f7f7f), 0x7fffff00, true);
  out[8 * i + 7] = int(__builtin_amdgcn_udot4(x | 0x80808080, y | 0x80808080, 0xffffff00, true));
  half2 h{_Float16(short(x) % 64), _Float16(short(x >> 16) % 64)}, g{_Float16(short(y) % 64), _Float16(1)};
  floats[i] = __builtin_amdgcn_fdot2(h, g, float(i), false);
}

#ifdef __gfx942__
// One wave: D = A * B + C with 4:2 sparse A; 16 x 16 x 32 for f16, 32 x 32 x 32 for i8.
extern "C" __global__ void sparseF16(const half4 *a, const half8 *b, const int *index, float4 *out) {
  int lane = threadIdx.x;
  float4 c = float(lane);
  out[lane] = __builtin_amdgcn_smfmac_f32_16x16x32_f16(a[lane], b[lane], c, index[lane], 0, 0);
}
extern "C" __global__ void sparseI8(const int2 *a, const int4 *b, const int *index, Vector<int, 16> *out) {
  int lane = threadIdx.x;
  Vector<int, 16> c = lane;
  out[lane] = __builtin_amdgcn_smfmac_i32_32x32x32_i8(a[lane], b[lane], c, index[lane], 0, 0);
}
#endif

#else

SUITE(dots, products, 1, 100, 515) {
  int n = run.size;
  auto a = run.integers(n), b = run.integers(n);
  std::vector<int> expected(8 * n);
  std::vector<float> floats(n);
  auto part = [](uint32_t word, int i, int width) { return word >> i * width & ((1u << width) - 1); };
  auto signedPart = [&](uint32_t word, int i, int width) {
    return int32_t(part(word, i, width) << (32 - width)) >> (32 - width);
  };
  for (int i = 0; i < n; ++i) {
    uint32_t x = a[i], y = b[i], *out = reinterpret_cast<uint32_t *>(&expected[8 * i]);
    for (int j = 0; j < 6; ++j)
      out[j] = i;
    int64_t saturated = 0x7fffff00;
    uint64_t unsignedSaturated = 0xffffff00;
    for (int e = 0; e < 4; ++e) {
      out[0] += uint32_t(signedPart(x, e, 8) * signedPart(y, e, 8));
      out[1] += part(x, e, 8) * part(y, e, 8);
      saturated += signedPart(x | 0x7f7f7f7f, e, 8) * signedPart(y | 0x7f7f7f7f, e, 8);
      unsignedSaturated += part(x | 0x80808080, e, 8) * part(y | 0x80808080, e, 8);
    }
    for (int e = 0; e < 8; ++e) {
      out[2] += uint32_t(signedPart(x, e, 4) * signedPart(y, e, 4));
      out[3] += part(x, e, 4) * part(y, e, 4);
    }
    for (int e = 0; e < 2; ++e) {
      out[4] += part(x & 0x3fff3fff, e, 16) * part(y & 0x3fff3fff, e, 16);
      out[5] += part(x & 0x3fff3fff, e, 16) * part(y & 0x3fff3fff, e, 16);
    }
    out[6] = uint32_t(std::min<int64_t>(saturated, INT32_MAX));
    out[7] = uint32_t(std::min<uint64_t>(unsignedSaturated, UINT32_MAX));
    floats[i] = float(int16_t(x) % 64 * (int16_t(y) % 64) + int16_t(x >> 16) % 64 + i);
  }
  int *out = run.room<int>(8 * n);
  float *deviceFloats = run.room<float>(n);
  run.launch("dots", suite::blocksFor(n, 128), 128, run.upload(a), run.upload(b), out, deviceFloats, n);
  run.expectEqual(run.download(out, 8 * n), expected);
  run.expectEqual(run.download(deviceFloats, n), floats, "floats");
}

namespace {
/// Each group of four along k stores two values of A; the index names their positions in two bits each, never the same.
int randomIndex(suite::Run &run, int groups) {
  int index = 0;
  for (int g = 0; g < groups; ++g) {
    int first = int(run.random() % 3), second = first + 1 + int(run.random() % (3 - first));
    index |= (first | second << 2) << 4 * g;
  }
  return index;
}
} // namespace

SUITE_GFX942(dots, sparseF16, 1) {
  std::vector<_Float16> a(64 * 4), b(64 * 8);
  std::vector<int> index(64);
  for (auto &value : a)
    value = _Float16(int(run.random() % 17) - 8);
  for (auto &value : b)
    value = _Float16(int(run.random() % 17) - 8);
  for (int &word : index)
    word = randomIndex(run, 2);
  // Lane l holds row (column) l % 16 and eight k from 8 * (l / 16): four values of A, eight of B.
  std::vector<float> expected(64 * 4);
  for (int lane = 0; lane < 64; ++lane)
    for (int r = 0; r < 4; ++r) {
      int row = 4 * (lane / 16) + r, column = lane % 16;
      float sum = float(lane);
      for (int group = 0; group < 4; ++group)
        for (int e = 0; e < 4; ++e) {
          int from = group * 16 + row, place = index[from] >> 2 * e & 3;
          sum += float(a[from * 4 + e]) * float(b[(group * 16 + column) * 8 + e / 2 * 4 + place]);
        }
      expected[lane * 4 + r] = sum;
    }
  float *out = run.room<float>(256);
  run.launch("sparseF16", 1, 64, run.upload(a), run.upload(b), run.upload(index), out);
  run.expectEqual(run.download(out, 256), expected);
}

SUITE_GFX942(dots, sparseI8, 1) {
  std::vector<int8_t> a(64 * 8), b(64 * 16);
  std::vector<int> index(64);
  for (auto &value : a)
    value = int8_t(run.random());
  for (auto &value : b)
    value = int8_t(run.random());
  for (int &word : index)
    word = randomIndex(run, 4);
  std::vector<int> expected(64 * 16);
  for (int lane = 0; lane < 64; ++lane)
    for (int r = 0; r < 16; ++r) {
      int row = 8 * (r / 4) + 4 * (lane / 32) + r % 4, column = lane % 32, sum = lane;
      for (int group = 0; group < 2; ++group)
        for (int e = 0; e < 8; ++e) {
          int from = group * 32 + row, place = index[from] >> 2 * e & 3;
          sum += a[from * 8 + e] * b[(group * 32 + column) * 16 + e / 2 * 4 + place];
        }
      expected[lane * 16 + r] = sum;
    }
  int *out = run.room<int>(64 * 16);
  run.launch("sparseI8", 1, 64, run.upload(a), run.upload(b), run.upload(index), out);
  run.expectEqual(run.download(out, 64 * 16), expected);
}
#endif
