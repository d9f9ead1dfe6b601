// Target IDs: parsing, and which code object runs on which device.
#include "runtime/emulator/memory/TargetId.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace nstf::emulator {
namespace {

TEST(TargetId, ReadsAndWritesTheSameText) {
  for (const char *text : {"gfx942", "gfx90a:xnack-", "gfx942:sramecc+:xnack-", "gfx90a:sramecc-:xnack+"})
    EXPECT_EQ(TargetId::parse(text).str(), text);
  EXPECT_THROW(TargetId::parse("mi300x"), std::runtime_error);
  EXPECT_THROW(TargetId::parse("gfx942:xnack"), std::runtime_error);
  EXPECT_THROW(TargetId::parse("gfx942:fast+"), std::runtime_error);
  EXPECT_THROW(TargetId::parse(""), std::runtime_error);
}

TEST(TargetId, RunsWhereNothingContradicts) {
  TargetId device = TargetId::parse("gfx942:sramecc+:xnack-");
  for (const char *fits : {"gfx942", "gfx942:xnack-", "gfx942:sramecc+", "gfx942:sramecc+:xnack-", "gfx9-4-generic"})
    EXPECT_TRUE(TargetId::parse(fits).runsOn(device)) << fits;
  for (const char *not_ : {"gfx90a", "gfx942:xnack+", "gfx942:sramecc-:xnack-", "gfx950"})
    EXPECT_FALSE(TargetId::parse(not_).runsOn(device)) << not_;
}

TEST(TargetId, ReadsElfFlags) {
  // As clang-22 writes them: gfx942 any/any, gfx90a xnack off (EF_AMDGPU_MACH 0x4c and 0x3f, features of V4).
  EXPECT_EQ(TargetId::fromElfFlags(0x54c, 3).str(), "gfx942");
  EXPECT_EQ(TargetId::fromElfFlags(0x23f | 0x400, 3).str(), "gfx90a:xnack-");
  EXPECT_EQ(TargetId::fromElfFlags(0x33f | 0xc00, 4).str(), "gfx90a:sramecc+:xnack+");
  EXPECT_THROW(TargetId::fromElfFlags(0x54c, 0), std::runtime_error);
  EXPECT_THROW(TargetId::fromElfFlags(0x5ff, 3), std::runtime_error);
}

} // namespace
} // namespace nstf::emulator
