// The earlier steps for which a step must wait (StepOrder.h).
#include "compiler/driver/StepOrder.h"

#include "llvm/ADT/BitVector.h"

using namespace nstf;

static bool conflict(const MemoryTouch &left, const MemoryTouch &right) {
  return left.buffer == right.buffer && (left.isWrite || right.isWrite) && left.begin < right.end &&
         right.begin < left.end;
}

static bool conflict(const std::vector<MemoryTouch> &left, const std::vector<MemoryTouch> &right) {
  for (const MemoryTouch &a : left)
    for (const MemoryTouch &b : right)
      if (conflict(a, b))
        return true;
  return false;
}

std::vector<std::vector<uint32_t>> nstf::orderSteps(const std::vector<std::vector<MemoryTouch>> &steps) {
  std::vector<std::vector<uint32_t>> direct(steps.size());
  std::vector<llvm::BitVector> all; // direct and indirect dependences
  for (size_t i = 0; i < steps.size(); ++i) {
    all.emplace_back(steps.size());
    // From the latest step backwards: steps for which a listed step already waits are skipped.
    for (int j = all[i].find_prev_unset(i); j >= 0; j = all[i].find_prev_unset(j)) {
      if (!conflict(steps[i], steps[j]))
        continue;
      direct[i].insert(direct[i].begin(), j);
      all[i].set(j);
      all[i] |= all[j];
    }
  }
  return direct;
}
