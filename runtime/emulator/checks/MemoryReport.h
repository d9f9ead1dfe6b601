//===- MemoryReport.h - findings of a launch, made once a place --------------------------------------------------===//
//
// A mistake in a loop is seen a million times; its text is made when it is seen first, after that it is only counted.
// What was found goes to the context when the launch ends.
//
//===-------------------------------------------------------------------------------------------------------------===//
#ifndef NSTF_RUNTIME_EMULATOR_CHECKS_MEMORYREPORT_H
#define NSTF_RUNTIME_EMULATOR_CHECKS_MEMORYREPORT_H

#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <unordered_map>

namespace nstf::emulator::checks {

class MemoryReport {
public:
  explicit MemoryReport(CheckContext &context) : context(context) {}
  /// Whether this is new: then `make()` gives the finding. `kind`: what is found there, a small number.
  template <typename Make> void add(const MicroOp *op, unsigned kind, Make make) {
    auto [known, isNew] = places.try_emplace(uint64_t(op->instruction) << 8 | kind, findings.size());
    if (isNew)
      findings.push_back(make());
    else
      ++findings[known->second].count;
  }
  /// The launch has ended.
  void flush() {
    for (Finding &finding : findings)
      context.findings.add(std::move(finding));
    findings.clear();
    places.clear();
  }

private:
  CheckContext &context;
  std::vector<Finding> findings;
  std::unordered_map<uint64_t, size_t> places;
};

} // namespace nstf::emulator::checks

#endif
