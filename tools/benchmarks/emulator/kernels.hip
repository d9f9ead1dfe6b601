// The kernels that `tools/bench emulator` times beside the matrix product of the emulator's test suite.
#define GLOBAL extern "C" __attribute__((global))
#define THREAD (__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x())

/// Vector arithmetic in a mix typical of kernels: fused multiply-adds, integer arithmetic and shifts, a comparison, a
/// minimum.
GLOBAL void valu(float *out, int rounds) {
  unsigned state = THREAD * 2654435761u + 1;
  float x = THREAD * 1e-6f, y = 0.5f, z = 0.25f, lowest = 1e30f;
  for (int i = 0; i < rounds; ++i) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    x = __builtin_fmaf(x, y, z);
    y = __builtin_fmaf(y, -0.9f, 0.3f);
    z = z * 0.99f + x;
    x = x > 4.0f ? x * 0.125f : x;
    lowest = __builtin_fminf(lowest, __builtin_fmaf(x, y, z));
    y += float(state & 7) * 1e-4f;
  }
  out[THREAD] = lowest + float(state);
}

typedef float float4 __attribute__((ext_vector_type(4)));
/// Copies 16 bytes per work-item.
GLOBAL void copy(const float4 *from, float4 *to) { to[THREAD] = from[THREAD]; }
