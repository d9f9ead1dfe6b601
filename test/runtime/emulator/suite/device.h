// What the suite's device code uses of HIP in addition to Inputs/device.h: lanes of a wave, atomics, vectors, bit
// casts.
#pragma once
#include "test/runtime/emulator/Inputs/device.h"

#define INLINE static __device__ inline __attribute__((always_inline))
#define NOINLINE static __device__ __attribute__((noinline))

template <typename T, int n> using Vector = T __attribute__((ext_vector_type(n)));
typedef Vector<float, 4> float4;
typedef Vector<float, 16> float16;
typedef Vector<_Float16, 2> half2;
typedef Vector<_Float16, 4> half4;
typedef Vector<_Float16, 8> half8;
typedef Vector<int, 2> int2;
typedef Vector<int, 4> int4;
typedef Vector<short, 2> short2;
typedef Vector<short, 4> short4;
typedef Vector<short, 8> short8;
typedef Vector<unsigned, 4> uint4;

template <typename To, typename From> INLINE To bits(From value) { return __builtin_bit_cast(To, value); }

INLINE unsigned laneId() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
INLINE unsigned globalId() { return blockIdx.x * blockDim.x + threadIdx.x; }
INLINE unsigned gridSize() { return __builtin_amdgcn_grid_size_x(); }
INLINE uint64_t ballot(bool condition) { return __builtin_amdgcn_ballot_w64(condition); }

// HIP's __shfl and related functions, on any 32-bit type.
template <typename T> INLINE T shuffle(T value, int lane) {
  return bits<T>(__builtin_amdgcn_ds_bpermute(lane << 2, bits<int>(value)));
}
template <typename T> INLINE T shuffleXor(T value, int mask) { return shuffle(value, int(laneId()) ^ mask); }

#define ATOMIC(name, pointer, ...) __scoped_atomic_##name(pointer, __VA_ARGS__, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define ATOMIC_LOAD_ACQUIRE(pointer) __scoped_atomic_load_n(pointer, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE)
#define ATOMIC_STORE_RELEASE(pointer, value)                                                                           \
  __scoped_atomic_store_n(pointer, value, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE)

/// Whoever in the device sees this work-item's later writes also sees its earlier ones.
INLINE void threadFence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
