// A computation in a separate process: its result, and that threads of this process do not block it.
#include "compiler/driver/RunApart.h"

#include <atomic>
#include <cmath>
#include <csignal>
#include <gtest/gtest.h>
#include <stdexcept>
#include <tbb/parallel_for.h>
#include <unistd.h>

using namespace nstf;
using Json = nlohmann::ordered_json;

namespace {

int64_t countInParallel(int64_t turns) {
  std::atomic<int64_t> count = 0;
  tbb::parallel_for(0, 200, [&](int i) {
    double sum = 0;
    for (int64_t turn = 0; turn < turns; ++turn)
      sum += std::sin(double(turn * i));
    count += std::isfinite(sum);
  });
  return count;
}

TEST(RunApart, GivesWhatIsReturned) {
  EXPECT_EQ(runApart("counted", [] { return Json{{"a", {1, 2.5, "x"}}}; }), (Json{{"a", {1, 2.5, "x"}}}));
}

TEST(RunApart, TellsErrorsAndSignals) {
  EXPECT_EQ(runApart("counted", []() -> Json { throw std::runtime_error("no"); }), (Json{{"error", "no"}}));
  Json ended = runApart("counted", []() -> Json {
    raise(SIGKILL);
    return {};
  });
  EXPECT_NE(ended["error"].get<std::string>().find("the process that counted was ended by signal 9"), std::string::npos)
      << ended;
}

/// A child has none of its parent's threads. One of about three hundred waited for them; here an alarm ends such a
/// child.
TEST(RunApart, ComputesInParallelAfterItsParentDid) {
  for (int round = 0; round < 600; ++round) {
    ASSERT_EQ(countInParallel(2000), 200);
    Json got = runApart("counted", [] {
      alarm(20);
      return Json(countInParallel(500));
    });
    ASSERT_EQ(got, Json(200)) << "round " << round;
  }
}

} // namespace
