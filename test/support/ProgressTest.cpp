// The text of a progress line. Its appearance and removal on a terminal are tested with the tools.
#include "support/Progress.h"
#include "support/ByteSize.h"

#include <chrono>
#include <gtest/gtest.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nstf::support;

namespace {

TEST(Progress, SaysWhatIsDoneAndLeft) {
  Progress compiling("compiling for gfx942", "steps", 200);
  EXPECT_EQ(compiling.describe(0.1), "compiling for gfx942: 0 of 200 steps");
  compiling.add();
  compiling.add(49);
  EXPECT_EQ(compiling.describe(10), "compiling for gfx942: 50 of 200 steps, 30 s left");
  compiling.add(150);
  EXPECT_EQ(compiling.describe(40), "compiling for gfx942: 200 of 200 steps, 0 s left");
}

TEST(Progress, CountsBytesInTheirUnit) {
  Progress packing("packing weights", "bytes", uint64_t(15) << 30);
  packing.add(uint64_t(3) << 29);
  EXPECT_EQ(packing.describe(60), "packing weights: 1.5 of 15.0 GiB, 9 min left");
  EXPECT_EQ(packing.describe(4000), "packing weights: 1.5 of 15.0 GiB, 10 h left");
}

TEST(Progress, SaysMore) {
  Progress launch("launch 0 \x1b[31mred", "workgroups", 0, [](double) { return "5 M instructions/s"; });
  EXPECT_EQ(launch.describe(1), "launch 0 \\x1b[31mred"); // the total is not known yet
  launch.update(1, 4);
  EXPECT_EQ(launch.describe(2), "launch 0 \\x1b[31mred: 1 of 4 workgroups, 5 M instructions/s, 6 s left");
}

TEST(Progress, ShowsNothingUnlessAsked) { EXPECT_FALSE(Progress("work", "steps", 1).isShown()); }

/// The output of a process on a terminal that works for 2.5 s, and the time of its first output, in seconds.
std::pair<std::string, double> showOnTerminal() {
  int terminal;
  auto start = std::chrono::steady_clock::now();
  pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    unsetenv("NSTF_PROGRESS_AFTER");
    setenv("TERM", "xterm", 1);
    showProgress();
    {
      Progress work("work", "steps", 4);
      work.add();
      std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    }
    _exit(0);
  }
  std::string text;
  double first = 0;
  char piece[256];
  for (ssize_t size; (size = read(terminal, piece, sizeof piece)) > 0;) {
    if (text.empty())
      first = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    text.append(piece, size);
  }
  close(terminal);
  waitpid(child, nullptr, 0);
  return {text, first};
}

TEST(Progress, ComesAfterTwoSecondsAndGoes) {
  auto [text, first] = showOnTerminal();
  EXPECT_GE(first, 1.9);
  EXPECT_TRUE(text.starts_with("\r\033[Kwork: 1 of 4 steps, ")) << text;
  EXPECT_TRUE(text.ends_with(" s left\r\033[K")) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST(ByteSize, HasAUnit) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(1536), "1.5 KiB");
  EXPECT_EQ(formatBytes(uint64_t(15) << 30), "15.0 GiB");
  EXPECT_EQ(formatBytes(uint64_t(192) << 30), "192 GiB");
  EXPECT_EQ(formatBytes(uint64_t(1) << 41), "2.0 TiB");
  EXPECT_EQ(formatBytes(200 << 20, getByteUnit(uint64_t(15) << 30)), "0.2");
}

} // namespace
