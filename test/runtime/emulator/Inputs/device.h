// The part of HIP's device language that the test kernels use, without ROCm's headers and device libraries. With
// -fms-extensions threadIdx.x and the like are properties that read a builtin.
#pragma once
#include <stddef.h>
#include <stdint.h>
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(most) __attribute__((amdgpu_flat_work_group_size(1, most)))

#define NSTF_INDEX(name, X, Y, Z)                                                                                      \
  struct name##_t {                                                                                                    \
    __declspec(property(get = getX)) unsigned x;                                                                       \
    __declspec(property(get = getY)) unsigned y;                                                                       \
    __declspec(property(get = getZ)) unsigned z;                                                                       \
    static __device__ __attribute__((always_inline)) unsigned getX() { return X; }                                     \
    static __device__ __attribute__((always_inline)) unsigned getY() { return Y; }                                     \
    static __device__ __attribute__((always_inline)) unsigned getZ() { return Z; }                                     \
  };                                                                                                                   \
  extern const __device__ __attribute__((weak)) name##_t name;
NSTF_INDEX(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
           __builtin_amdgcn_workitem_id_z())
NSTF_INDEX(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
           __builtin_amdgcn_workgroup_id_z())
NSTF_INDEX(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
           __builtin_amdgcn_workgroup_size_z())

static __device__ inline __attribute__((always_inline)) void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
typedef struct ihipStream_t *hipStream_t;
typedef int hipError_t;
extern "C" hipError_t hipMalloc(void **, size_t);
extern "C" hipError_t hipFree(void *);
extern "C" hipError_t hipMemcpy(void *, const void *, size_t, int);
extern "C" hipError_t hipMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
extern "C" hipError_t hipDeviceSynchronize(void);
extern "C" hipError_t hipGetLastError(void);
extern "C" const char *hipGetErrorString(hipError_t);
extern "C" hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = 0);
extern "C" hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, hipStream_t *);
extern "C" hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t, hipStream_t);
