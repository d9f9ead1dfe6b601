// A kernel for one workgroup size, whose metadata names types (OpenCL's does).
#define X(f) __builtin_amdgcn_##f##_x()
__attribute__((reqd_work_group_size(64, 2, 1))) kernel void sizes(global unsigned *out, float unused) {
  out[0] = X(workgroup_size);
  out[1] = __builtin_amdgcn_workgroup_size_y();
  out[2] = X(grid_size);
}
