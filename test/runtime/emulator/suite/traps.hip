// What ends a launch with an error: a failed assertion (__builtin_trap), unreachable code, a wild pointer, an index out
// of bounds; and that the next launch works after a reset.
#include "test/runtime/emulator/suite/suite.h"

#ifdef __HIP__

#define ASSERT(condition)                                                                                              \
  do                                                                                                                   \
    if (!(condition))                                                                                                  \
      __builtin_trap();                                                                                                \
  while (0)

extern "C" __global__ void asserts(const int *in, int *out, int n) {
  int i = globalId();
  if (i >= n)
    return;
  ASSERT(in[i] >= 0);
  out[i] = in[i] * 2;
}
extern "C" __global__ void outOfBounds(int *out, int index) { out[index] = 1; }
extern "C" __global__ void wild(uint64_t address, int *out) { *out = *(const int *)address; }

#else

SUITE(traps, assertion, 1, 64, 300) {
  int n = run.size;
  std::vector<int> in(n), expected(n);
  for (int i = 0; i < n; ++i)
    expected[i] = 2 * (in[i] = int(run.random() >> 4));
  auto wrong = in;
  wrong[n / 2] = -1;
  int *out = run.room<int>(n), *right = run.upload(in);
  std::string fault = run.getFault("asserts", suite::blocksFor(n, 64), 64, run.upload(wrong), out, n);
  run.expect(fault.find("asserts") != std::string::npos && fault.find("trap") != std::string::npos, fault);
  run.launch("asserts", suite::blocksFor(n, 64), 64, right, out, n);
  run.expectEqual(run.download(out, n), expected);
}

SUITE(traps, outOfBounds, 4, 63, 1000) {
  int *out = run.upload(std::vector<int>(run.size));
  std::string fault = run.getFault("outOfBounds", 1, 1, out, run.size * 100000);
  run.expect(fault.find("outOfBounds") != std::string::npos && fault.find("store") != std::string::npos, fault);
  run.launch("outOfBounds", 1, 1, out, run.size - 1);
  std::vector<int> expected(run.size);
  expected[run.size - 1] = 1;
  run.expectEqual(run.download(out, run.size), expected);
}

SUITE(traps, wildPointer, 1) {
  int *out = run.room<int>(1);
  for (uint64_t address : {uint64_t(0), uint64_t(8), uint64_t(0x7fff12345678), ~uint64_t(0) - 7, uint64_t(1) << 47,
                           uint64_t(0xdeadbeefdeadbee0)}) {
    std::string fault = run.getFault("wild", 1, 1, address, out);
    run.expect(fault.find("wild") != std::string::npos, std::to_string(address) + ": " + fault);
  }
}
#endif
