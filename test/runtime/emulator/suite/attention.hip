// Flash attention: softmax(Q K^T / sqrt(d)) V for one head per row of workgroups, block by block with a running maximum
// and sum, causal or not. Four waves take 16 queries each; keys and values pass through LDS in blocks of 32. Both
// products use v_mfma_f32_16x16x16_f16 (or bf16). The probabilities pass through LDS to become an operand of the second
// product. Source: Dao et al., "FlashAttention", 2022.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

constexpr int head = 64, keyBlock = 32, stride = head + 8, probabilityStride = keyBlock + 8;

struct F16 {
  using Element = _Float16;
  using Four = half4;
  INLINE float4 multiply(Four a, Four b, float4 c) { return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0); }
};
struct Bf16 {
  using Element = __bf16;
  using Four = Vector<__bf16, 4>;
  INLINE float4 multiply(Four a, Four b, float4 c) {
    return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(bits<short4>(a), bits<short4>(b), c, 0, 0, 0);
  }
};

template <typename Type, bool causal>
INLINE void attention(const typename Type::Element *q, const typename Type::Element *k, const typename Type::Element *v,
                      float *out, int queries, int keys) {
  using Element = typename Type::Element;
  using Four = typename Type::Four;
  __shared__ __attribute__((aligned(16))) Element keyTile[keyBlock * stride], valueTile[keyBlock * stride];
  __shared__ __attribute__((aligned(16))) Element probabilities[4][16 * probabilityStride];
  int lane = threadIdx.x % 64, wave = threadIdx.x / 64, row = lane % 16, group = lane / 16;
  long headOfQ = long(blockIdx.y) * queries * head, headOfK = long(blockIdx.y) * keys * head;
  int firstQuery = blockIdx.x * 64 + wave * 16;

  Four query[head / 16];
  for (int i = 0; i < head / 16; ++i) {
    query[i] = 0;
    if (firstQuery + row < queries)
      query[i] = *(const Four *)(q + headOfQ + (firstQuery + row) * head + i * 16 + group * 4);
  }
  float4 result[head / 16];
  for (int i = 0; i < head / 16; ++i)
    result[i] = 0;
  float most[4], sum[4]; // for queries 4 * group + r
  for (int r = 0; r < 4; ++r) {
    most[r] = -1e30f;
    sum[r] = 0;
  }
  int end = causal ? __builtin_elementwise_min(keys, int(blockIdx.x + 1) * 64) : keys;
  for (int first = 0; first < end; first += keyBlock) {
    __syncthreads();
    for (int i = threadIdx.x; i < keyBlock * head / 4; i += 256) {
      int key = i / (head / 4), d = i % (head / 4) * 4;
      Four zero = 0;
      bool there = first + key < keys;
      *(Four *)&keyTile[key * stride + d] = there ? *(const Four *)(k + headOfK + (first + key) * head + d) : zero;
      *(Four *)&valueTile[key * stride + d] = there ? *(const Four *)(v + headOfK + (first + key) * head + d) : zero;
    }
    __syncthreads();
    float4 scores[keyBlock / 16];
    for (int j = 0; j < keyBlock / 16; ++j) {
      scores[j] = 0;
      for (int i = 0; i < head / 16; ++i)
        scores[j] =
            Type::multiply(query[i], *(const Four *)&keyTile[(j * 16 + row) * stride + i * 16 + group * 4], scores[j]);
      int key = first + j * 16 + row;
      for (int r = 0; r < 4; ++r) {
        bool seen = key < keys && (!causal || key <= firstQuery + 4 * group + r);
        scores[j][r] = seen ? scores[j][r] * 0.125f : -__builtin_inff();
      }
    }
    for (int r = 0; r < 4; ++r) {
      float blockMost = most[r];
      for (int j = 0; j < keyBlock / 16; ++j)
        blockMost = __builtin_fmaxf(blockMost, scores[j][r]);
      for (int mask = 8; mask; mask /= 2)
        blockMost = __builtin_fmaxf(blockMost, shuffleXor(blockMost, mask));
      float scale = __builtin_expf(most[r] - blockMost), blockSum = 0;
      most[r] = blockMost;
      for (int j = 0; j < keyBlock / 16; ++j) {
        float p = __builtin_expf(scores[j][r] - blockMost);
        blockSum += p;
        probabilities[wave][(4 * group + r) * probabilityStride + j * 16 + row] = Element(p);
      }
      for (int mask = 8; mask; mask /= 2)
        blockSum += shuffleXor(blockSum, mask);
      sum[r] = sum[r] * scale + blockSum;
      for (int i = 0; i < head / 16; ++i)
        result[i][r] *= scale;
    }
    __syncthreads();
    for (int j = 0; j < keyBlock / 16; ++j) {
      Four p = *(const Four *)&probabilities[wave][row * probabilityStride + j * 16 + group * 4];
      for (int i = 0; i < head / 16; ++i) {
        Four value;
        for (int e = 0; e < 4; ++e)
          value[e] = valueTile[(j * 16 + group * 4 + e) * stride + i * 16 + row];
        result[i] = Type::multiply(p, value, result[i]);
      }
    }
  }
  for (int i = 0; i < head / 16; ++i)
    for (int r = 0; r < 4; ++r)
      if (int query = firstQuery + 4 * group + r; query < queries)
        out[headOfQ + query * head + i * 16 + row] = result[i][r] / sum[r];
}

#define KERNEL(name, Type, causal)                                                                                     \
  extern "C" __global__ __launch_bounds__(256) void name(const Type::Element *q, const Type::Element *k,               \
                                                         const Type::Element *v, float *out, int queries, int keys) {  \
    attention<Type, causal>(q, k, v, out, queries, keys);                                                              \
  }
KERNEL(attention_f16, F16, false)
KERNEL(attention_f16_causal, F16, true)
KERNEL(attention_bf16, Bf16, false)

#else

namespace {
template <typename T> void attentionCase(suite::Run &run, const char *kernel, bool causal, double tolerance) {
  int heads = 2, head = 64, queries = run.size, keys = causal ? run.size : run.size + 13;
  std::vector<T> q(heads * queries * head), k(heads * keys * head), v(k.size());
  for (std::vector<T> *values : {&q, &k, &v})
    for (T &value : *values)
      value = T(run.normal16(-1.5, 1.5));
  std::vector<double> expected(q.size()), p(keys);
  for (int h = 0; h < heads; ++h)
    for (int i = 0; i < queries; ++i) {
      int seen = causal ? i + 1 : keys;
      double sum = 0;
      for (int j = 0; j < seen; ++j) {
        double score = 0;
        for (int d = 0; d < head; ++d)
          score += double(q[(h * queries + i) * head + d]) * double(k[(h * keys + j) * head + d]);
        sum += p[j] = std::exp(score / 8);
      }
      for (int j = 0; j < seen; ++j)
        for (int d = 0; d < head; ++d)
          expected[(h * queries + i) * head + d] += p[j] / sum * double(v[(h * keys + j) * head + d]);
    }
  float *out = run.room<float>(q.size());
  run.launch(kernel, {suite::blocksFor(queries, 64), unsigned(heads)}, 256, run.upload(q), run.upload(k), run.upload(v),
             out, queries, keys);
  run.expectNear(run.download(out, q.size()), expected, tolerance);
}
} // namespace

SUITE(attention, f16, 5, 64, 77) { attentionCase<_Float16>(run, "attention_f16", false, 1e-3); }
SUITE(attention, f16Causal, 1, 64, 99) { attentionCase<_Float16>(run, "attention_f16_causal", true, 1e-3); }
SUITE(attention, bf16, 5, 64, 77) { attentionCase<suite::Bf16>(run, "attention_bf16", false, 8e-3); }
#endif
