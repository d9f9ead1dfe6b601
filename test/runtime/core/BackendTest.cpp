// Which devices a backend opens, and what it says when something is missing. Each case runs in a process of its own,
// because a process has one emulator.
#include "nstf/Runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <unistd.h>

namespace nstf {
namespace {
using testing::HasSubstr;

std::string failure(const std::function<void()> &action) {
  try {
    action();
    return "";
  } catch (const Error &error) {
    return error.what();
  }
}

TEST(DeviceKind, WordsAreReadAndWritten) {
  for (DeviceKind kind : {DeviceKind::Auto, DeviceKind::HIP, DeviceKind::Emulator})
    EXPECT_EQ(parseDeviceKind(toString(kind)), kind);
  EXPECT_THAT(failure([] { parseDeviceKind("cuda"); }), HasSubstr("auto, hip or emulator but got \"cuda\""));
}

TEST(TargetRunsOn, ProcessorAndFixedFeatures) {
  const char *device = "gfx942:sramecc+:xnack-";
  EXPECT_TRUE(targetRunsOn("gfx942", device));
  EXPECT_TRUE(targetRunsOn("gfx942:xnack-", device));
  EXPECT_TRUE(targetRunsOn("gfx942:sramecc+:xnack-", device));
  EXPECT_FALSE(targetRunsOn("gfx942:xnack+", device));
  EXPECT_FALSE(targetRunsOn("gfx942:sramecc-", device));
  EXPECT_FALSE(targetRunsOn("gfx90a", device));
  EXPECT_FALSE(targetRunsOn("gfx94", device));
  EXPECT_TRUE(targetRunsOn("gfx942:xnack+", "gfx942")) << "a device that says nothing contradicts nothing";
}

TEST(Error, HoldsCauseAndFix) {
  Error error("it broke", "repair it");
  EXPECT_STREQ(error.what(), "it broke (repair it)");
  EXPECT_EQ(error.cause(), "it broke");
  EXPECT_EQ(error.fix(), "repair it");
  EXPECT_STREQ(Error("it broke").what(), "it broke");
}

// EXPECT_EXIT runs the statement in a child process.
#define IN_OWN_PROCESS(statement, says) EXPECT_EXIT({ statement; }, testing::ExitedWithCode(0), says)

void report(const std::string &text) {
  std::fputs((text + "\n").c_str(), stderr);
  std::_Exit(0);
}

TEST(Backend, EmulatorIsTheChipAskedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char *target : {"gfx90a", "gfx942"})
    IN_OWN_PROCESS(
        {
          Backend backend = Backend::open(DeviceKind::Emulator, target);
          report(std::string(toString(backend.kind())) + " " + backend.targetId());
        },
        std::string("emulator ") + target + ":sramecc.:xnack-");
}

TEST(Backend, EnvironmentNamesTheChipWhereNobodyElseDoes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  IN_OWN_PROCESS(
      {
        setenv("NSTF_EMU_TARGET", "gfx90a", 1);
        report(Backend::open(DeviceKind::Emulator).targetId());
      },
      "gfx90a");
}

TEST(Backend, TheChipAskedForGoesBeforeTheEnvironmentsWhichStays) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  IN_OWN_PROCESS(
      {
        setenv("NSTF_EMU_TARGET", "gfx942", 1);
        const std::string chip = Backend::open(DeviceKind::Emulator, "gfx90a").targetId();
        report(chip + " " + std::getenv("NSTF_EMU_TARGET"));
      },
      "gfx90a:sramecc.:xnack- gfx942");
}

TEST(Backend, SecondChipInOneProcessIsRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  IN_OWN_PROCESS(
      {
        Backend backend = Backend::open(DeviceKind::Emulator, "gfx90a");
        Backend again = Backend::open(DeviceKind::Emulator, "gfx90a");
        report(failure([] { Backend::open(DeviceKind::Emulator, "gfx942"); }));
      },
      "emulator of this process is a gfx90a.*two processes");
}

TEST(Backend, UnknownChipIsAnError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  IN_OWN_PROCESS(report(failure([] { Backend::open(DeviceKind::Emulator, "gfx1234"); })), "gfx1234.*gfx90a, gfx942");
}

TEST(Backend, MissingEmulatorSaysWhereItWasSought) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  IN_OWN_PROCESS(
      {
        setenv("NSTF_EMULATOR_LIBRARY", "/no/such/libamdhip64.so", 1);
        report(failure([] { Backend::open(DeviceKind::Emulator); }));
      },
      "/no/such/libamdhip64.so.*NSTF_EMULATOR_LIBRARY");
}

// Without a GPU `hip` is an error that says whether the library or the GPU is missing, and `auto` is the emulator.
TEST(Backend, HipWithoutGpuSaysWhatIsMissing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  if (access("/dev/kfd", F_OK) == 0)
    GTEST_SKIP() << "this machine has a GPU";
  IN_OWN_PROCESS(report(failure([] { Backend::open(DeviceKind::HIP); })),
                 "(HIP library .* found, but no GPU answers|no HIP library was found).*--device=emulator");
  IN_OWN_PROCESS(report(toString(Backend::open(DeviceKind::Auto).kind())), "emulator");
}

TEST(Backend, PackagesForOtherChipsAreRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  IN_OWN_PROCESS(
      {
        Backend backend = Backend::open(DeviceKind::Emulator, "gfx942");
        std::string chosen = backend.requireTarget({"gfx90a", "gfx942:xnack-", "gfx942"}, "package p");
        report(chosen + " " + failure([&] { backend.requireTarget({"gfx90a", "gfx1100"}, "package p"); }));
      },
      "gfx942:xnack- package p holds code for gfx90a, gfx1100, but the device is a "
      "gfx942:sramecc.:xnack-.*--target=gfx942");
}

} // namespace
} // namespace nstf
