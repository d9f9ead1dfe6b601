// Workgroups in an order, and at places, that the test chooses.
#include "runtime/emulator/run/LaunchDriver.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "test/runtime/emulator/run/Kernels.h"

#include <gtest/gtest.h>
#include <set>
#include <tuple>

using namespace nstf::emulator;
using namespace nstf::emulator::test;

namespace {

const char *source = R"(
// By wave: the order in which it came, where it is, what time it is.
kernel void look(global uint *counter, global uint *out) {
  uint wave = get_global_id(0) / 64;
  if (get_local_id(0) % 64 == 0) {
    out[wave * 4] = ATOMIC(fetch_add, counter, 1u);
    out[wave * 4 + 1] = __builtin_amdgcn_s_getreg(4 | 31 << 11); // HW_ID
    out[wave * 4 + 2] = (uint)__builtin_amdgcn_s_memtime();
    out[wave * 4 + 3] = (uint)__builtin_amdgcn_s_memrealtime();
  }
}
)";

class LaunchDriverTest : public testing::TestWithParam<const char *> {};

TEST_P(LaunchDriverTest, PlacesGoRoundTheChip) {
  const DeviceModel &model = DeviceModel::of(GetParam());
  std::set<std::tuple<uint32_t, uint32_t>> units;
  for (uint64_t group = 0; group < model.computeUnits; ++group) {
    ChipPlace place = placeInTurn(model, group, 6);
    EXPECT_EQ(place.xcd, group % model.xcds) << "workgroups go round the dies";
    EXPECT_EQ(place.simd, 2u) << "wave 6: the third SIMD's second slot";
    EXPECT_EQ(place.slot, 1u);
    units.emplace(place.xcd, place.computeUnit);
  }
  EXPECT_EQ(units.size(), model.computeUnits) << "no two on the same compute unit";
}

class FixedClock : public ClockSource {
public:
  uint64_t now = 0;

private:
  uint64_t coreClocks(Wave &) override { return now; }
  uint64_t realTime(Wave &) override { return now / 21; }
};

TEST_P(LaunchDriverTest, OrderPlacesAndTimeAreTheDrivers) {
  CompiledKernels kernels(GetParam(), source, "-O2");
  uint32_t *counter = upload<uint32_t>(kernels.memory, {0});
  uint32_t *out = upload(kernels.memory, std::vector<uint32_t>(3 * 2 * 4, ~0u));
  PackedLaunch packed = pack(kernels, "look", {3}, {128}, 0, {getBytes(counter), getBytes(out)});
  LaunchOptions options;
  LaunchDriver driver(kernels.target, kernels.memory, packed.launch, options);
  ASSERT_EQ(driver.groups(), 3u);
  EXPECT_EQ(driver.residents(), 3u);
  FixedClock clock;
  driver.setClock(clock);
  for (uint64_t group : {2, 0, 1}) {
    clock.now += 2100;
    const ChipPlace places[] = {{0, uint32_t(group) + 1, 3, 1}, {0, uint32_t(group) + 1, 0, 2}};
    std::unique_ptr<ResidentGroup> resident = driver.begin(group, places);
    while (resident->run() != Turn::Ended)
      ;
    driver.retire(std::move(resident));
  }
  const uint32_t came[] = {1, 2, 0}; // position in that order, by workgroup
  for (uint32_t group = 0; group < 3; ++group)
    for (uint32_t wave = 0; wave < 2; ++wave) {
      const uint32_t *seen = out + (group * 2 + wave) * 4;
      EXPECT_EQ(seen[0], came[group] * 2 + wave);
      EXPECT_EQ(seen[1], (wave ? 2 | 0 << 4 : 1 | 3 << 4) | (group + 1) << 8);
      EXPECT_EQ(seen[2], (came[group] + 1) * 2100);
      EXPECT_EQ(seen[3], (came[group] + 1) * 100);
    }
}

TEST_P(LaunchDriverTest, NothingToRun) {
  CompiledKernels kernels(GetParam(), source, "-O2");
  uint32_t *memory = upload<uint32_t>(kernels.memory, {0});
  PackedLaunch packed = pack(kernels, "look", {0}, {64}, 0, {getBytes(memory), getBytes(memory)});
  LaunchOptions options;
  EXPECT_EQ(LaunchDriver(kernels.target, kernels.memory, packed.launch, options).groups(), 0u);
}

INSTANTIATE_TEST_SUITE_P(, LaunchDriverTest, testing::Values("gfx90a", "gfx942"));

} // namespace
