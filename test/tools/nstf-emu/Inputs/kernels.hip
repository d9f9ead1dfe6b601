// Kernels of nstf-emu's tests.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define INDEX                                                                                                          \
  int(__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x())

extern "C" __global__ void vadd(const float *a, const float *b, float *c, int n) {
  int i = INDEX;
  if (i < n)
    c[i] = a[i] + b[i];
}

__device__ float factors[4];
template <typename T> __global__ void scaled(T *c) {
  int i = INDEX;
  c[i] = c[i] * T(factors[i & 3]);
}
template __global__ void scaled<float>(float *);
template __global__ void scaled<int>(int *);

struct Row {
  int first;
  float *data;
  char tail;
};
extern "C" __global__ void through_struct(Row row, double add) {
  int i = __builtin_amdgcn_workitem_id_x();
  row.data[i] = float(row.first + i + add);
}

extern "C" __global__ void stores_wild(float *c) { c[1 << 20] = 1; }

extern "C" __global__ void spins(volatile int *c) {
  while (!*c)
    ;
}

extern "C" __global__ void endless(int *c) {
  for (;;)
    __atomic_fetch_add(c, 1, __ATOMIC_RELAXED);
}

extern "C" __global__ void swaps(float *c) {
  __shared__ float buffer[64];
  int i = __builtin_amdgcn_workitem_id_x();
  buffer[i] = c[i];
  __builtin_amdgcn_s_barrier();
  c[i] = buffer[63 - i];
}

extern "C" __global__ void halves(_Float16 *c, __bf16 *d) {
  int i = __builtin_amdgcn_workitem_id_x();
  c[i] = c[i] * (_Float16)0.5f;
  d[i] = (__bf16)((float)d[i] * 2.0f);
}

extern "C" __global__ void exponential(float *c) {
  int i = __builtin_amdgcn_workitem_id_x();
  c[i] = __builtin_amdgcn_exp2f(c[i]);
}

typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float4 __attribute__((ext_vector_type(4)));
extern "C" __global__ void product(float *c) {
  int i = __builtin_amdgcn_workitem_id_x();
  half4 ones = (half4)(_Float16)c[i];
  float4 sum = (float4)c[i];
  sum = __builtin_amdgcn_mfma_f32_16x16x16f16(ones, ones, sum, 0, 0, 0);
  c[i] = sum[0];
}

/// Continues when all workgroups have arrived.
extern "C" __global__ void meets(int *count, int workgroups) {
  if (__builtin_amdgcn_workitem_id_x() == 0)
    __scoped_atomic_fetch_add(count, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  while (__scoped_atomic_load_n(count, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) < workgroups)
    ;
}
