// Findings of a launch, made once a place.
//
// A mistake in a loop is seen a million times; its text is made when it is seen first, after that it is only counted.
// What was found goes to the context when the launch ends.
#pragma once

#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <unordered_map>

namespace nstf::emulator::checks {

class MemoryReport {
public:
  explicit MemoryReport(CheckContext &context) : context(context) {}
  /// The next instruction: what is found at the same place is another occurrence from now on.
  void nextAccess() { ++access; }
  /// Where it is new, `make()` gives the finding. `kind`: what is found there, a small number. `lanes` found one by one
  /// in one access are one occurrence.
  template <typename Make> void add(const MicroOp *op, unsigned kind, uint64_t lanes, Make make) {
    auto [known, isNew] = places.try_emplace(uint64_t(op->instruction) << 8 | (kind & 0xff), Place{findings.size()});
    Place &place = known->second;
    if (isNew)
      findings.push_back(make()), place.first = access;
    else if (place.last != access)
      ++findings[place.finding].count;
    place.last = access;
    if (place.first == access)
      findings[place.finding].lanes |= lanes;
  }
  /// The launch has ended.
  void flush() {
    for (Finding &finding : findings)
      context.findings.add(std::move(finding));
    findings.clear();
    places.clear();
  }

private:
  struct Place {
    size_t finding;
    uint64_t first = 0, last = 0; ///< accesses that found it
  };
  CheckContext &context;
  std::vector<Finding> findings;
  std::unordered_map<uint64_t, Place> places;
  uint64_t access = 1;
};

} // namespace nstf::emulator::checks
