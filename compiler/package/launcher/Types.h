// The types of a launcher's tables (LauncherTables.h); copied like the parts of Launcher.cpp, whose namespace and
// includes they have.
#pragma once

//--- types
/// What a kernel's argument points to.
struct Argument {
  Buffer buffer;
  uint64_t offset; // bytes
};
/// The argument block of a kernel holds device addresses, at the byte offsets that begin at `firstOffset`.
struct Kernel {
  const char *symbol;
  unsigned block[3]; // work items
  unsigned argumentBytes;
  unsigned firstOffset, argumentCount;
};
struct Launch {
  unsigned kernel;
  unsigned grid[3]; // workgroups
  unsigned firstArgument;
};
/// The launches of a step of minTokens to maxTokens rows, in this order.
struct Bucket {
  int minTokens, maxTokens;
  const Argument *arguments;
  const Launch *launches;
  std::size_t launchCount;
};
struct Target {
  const char *id, *codeObject;
  const unsigned *argumentOffsets;
  const Kernel *kernels;
  std::size_t kernelCount;
  const Bucket *buckets;
  std::size_t bucketCount;
};

//--- end
