// Which of several candidates of similar speed is chosen, and what a journal records.
#include "tools/nstf-tune/Search.h"

#include "support/MappedFile.h"
#include "support/WriteFile.h"
#include "test/support/TemporaryFolder.h"
#include <gtest/gtest.h>

namespace nstf::tune {
namespace {

Timed timed(int64_t BM, double us, int64_t registers = 64, int64_t lds = 1024, bool isOfRow = false, double worst = 0) {
  Timed one;
  one.candidate.parameters = {{"BM", BM}};
  one.trial = {us, registers, lds, ""};
  one.isOfRow = isOfRow;
  one.worst = worst;
  return one;
}

/// BM of the best candidate, then of the others in order.
std::vector<int64_t> choose(std::vector<Timed> all) {
  std::vector<Timed> sorted = sortByTime(std::move(all));
  chooseBest(sorted, countAlike(sorted));
  std::vector<int64_t> sizes;
  for (const Timed &one : sorted)
    sizes.push_back(one.candidate.parameters.at("BM"));
  return sizes;
}

using Sizes = std::vector<int64_t>;

TEST(Search, TheFastestByMoreThanTheTieBandIsTaken) {
  EXPECT_EQ(choose({timed(16, 10.3, 8), timed(32, 10.0, 128), timed(64, 12, 8)}), (Sizes{32, 16, 64}));
  EXPECT_EQ(choose({}), Sizes{});
}

TEST(Search, OfThoseThatAreAlike) {
  // A better worst-case time counts if it is better by more than 1 %,
  EXPECT_EQ(choose({timed(16, 10, 8, 0, true, 12), timed(32, 10.1, 128, 9, false, 11)}), (Sizes{32, 16}));
  EXPECT_EQ(choose({timed(16, 10, 8, 0, false, 11.1), timed(32, 10.1, 128, 0, false, 11)}), (Sizes{16, 32}));
  // then fewest registers, least LDS, the existing row, the text.
  EXPECT_EQ(choose({timed(16, 10, 64), timed(32, 10.1, 32, 4096)}), (Sizes{32, 16}));
  EXPECT_EQ(choose({timed(16, 10, 64, 1024), timed(32, 10.1, 64, 512)}), (Sizes{32, 16}));
  EXPECT_EQ(choose({timed(16, 10), timed(32, 10.1, 64, 1024, true), timed(64, 10.2)}), (Sizes{32, 16, 64}));
  EXPECT_EQ(choose({timed(32, 10), timed(16, 10.1)}), (Sizes{16, 32}));
}

TEST(Search, WhatDoesNotCompileIsNone) {
  Timed wrong = timed(16, 1);
  wrong.trial.fault = "expected another one";
  EXPECT_EQ(choose({wrong, timed(32, 10)}), Sizes{32});
}

TEST(Journal, KnowsWhatWasFound) {
  test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "x.journal";
  {
    Journal journal(file, "one", /*resumes=*/true);
    EXPECT_FALSE(journal.find("BM=16"));
    journal.add("BM=16", {0.1, 62, 1024, ""});
    journal.add("BM=32", {0, 0, 0, "expected a tab but got \t"});
  }
  Journal journal(file, "one", /*resumes=*/true);
  ASSERT_TRUE(journal.find("BM=16"));
  EXPECT_EQ(journal.find("BM=16")->microseconds, 0.1); // exact to the last bit
  EXPECT_EQ(journal.find("BM=16")->registers, 62);
  EXPECT_TRUE(journal.find("BM=16")->isValid());
  EXPECT_EQ(journal.find("BM=32")->fault, "expected a tab but got \\t");
  journal.remove();
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Journal, IsOfOneSearch) {
  test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "x.journal";
  auto begin = [&] { Journal(file, "one", false).add("BM=16", {1, 2, 3, ""}); };
  begin();
  EXPECT_FALSE(Journal(file, "another", true).find("BM=16"));
  begin();
  EXPECT_FALSE(Journal(file, "one", false).find("BM=16"));
  begin();
  // Invalid lines are ignored.
  support::writeFile(file, support::readTextFile(file) + "BM=32\tsoon\t1\t2\t\nBM=64\t0x1p+1");
  Journal journal(file, "one", true);
  EXPECT_TRUE(journal.find("BM=16"));
  EXPECT_FALSE(journal.find("BM=32"));
  EXPECT_FALSE(journal.find("BM=64"));
}

} // namespace
} // namespace nstf::tune
