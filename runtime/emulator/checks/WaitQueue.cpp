#include "runtime/emulator/checks/WaitQueue.h"

#include <algorithm>

namespace nstf::emulator::checks {

/// vmcnt has six bits.
static constexpr unsigned maxVectorMemory = 63;

void ByteRanges::add(uint32_t begin, uint32_t bytes) {
  uint32_t end = begin + bytes;
  // Lanes mostly come in ascending order with adjacent ranges.
  if (!ranges.empty() && begin >= ranges.back().first && begin <= ranges.back().second) {
    ranges.back().second = std::max(ranges.back().second, end);
    return;
  }
  auto at = std::lower_bound(ranges.begin(), ranges.end(), std::pair(begin, end));
  at = ranges.insert(at, {begin, end});
  if (at != ranges.begin() && std::prev(at)->second >= at->first) {
    std::prev(at)->second = std::max(std::prev(at)->second, at->second);
    at = std::prev(ranges.erase(at));
  }
  while (std::next(at) != ranges.end() && at->second >= std::next(at)->first) {
    at->second = std::max(at->second, std::next(at)->second);
    ranges.erase(std::next(at));
  }
}

bool ByteRanges::overlaps(uint32_t begin, uint32_t bytes) const {
  auto after = std::lower_bound(ranges.begin(), ranges.end(), std::pair(begin + bytes, uint32_t(0)));
  return after != ranges.begin() && std::prev(after)->second > begin;
}

void WaitQueue::countResults(const PendingOperation &operation, int by) {
  for (const RegisterUse &use : operation.facts->writes)
    for (unsigned r = slot(use); r < slot(use) + use.count && r < pending.size(); ++r) {
      pending[r] = uint16_t(pending[r] + by);
      results += unsigned(by);
    }
}

void WaitQueue::add(PendingOperation operation, bool touchedLds, bool touchedMemory) {
  const InstructionFacts &facts = *operation.facts;
  switch (facts.kind) {
  case InstructionKind::Flat:
    // Both counters are raised; each is lowered when its unit is done. The memory part returns in the order of vector
    // memory, the lgkmcnt part at any time.
    operation.vm = touchedMemory;
    operation.lgkm = touchedLds;
    operation.vmOrdered = touchedMemory && !touchedLds;
    break;
  case InstructionKind::VectorMemory:
    operation.vm = operation.vmOrdered = facts.countsVm;
    break;
  case InstructionKind::Lds:
    operation.lgkm = operation.lgkmOrdered = facts.countsLgkm;
    break;
  default:
    operation.lgkm = facts.countsLgkm;
  }
  if (!operation.open())
    return;
  operations.push_back(std::move(operation));
  if (operations.back().lanes)
    countResults(operations.back(), 1);
  // With a full counter, this operation was issued only after an older one was done. LLVM relies on that.
  if (operations.size() > maxVectorMemory)
    wait({.vm = maxVectorMemory});
}

void WaitQueue::release(PendingOperation &operation) {
  if (operation.lanes)
    countResults(operation, -1);
  operation.lanes = 0;
}

void WaitQueue::wait(const WaitCounts &counts) {
  unsigned youngerVm = 0, youngerLgkm = 0;
  for (size_t i = operations.size(); i-- > 0;) {
    PendingOperation &operation = operations[i];
    if (operation.vm) {
      bool ordered = operation.vmOrdered;
      if (counts.vm != WaitCounts::none && counts.vm <= (ordered ? youngerVm : 0))
        operation.vm = false;
      youngerVm += ordered;
    }
    if (operation.lgkm) {
      bool ordered = operation.lgkmOrdered;
      if (counts.lgkm != WaitCounts::none && counts.lgkm <= (ordered ? youngerLgkm : 0))
        operation.lgkm = false;
      youngerLgkm += ordered;
    }
  }
  shrink();
}

void WaitQueue::shrink() {
  for (PendingOperation &operation : operations)
    if (!operation.open())
      release(operation);
  std::erase_if(operations, [](const PendingOperation &operation) { return !operation.open(); });
}

void WaitQueue::clear() {
  operations.clear();
  pending = {};
  results = 0;
}

PendingOperation *WaitQueue::find(const RegisterRange &range) {
  for (PendingOperation &operation : operations)
    if (operation.lanes)
      for (const RegisterUse &use : operation.facts->writes)
        if (use.overlaps(range))
          return &operation;
  return nullptr;
}

unsigned WaitQueue::youngerInOrder(const PendingOperation &operation, bool vmCounter) const {
  unsigned younger = 0;
  for (size_t i = operations.size(); i-- > 0 && &operations[i] != &operation;)
    younger +=
        vmCounter ? operations[i].vm && operations[i].vmOrdered : operations[i].lgkm && operations[i].lgkmOrdered;
  return younger;
}

std::string WaitQueue::neededWait(const PendingOperation &operation) const {
  std::string text = "s_waitcnt";
  if (operation.vm)
    text += " vmcnt(" + std::to_string(operation.vmOrdered ? std::min(youngerInOrder(operation, true), 62u) : 0) + ")";
  if (operation.lgkm)
    text +=
        " lgkmcnt(" + std::to_string(operation.lgkmOrdered ? std::min(youngerInOrder(operation, false), 14u) : 0) + ")";
  return text;
}

std::string WaitQueue::outstanding(const PendingOperation &operation) const {
  auto count = [&](bool PendingOperation::*counter) {
    return std::to_string(std::count_if(operations.begin(), operations.end(),
                                        [&](const PendingOperation &other) { return other.*counter; }));
  };
  std::string text;
  if (operation.vm)
    text += "vmcnt " + count(&PendingOperation::vm);
  if (operation.lgkm)
    text += (text.empty() ? "lgkmcnt " : ", lgkmcnt ") + count(&PendingOperation::lgkm);
  return text;
}

} // namespace nstf::emulator::checks
