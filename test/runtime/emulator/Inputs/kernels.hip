// Kernels that the emulator's tests load and run.
#include "device.h"

extern "C" {

__device__ float factor = 3.0f;
__device__ float otherFactor = 5.0f;
// Addresses in initialised data become relocations in the code object.
__device__ float *factors[2] = {&factor, &otherFactor};

__global__ void vectorAdd(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

__global__ void scaleByVariable(float *x, int which) { x[threadIdx.x] *= *factors[which]; }

// Reads the hidden arguments through the dispatch's implicit argument block.
__global__ void launchShape(uint32_t *out) {
  const uint32_t *implicit = (const uint32_t *)__builtin_amdgcn_implicitarg_ptr();
  if (blockIdx.x | blockIdx.y | blockIdx.z | threadIdx.x | threadIdx.y | threadIdx.z)
    return;
  for (int i = 0; i < 3; ++i)
    out[i] = implicit[i]; // hidden_block_count_*
  const uint16_t *sizes = (const uint16_t *)(implicit + 3);
  for (int i = 0; i < 3; ++i)
    out[3 + i] = sizes[i];                     // hidden_group_size_*
  out[6] = *((const uint16_t *)implicit + 32); // hidden_grid_dims, byte 64
}

// The compiler adds hidden_dynamic_lds_size (byte 120) to kernels that use dynamic LDS.
__global__ void dynamicLdsSize(uint32_t *out) {
  extern __shared__ uint32_t dynamic[];
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = ((const uint32_t *)__builtin_amdgcn_implicitarg_ptr())[30];
    out[1] = dynamic[63];
  }
}

// Sums the block's values in LDS: a static array for 256 work-items and a dynamic one of the same size.
__global__ void blockSum(const float *in, float *out) {
  __shared__ float values[256];
  extern __shared__ float copy[];
  unsigned t = threadIdx.x;
  values[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  copy[t] = values[255 - t];
  __syncthreads();
  for (unsigned step = 128; step; step /= 2) {
    if (t < step)
      copy[t] += copy[t + step];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = copy[0];
}

struct Mixed {
  double scale;
  int16_t offset;
  uint8_t shift;
};
__global__ void mixedArguments(uint8_t first, Mixed mixed, float *out, uint8_t last) {
  out[0] = first;
  out[1] = float(mixed.scale);
  out[2] = mixed.offset;
  out[3] = mixed.shift;
  out[4] = last;
}

__global__ void store(float *x, long index) { x[index] = 1.0f; }

__global__ __launch_bounds__(64) void smallBlocksOnly(float *x) { x[threadIdx.x] = float(threadIdx.x); }

// Writes each work-item's workgroup size; the partial workgroup at the end has hidden_remainder_x. The pointers are
// volatile because the compiler assumes that HIP's workgroups are full.
__global__ void workgroupSizes(uint32_t *out) {
  const volatile uint32_t *implicit = (const uint32_t *)__builtin_amdgcn_implicitarg_ptr();
  const volatile uint16_t *sizes = (const volatile uint16_t *)(implicit + 3);
  uint32_t complete = implicit[0];
  out[blockIdx.x * sizes[0] + threadIdx.x] = blockIdx.x < complete ? sizes[0] : sizes[3];
}

// All workgroups of the grid meet, the way AMD's device library does it on gfx90a.
__global__ void meet(int *counts, int *seen, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0)
      __scoped_atomic_fetch_add(counts + round, 1, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
    __syncthreads();
    if (threadIdx.x < 64)
      __builtin_amdgcn_ds_gws_barrier(0, 0);
    __syncthreads();
    if (threadIdx.x == 0)
      seen[round] = __scoped_atomic_load_n(counts + round, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE);
  }
}

// A deadlock: in every second workgroup one wave waits at the workgroup's barrier and the other at the grid's.
__global__ void neverMeet(int *out) {
  if (blockIdx.x % 2)
    return;
  if (threadIdx.x / 64)
    __builtin_amdgcn_ds_gws_barrier(0, 0);
  else
    __builtin_amdgcn_s_barrier();
  *out = 1;
}

__global__ void add(float *x, float value) { x[blockIdx.x * blockDim.x + threadIdx.x] += value; }
}

#ifdef NSTF_HOST_PROGRAM
#include <cstdio>
#include <cstring>

// A program with its kernels inside: clang's <<<>>>, device variables, the fat binary.
int main() {
  constexpr int n = 1000;
  float a[n], b[n], c[n];
  for (int i = 0; i < n; ++i)
    a[i] = float(i), b[i] = 0.5f * float(i);
  float *da, *db, *dc;
  hipMalloc((void **)&da, sizeof a);
  hipMalloc((void **)&db, sizeof b);
  hipMalloc((void **)&dc, sizeof c);
  hipMemcpy(da, a, sizeof a, 1);
  hipMemcpy(db, b, sizeof b, 1);
  vectorAdd<<<(n + 63) / 64, 64>>>(da, db, dc, n);
  float seven = 7.0f;
  hipMemcpyToSymbol(&factor, &seven, sizeof seven, 0, 1);
  scaleByVariable<<<1, 64>>>(dc, 0);
  hipError_t error = hipGetLastError();
  hipDeviceSynchronize();
  hipMemcpy(c, dc, sizeof c, 2);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += c[i] != 1.5f * float(i) * (i < 64 ? 7.0f : 1.0f);
  hipFree(da);
  hipFree(db);
  hipFree(dc);
  printf("%s, %d of %d wrong\n", hipGetErrorString(error), wrong, n);
  return error || wrong;
}
#endif
