// The known words that an error about an unknown word suggests.
#include "support/DidYouMean.h"

#include <gtest/gtest.h>

using namespace nstf::support;

TEST(DidYouMean, WhatIsNear) {
  EXPECT_EQ(didYouMean("vad", {"gemm", "vadd"}), ", did you mean 'vadd'?");
  EXPECT_EQ(didYouMean("--tmperature", {"--top-k", "--temperature"}), ", did you mean '--temperature'?");
  EXPECT_EQ(didYouMean("--xyzzy", {"--top-k", "--temperature"}), "");
  EXPECT_EQ(didYouMean("x", {"y"}), "") << "any letter would be near";
  EXPECT_EQ(didYouMean("", {"y"}), "");
}

TEST(DidYouMean, WhatBeginsSo) {
  EXPECT_EQ(didYouMean("--temp", {"--top-k", "--tokens", "--temperature"}), ", did you mean '--temperature'?");
  EXPECT_EQ(didYouMean("work", {"wave", "workgroup"}), ", did you mean 'workgroup'?");
  EXPECT_EQ(didYouMean("--t", {"--temperature"}), "") << "one letter says nothing";
  EXPECT_EQ(didYouMean("--j", {"--m"}), "");
  EXPECT_EQ(didYouMean("--", {"--temperature"}), "");
}

TEST(ListNames, AsManyAsALineHolds) {
  EXPECT_EQ(listNames({}), "");
  EXPECT_EQ(listNames({"a", "b", "c\n"}), "a, b, c\\n");
  const std::string many = listNames(std::vector<std::string>(1000, "name"));
  EXPECT_TRUE(many.starts_with("name, name, ")) << many;
  EXPECT_TRUE(many.ends_with(", name, … (1000 in all)")) << many;
  EXPECT_LT(many.size(), 400u);
  EXPECT_LT(listNames({std::string(100'000, 'x'), "y"}).size(), 100u) << "a long name is cut";
}
