// Findings of a launch, each made once a place.
//
// A mistake in a loop occurs a million times. Its text is made at the first occurrence; later ones are only counted.
// The findings are passed to the context when the launch ends.
#pragma once

#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <unordered_map>

namespace nstf::emulator::checks {

class PlaceReport {
public:
  explicit PlaceReport(CheckContext &context) : context(context) {}
  /// Begins the next instruction: a finding at a known place is now another occurrence.
  void nextAccess() { ++access; }
  /// Adds a finding; if its place is new, `make()` creates it. `kind`: a small number that distinguishes findings at
  /// one place. `lanes` that are found one by one in one access count as one occurrence.
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
  /// Called when the launch has ended.
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
