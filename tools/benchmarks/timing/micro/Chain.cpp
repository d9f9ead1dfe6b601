#include "tools/benchmarks/timing/micro/Chain.h"

#include <algorithm>

namespace nstf::emulator::timing {

void *makeChain(Bench &bench, uint64_t bytes, uint64_t apart, uint64_t links) {
  auto *memory = static_cast<std::byte *>(bench.allocate(bytes));
  const uint64_t places = bytes / apart;
  links = links ? std::min(links, places) : places;
  uint64_t state = 1;
  auto random = [&](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  std::vector<uint64_t> order(links);
  for (uint64_t i = 0; i < links; ++i)
    order[i] = places / links * i + random(places / links);
  for (uint64_t i = links - 1; i > 0; --i)
    std::swap(order[i], order[random(i + 1)]);
  for (uint64_t i = 0; i < links; ++i) {
    void *next = memory + order[(i + 1) % links] * apart;
    std::memcpy(memory + order[i] * apart, &next, sizeof(next));
  }
  return memory + order[0] * apart;
}

} // namespace nstf::emulator::timing
