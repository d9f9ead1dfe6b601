// When a launch is settled and what the rest draws, with workgroups whose durations are given.
#include "runtime/emulator/timing/sample/Sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace nstf::emulator::timing {
namespace {

constexpr uint32_t units = 4;
constexpr double pace = 2.5; ///< clocks an instruction, where nothing else is known
constexpr uint64_t residents = 64, groups = 6400;

/// What a workgroup takes: {clocks, instructions}.
using Law = std::function<std::pair<Clocks, uint64_t>(uint64_t index)>;

/// Retires workgroups in order until the sampler is settled; returns how many.
uint64_t run(Sampler &sampler, const Law &law) {
  uint64_t index = 0;
  for (; index < groups && !sampler.settled(); ++index) {
    auto [clocks, instructions] = law(index);
    sampler.retired({index, uint32_t(index % units), 1000, 1000 + clocks, instructions});
  }
  return index;
}

/// A few percent of noise, always the same.
Clocks noise(uint64_t index) { return (index * 2654435761u >> 7) % 40; }

TEST(Sampler, AlikeRoundsSettleAfterTwo) {
  Sampler sampler(groups, residents, units, 1 << 30);
  EXPECT_EQ(run(sampler, [](uint64_t index) { return std::pair(1000 + noise(index), 500); }), 2 * residents);
  EXPECT_EQ(sampler.strata(), 1u);
  EXPECT_LT(sampler.uncertainty(), 0.005);
  EXPECT_LT(sampler.drift(), 0.01);
  double sum = 0;
  for (uint64_t index = 0; index < 1000; ++index) {
    const Clocks drawn = sampler.draw(index, 500, pace);
    EXPECT_GE(drawn, 1000u);
    EXPECT_LT(drawn, 1040u);
    EXPECT_EQ(drawn, sampler.draw(index, 500, pace)) << "the same each time";
    sum += double(drawn);
  }
  EXPECT_NEAR(sum / 1000, 1020, 5) << "and of the stratum's mean";
}

TEST(Sampler, AColdFirstRoundIsLeftOut) {
  Sampler sampler(groups, residents, units, 1 << 30);
  EXPECT_EQ(run(sampler, [](uint64_t index) { return std::pair(index < residents ? 1500 : 1000, 500); }),
            3 * residents);
  EXPECT_EQ(sampler.draw(7, 500, pace), 1000u);
}

TEST(Sampler, MemoryThatWarmsUpKeepsItFromSettling) {
  // Rounds get shorter by a tenth of what is left above 1000 clocks.
  auto warming = [](uint64_t index) { return std::pair(Clocks(1000 + 2000 * std::pow(0.9, double(index / 64))), 500); };
  Sampler sampler(groups, residents, units, 1 << 30);
  const uint64_t simulated = run(sampler, warming);
  EXPECT_GT(simulated, 15 * residents);
  EXPECT_LT(simulated, 40 * residents);
  Sampler impatient(groups, residents, units, 5 * residents * 500);
  EXPECT_EQ(run(impatient, warming), 5 * residents);
  EXPECT_GT(impatient.drift(), 0.02) << "and says so";
}

TEST(Sampler, CachesThatFillKeepItFromSettling) {
  Sampler sampler(groups, residents, units, 1 << 30);
  uint64_t index = 0;
  for (; !sampler.settled(); ++index) // slower once they are full
    sampler.retired({index, uint32_t(index % units), 0, index < 10 * residents ? 1000u : 1300u, 500},
                    index >= 10 * residents);
  EXPECT_GT(index, 11 * residents);
  EXPECT_EQ(sampler.draw(1, 500, pace), 1300u);
}

TEST(Sampler, StrataAreToldApartByTheirInstructions) {
  // As in causal attention: four kinds, as long as their instructions are many.
  auto causal = [](uint64_t index) { return std::pair(1000 * (1 + index % 4) + noise(index), 400 * (1 + index % 4)); };
  Sampler sampler(groups, residents, units, 1 << 30);
  run(sampler, causal);
  EXPECT_EQ(sampler.strata(), 4u);
  EXPECT_NEAR(double(sampler.draw(99, 1200, pace)), 3020, 20);
  EXPECT_NEAR(double(sampler.draw(99, 1000, pace)), 2520, 20) << "between two strata";
  EXPECT_EQ(sampler.draw(99, 3200, pace), 8000u) << "beyond the largest";
}

TEST(Sampler, AnUncertainStratumNeedsMoreRounds) {
  // One kind in eight lasts anything from 500 to 1500 clocks.
  auto wide = [](uint64_t index) {
    return index % 8 ? std::pair<Clocks, uint64_t>(1000, 500)
                     : std::pair<Clocks, uint64_t>(500 + (index * 2654435761u >> 7) % 1000, 900);
  };
  Sampler sampler(groups, residents, units, 1 << 30);
  EXPECT_GT(run(sampler, wide), 10 * residents);
}

TEST(Sampler, FewOfAKindDoNotSpeakForIt) {
  // Longer and longer kinds: two workgroups of the next one begin early and are slow.
  auto rising = [](uint64_t index) {
    return index < 2 * residents - 2 ? std::pair<Clocks, uint64_t>(1000, 500) : std::pair<Clocks, uint64_t>(3000, 1000);
  };
  Sampler sampler(groups, residents, units, 1);
  EXPECT_EQ(run(sampler, rising), 2 * residents);
  EXPECT_EQ(sampler.strata(), 1u);
  EXPECT_TRUE(sampler.isBeyond(1000));
  EXPECT_FALSE(sampler.isBeyond(500));
  EXPECT_EQ(sampler.draw(200, 1000, pace), 2500u) << "as all together do";
}

TEST(Sampler, EveryComputeUnitHasItsSay) {
  Sampler sampler(groups, residents, units + 1, 1 << 30);
  EXPECT_EQ(run(sampler, [](uint64_t) { return std::pair(1000, 500); }), groups) << "one never retires a workgroup";
}

TEST(Sampler, OrderOfRetirementDoesNotMatter) {
  auto law = [](uint64_t index) { return std::pair(1000 + noise(index), uint64_t(500)); };
  Sampler forward(groups, residents, units, 1 << 30), backward(groups, residents, units, 1 << 30);
  run(forward, law);
  for (uint64_t round = 0; round < 2; ++round)
    for (uint64_t i = residents; i-- > 0;) {
      const uint64_t index = round * residents + i;
      auto [clocks, instructions] = law(index);
      backward.retired({index, uint32_t(index % units), 0, clocks, instructions});
    }
  ASSERT_TRUE(backward.settled());
  for (uint64_t index = 0; index < 100; ++index)
    EXPECT_EQ(forward.draw(index, 500, pace), backward.draw(index, 500, pace));
}

} // namespace
} // namespace nstf::emulator::timing
