#include "runtime/emulator/timing/sample/DrainSpeed.h"

#include <algorithm>
#include <cmath>

namespace nstf::emulator::timing {

size_t DrainSpeed::getPart(uint64_t residents) const {
  return std::clamp<uint64_t>((residents * parts + places - 1) / places, 1, parts) - 1;
}

void DrainSpeed::add(uint64_t residents, double clocks, uint64_t executed) {
  if (!residents)
    return;
  residentClocks[getPart(residents)] += double(residents) * clocks;
  instructions[getPart(residents)] += double(executed);
}

void DrainSpeed::finish() {
  speeds.back() = 1;
  for (size_t part = parts - 1; part-- > 0;) {
    const double more = speeds[part + 1], measured = instructions[part] / (residentClocks[part] * rate);
    const bool known = residentClocks[part] > 0 && rate > 0;
    speeds[part] = known ? std::clamp(measured, more, more * double(part + 2) / double(part + 1)) : more;
  }
}

Clocks DrainSpeed::drained(std::vector<Clocks> ends, Clocks begin) const {
  std::ranges::sort(ends);
  double time = double(begin);
  Clocks before = begin;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] <= begin)
      continue;
    time += double(ends[i] - before) / at(ends.size() - i);
    before = ends[i];
  }
  return Clocks(std::ceil(time));
}

} // namespace nstf::emulator::timing
