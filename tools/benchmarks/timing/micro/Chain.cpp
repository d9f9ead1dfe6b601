#include "tools/benchmarks/timing/micro/Chain.h"

#include <algorithm>

namespace nstf::emulator::timing {

void *makeChain(std::byte *memory, uint64_t bytes, uint64_t apart, uint64_t links) {
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

void *makeChain(Bench &bench, uint64_t bytes, uint64_t apart, uint64_t links) {
  return makeChain(static_cast<std::byte *>(bench.allocate(bytes)), bytes, apart, links);
}

double warm(MicroBench &bench, const std::string &kernel, uint64_t bytes, uint64_t apart) {
  const uint32_t rounds = uint32_t((bytes / apart + stepsARound - 1) / stepsARound);
  return bench.measureClocks({.kernel = kernel, .memory = makeChain(bench, bytes, apart)}, rounds, 3 * rounds,
                             stepsARound);
}

} // namespace nstf::emulator::timing
