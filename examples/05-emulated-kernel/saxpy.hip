// y = alpha * x + y, in HIP without ROCm's headers: clang's builtins say which work-item this is.
#define __global__ __attribute__((global))

extern "C" __global__ void saxpy(float alpha, const float *x, float *y, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
#ifdef OFF_BY_ONE
  if (i <= n)
#else
  if (i < n)
#endif
    y[i] = alpha * x[i] + y[i];
}
