#include "runtime/emulator/checks/FindingList.h"

#include <algorithm>

namespace nstf::emulator::checks {

void FindingList::add(Finding finding) {
  if (finding.isAdvice) {
    auto known = std::ranges::find(advice, finding.rule, &Finding::rule);
    if (known == advice.end())
      advice.push_back(std::move(finding));
    else
      known->count += finding.count;
    return;
  }
  // A kernel that is loaded again has other addresses, but the same offsets.
  const Key key{finding.kernel, finding.kernel.empty() ? finding.pc : finding.offset, finding.check, finding.rule};
  auto place = places.find(key);
  if (place == places.end()) {
    if (places.size() >= maxPlaces) {
      ++left;
      return;
    }
    places[key] = {findings.size()};
    findings.push_back(std::move(finding));
    return;
  }
  std::vector<size_t> &here = place->second;
  auto same = std::ranges::find_if(here, [&](size_t i) { return findings[i].what == finding.what; });
  if (same == here.end() || same != here.begin())
    findings[here.front()].others += finding.count;
  if (same != here.end()) {
    findings[*same].count += finding.count;
  } else if (here.size() <= othersAtPlace) {
    here.push_back(findings.size());
    finding.isFirst = false;
    findings.push_back(std::move(finding));
  }
}

} // namespace nstf::emulator::checks
