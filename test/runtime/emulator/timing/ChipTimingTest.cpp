// Chips' constants: that the built-in ones are sound, and what is said of a file that is not.
#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "test/support/Failure.h"

#include "templates/Templates.h"
#include "test/support/TemporaryFolder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nstf;
using namespace nstf::emulator::timing;
using testing::HasSubstr;

using nstf::test::failure;

namespace {

std::string failureOf(const std::string &text) {
  return failure([&] { ChipTiming::parse(text, "chip.yaml"); });
}

/// A chip like mi300x, but for one constant.
std::string changed(const std::string &constant) {
  return "name: other\ntarget: gfx942\ndescription: what if\nbase: mi300x\nconstants:\n  " + constant + "\n";
}

TEST(ChipTiming, BuiltInChips) {
  EXPECT_THAT(ChipTiming::names(), testing::ElementsAre("mi210", "mi250x", "mi300a", "mi300x", "mi308x"));
  for (const std::string &name : ChipTiming::names()) {
    const ChipTiming &chip = ChipTiming::find(name);
    EXPECT_EQ(chip.name, name);
    EXPECT_TRUE(templateText("targets/" + chip.target + ".yaml")) << name << ": " << chip.target;
    for (const TimingField &field : timingFields()) {
      const support::ChipConstant &constant = chip.file.constants.at(field.key);
      EXPECT_EQ(field.get(chip), constant.value) << name << ": " << field.key;
      EXPECT_EQ(constant.unit, field.unit) << name << ": " << field.key;
    }
  }
}

TEST(ChipTiming, WhatTheModelDoesNotUseDescribesTheDevice) {
  for (const std::string &name : ChipTiming::names()) {
    const ChipTiming &chip = ChipTiming::find(name);
    const emulator::DeviceModel model = emulator::DeviceModel::load(chip.file);
    std::map<std::string_view, double> told = {{"memory_bytes", double(model.memoryBytes)}};
    for (const TimingField &field : timingFields())
      if (!field.isModelled) {
        EXPECT_EQ(told.at(field.key), field.get(chip)) << name << ": " << field.key;
      }
  }
}

TEST(ChipTiming, FactsOfTheChips) {
  const ChipTiming &mi300x = ChipTiming::find("mi300x"), &mi250x = ChipTiming::find("mi250x");
  EXPECT_EQ(mi300x.computeUnits, 304u);
  EXPECT_EQ(mi300x.computeUnitsPerXcd(), 38u);
  EXPECT_EQ(mi250x.computeUnits, 110u);
  // A chase through memory beyond the MALL: 868 clocks at 2.09 GHz with four of five translations missing.
  const double ns = mi300x.l2Latency / 2.09 + mi300x.mallLatencyNs + mi300x.hbmLatencyNs + 0.8 * mi300x.tlbMissNs;
  EXPECT_NEAR(ns * 2.09, 868, 10);
  EXPECT_NEAR(mi250x.l2Latency + mi250x.hbmLatencyNs * 1.7, 586, 5);
}

TEST(ChipTiming, ABaseGivesWhatTheFileDoesNotSay) {
  ChipTiming chip =
      ChipTiming::parse(changed("l2_latency: {value: 500, unit: clk, mark: U, source: what if}"), "chip.yaml");
  EXPECT_EQ(chip.name, "other");
  EXPECT_EQ(chip.l2Latency, 500u);
  EXPECT_EQ(chip.file.constants.at("l2_latency").source, "what if");
  EXPECT_EQ(chip.l1Latency, ChipTiming::find("mi300x").l1Latency);
}

TEST(ChipTiming, ChooseTakesNamesAndFiles) {
  EXPECT_EQ(ChipTiming::choose("mi250x").target, "gfx90a");
  test::TemporaryFolder folder;
  const auto path = folder.write("chip.yaml", changed("launch_ns: {value: 0, unit: ns, mark: U, source: what if}"));
  EXPECT_EQ(ChipTiming::choose(path).launchNs, 0);
  EXPECT_THAT(failure([] { ChipTiming::choose("nothing.yaml"); }), HasSubstr("nothing.yaml"));
}

TEST(ChipTiming, UnknownChipsListTheKnownOnes) {
  EXPECT_THAT(failure([] { ChipTiming::find("mi308y"); }),
              testing::AllOf(HasSubstr("mi250x"), HasSubstr("but got 'mi308y', did you mean 'mi308x'?")));
}

TEST(ChipTiming, FaultsNameTheLine) {
  auto of = [](const std::string &constant) { return failureOf(changed(constant)); };
  EXPECT_EQ(of("l2_latency: {value: -5, unit: clk, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'l2_latency' to be at least 1 but got -5");
  EXPECT_EQ(of("l2_latency: {value: 2.5, unit: clk, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'l2_latency' to be a whole number but got 2.5");
  EXPECT_EQ(of("l2_latency: {value: 1e12, unit: clk, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'l2_latency' to be at most 1000000 but got 1000000000000");
  EXPECT_EQ(of("l2_latency: {value: 5, unit: ns, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'l2_latency' in clk but got 'ns'");
  EXPECT_EQ(of("l2_latenzy: {value: 5, unit: clk, mark: U, source: x}"),
            "chip.yaml:6:3: expected a constant that is known but got 'l2_latenzy', did you mean 'l2_latency'?");
  EXPECT_EQ(of("l2_latency: {value: .nan, unit: clk, mark: U, source: x}"),
            "chip.yaml:6:23: expected a finite number but got '.nan'");
  EXPECT_EQ(of("l2_latency: {value: nan, unit: clk, mark: U, source: x}"),
            "chip.yaml:6:23: expected a finite number but got 'nan'");
  EXPECT_EQ(of("l2_latency: {value: 5, unit: clk, mark: X, source: x}"),
            "chip.yaml:6:43: expected D, M, I or U but got 'X'");
  EXPECT_THAT(of("l2_latency: {value: 5, unit: clk, mark: U}"), HasSubstr("expected the key 'source'"));
  EXPECT_EQ(of("l2_line_bytes: {value: 100, unit: B, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'l2_line_bytes' to be a power of two but got 100");
  EXPECT_EQ(of("compute_units: {value: 303, unit: count, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'compute_units' to be a multiple of the 8 XCDs but got 303");
  EXPECT_EQ(of("l1_bytes: {value: 1000, unit: B, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'l1_bytes' to be a multiple of 8192, a set of each channel but got 1000");
  EXPECT_EQ(of("mall_bytes: {value: 1099511627776, unit: B, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'mall_bytes' to be at most 536870912 but got 1099511627776");
  EXPECT_EQ(of("l2_ways: {value: 257, unit: count, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'l2_ways' to be at most 256 but got 257");
  EXPECT_EQ(of("l1_line_bytes: {value: 256, unit: B, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'l1_line_bytes' to be at most 128 but got 256");
  EXPECT_EQ(of("lds_latency: {value: 3, unit: clk, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'lds_latency' to be at least lds_read_clocks_b32, 4 but got 3");
  EXPECT_EQ(of("instruction_cache_ways: {value: 512, unit: count, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'instruction_cache_ways' to be at most 256 but got 512");
  EXPECT_EQ(of("instruction_prefetch_lines: {value: 65, unit: count, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'instruction_prefetch_lines' to be at most 64 but got 65");
  EXPECT_EQ(of("lds_ports: {value: 5, unit: count, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'lds_ports' to be at most 4 but got 5");
  EXPECT_EQ(of("lds_banks: {value: 65, unit: count, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'lds_banks' to be at most 64 but got 65");
  EXPECT_EQ(of("simds_per_compute_unit: {value: 5, unit: count, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'simds_per_compute_unit' to be at most 4 but got 5");
  EXPECT_EQ(of("simds_per_compute_unit: {value: 0, unit: count, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'simds_per_compute_unit' to be at least 1 but got 0");
  EXPECT_EQ(of("lds_bytes: {value: 2147483648, unit: B, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'lds_bytes' to be at most 1073741824 but got 2147483648");
  EXPECT_EQ(of("vmem_lanes_per_clock: {value: 0, unit: 1/clk, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'vmem_lanes_per_clock' to be at least 1 but got 0");
  EXPECT_EQ(of("vmem_bytes_per_clock: {value: 2, unit: B/clk, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'vmem_bytes_per_clock' to be at least 4 but got 2");
  EXPECT_EQ(of("l2_kernel_end: {value: 3, unit: count, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'l2_kernel_end' to be at most 2 but got 3");
  EXPECT_EQ(of("l2_kernel_end: {value: 0, unit: count, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'l2_kernel_end' to be at least 1 with 8 XCDs but got 0");
  EXPECT_EQ(of("hbm_refresh_ns: {value: 4000, unit: ns, mark: U, source: x}"),
            "chip.yaml:6:3: expected 'hbm_refresh_ns' to be less than hbm_refresh_interval_ns, 3900 but got 4000");
}

TEST(ChipTiming, RangesSayWhatAGuessMayBe) {
  const support::ChipConstant &misses = ChipTiming::find("mi300a").file.constants.at("l1_misses_in_flight");
  ASSERT_TRUE(misses.range); // the base's
  EXPECT_EQ(misses.range->lowest, 192);
  EXPECT_EQ(misses.range->highest, 512);
  EXPECT_FALSE(misses.range->why.empty());
  EXPECT_FALSE(ChipTiming::find("mi300x").file.constants.at("l2_latency").range);
}

TEST(ChipTiming, FaultsOfRangesNameTheirPlace) {
  auto of = [](const std::string &mark, const std::string &range) {
    return failureOf(changed("l2_latency: {value: 5, unit: clk, mark: " + mark + ", source: x, range: " + range + "}"));
  };
  const std::string place = "chip.yaml:6:64: ";
  EXPECT_EQ(of("I", "{lowest: 5, highest: 6, why: x}"), "no failure");
  EXPECT_EQ(of("M", "{lowest: 4, highest: 6, why: x}"), place + "expected a range beside mark I or U but got M");
  EXPECT_EQ(of("U", "{lowest: 6, highest: 4, why: x}"), place + "expected lowest to be less than highest");
  EXPECT_EQ(of("U", "{lowest: 5, highest: 5, why: x}"), place + "expected lowest to be less than highest");
  EXPECT_EQ(of("U", "{lowest: 6, highest: 9, why: x}"), place + "expected a range that holds the value");
  EXPECT_EQ(of("U", "{lowest: 1, highest: 4, why: x}"), place + "expected a range that holds the value");
  EXPECT_THAT(of("U", "{lowest: 4, highest: 6}"), HasSubstr("expected the key 'why'"));
  EXPECT_THAT(of("U", "{lowest: 4, highest: .inf, why: x}"), HasSubstr("expected a finite number but got '.inf'"));
  EXPECT_THAT(of("U", "{lowest: 4, most: 6, why: x}"), HasSubstr("but got 'most'"));
  EXPECT_THAT(of("U", "[4, 6]"), HasSubstr("expected what the constant may be: a map"));
  // Each end is a value that the model could take.
  EXPECT_EQ(of("U", "{lowest: 0, highest: 6, why: x}"),
            "chip.yaml:6:3: expected 'l2_latency' to be at least 1 but got 0");
  EXPECT_EQ(of("U", "{lowest: 4, highest: 6.5, why: x}"),
            "chip.yaml:6:3: expected 'l2_latency' to be a whole number but got 6.5");
  EXPECT_EQ(of("U", "{lowest: 4, highest: 1e9, why: x}"),
            "chip.yaml:6:3: expected 'l2_latency' to be at most 1000000 but got 1000000000");
}

TEST(ChipTiming, WithoutABaseEveryConstantIsAsked) {
  std::string text(*templateText("targets/timing/mi250x.yaml"));
  const size_t at = text.find("  l1_latency:");
  text.erase(at, text.find('\n', at) - at + 1);
  EXPECT_EQ(failureOf(text), "chip.yaml:9:3: expected the constant 'l1_latency' in clk but got none");
  EXPECT_THAT(failureOf(changed("") + "more: 1\n"), HasSubstr("but got 'more'"));
  EXPECT_EQ(failureOf("name: x\ntarget: gfx942\ndescription: x\nbase: mi1\nconstants: {}\n"),
            "chip.yaml:4:7: expected a built-in chip but got 'mi1'");
  EXPECT_EQ(failureOf("name: x\ntarget: gfx90a\ndescription: x\nbase: mi300x\nconstants: {}\n"),
            "chip.yaml:2:9: expected the base's target gfx942 but got 'gfx90a'");
}

} // namespace
