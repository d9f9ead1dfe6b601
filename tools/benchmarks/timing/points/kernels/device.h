// The little of HIP's device language that these kernels use, without ROCm's headers and libraries.
#pragma once

#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE static inline __attribute__((device, always_inline))
#define SHARED __attribute__((shared))
/// A workgroup has no more work-items than this. Only where the published kernel says so: it decides what the compiler
/// does about registers and barriers.
#define AT_MOST(items) __attribute__((amdgpu_flat_work_group_size(1, items)))

#define ITEM __builtin_amdgcn_workitem_id_x()
#define ITEM_Y __builtin_amdgcn_workitem_id_y()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define GROUP_Y __builtin_amdgcn_workgroup_id_y()
#define GROUP_Z __builtin_amdgcn_workgroup_id_z()
#define SIZE __builtin_amdgcn_workgroup_size_x()
#define SIZE_Y __builtin_amdgcn_workgroup_size_y()
/// Workgroups along x: the first of the arguments that a kernel doesn't name.
#define GROUPS (*(const __attribute__((address_space(4))) unsigned *)__builtin_amdgcn_implicitarg_ptr())
/// Number of the work-item in the grid, along x.
#define GLOBAL_ITEM (GROUP * SIZE + ITEM)

typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef unsigned uint2 __attribute__((ext_vector_type(2)));
typedef unsigned uint4 __attribute__((ext_vector_type(4)));

DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
