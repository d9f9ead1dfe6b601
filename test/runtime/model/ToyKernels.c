// The kernels of GoodManifest's model, compiled by clang when a test runs. The cache holds one number for each
// position, table[id] of its token; the next token is their sum modulo 32, and the logits say so: the farther a token
// is from it, the lower. A table value of spoiled or more isn't added but spoils the logits from its token on: 2^24
// makes the one of token 7 NaN, 2^25 +inf, and 2^26 makes all -inf. Both kernels take tokens and position from the
// control block, words 0 and 1.

#define GLOBAL __attribute__((address_space(1)))
#define KERNEL(items) __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(items, items)))

enum { spoiled = 1 << 24 };

// One workgroup for each row of the bucket; those past the step's rows leave.
KERNEL(1) void append(const GLOBAL int *control, const GLOBAL int *ids, const GLOBAL float *table, GLOBAL int *cache) {
  int row = __builtin_amdgcn_workgroup_id_x();
  if (row >= control[0])
    return;
  cache[control[1] + row] = (int)table[ids[row]];
}

// 32 work items, one for each token of the vocabulary.
KERNEL(32)
void score(const GLOBAL int *control, const GLOBAL int *cache, GLOBAL int *sums, GLOBAL float *logits,
           GLOBAL int *next) {
  int token = __builtin_amdgcn_workitem_id_x();
  int sum = 0, spoil = 0;
  for (int i = 0; i < control[0] + control[1]; ++i)
    if (cache[i] < spoiled)
      sum += cache[i];
    else
      spoil = cache[i];
  sums[token] = sum;
  int distance = token - (sum & 31);
  float logit = (float)(-distance * distance);
  if (token == 7 && spoil == spoiled)
    logit = __builtin_nanf("");
  if (token == 7 && spoil == 2 * spoiled)
    logit = __builtin_inff();
  if (spoil == 4 * spoiled)
    logit = -__builtin_inff();
  logits[token] = logit;
  if (distance == 0)
    next[0] = token;
}
