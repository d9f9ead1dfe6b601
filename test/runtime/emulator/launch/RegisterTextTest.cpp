// The number types that an instruction works on, derived from its name.
#include "runtime/emulator/launch/RegisterText.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;

namespace {

TEST(RegisterText, Views) {
  const struct {
    const char *name;
    NumberView read, write;
  } rows[] = {
      {"V_ADD_F32", NumberView::F32, NumberView::F32},
      {"V_ADD_U32", NumberView::Bits, NumberView::Bits},
      {"V_PK_FMA_F16", NumberView::F16, NumberView::F16},
      {"V_FMA_F64", NumberView::F64, NumberView::F64},
      {"V_CVT_F32_F16", NumberView::F16, NumberView::F32},
      {"V_CVT_F16_F32", NumberView::F32, NumberView::F16},
      {"V_CVT_I32_F64", NumberView::F64, NumberView::Bits},
      {"V_CVT_F64_U32", NumberView::Bits, NumberView::F64},
      {"V_CMP_LT_F32", NumberView::F32, NumberView::Bits},
      {"V_MFMA_F32_32X32X8F16", NumberView::F16, NumberView::F32},
      {"V_MFMA_F32_16X16X16_BF16", NumberView::BF16, NumberView::F32},
      {"V_MFMA_I32_32X32X8I8", NumberView::Bits, NumberView::Bits},
      {"V_MFMA_F64_16X16X4F64", NumberView::F64, NumberView::F64},
      {"GLOBAL_LOAD_DWORD", NumberView::Bits, NumberView::Bits},
      {"GLOBAL_ATOMIC_ADD_F32", NumberView::F32, NumberView::F32},
  };
  for (const auto &row : rows) {
    EXPECT_EQ(getNumberView(row.name, false), row.read) << row.name;
    EXPECT_EQ(getNumberView(row.name, true), row.write) << row.name;
  }
}

TEST(RegisterText, Values) {
  EXPECT_EQ(dwordText(0x3f800000, NumberView::F32), "3f800000 (1)");
  EXPECT_EQ(dwordText(0x3c00c000, NumberView::F16), "3c00c000 (-2, 1)");
  EXPECT_EQ(dwordText(0x3f80c000, NumberView::BF16), "3f80c000 (-2, 1)");
  EXPECT_EQ(dwordText(0x7fc00000, NumberView::F32), "7fc00000 (nan)");
  EXPECT_EQ(dwordText(0x12, NumberView::Bits), "00000012");
  EXPECT_EQ(pairText(0x3ff8000000000000, NumberView::F64), "3ff8000000000000 (1.5)");
  EXPECT_EQ(pairText(0x7f0012345678, NumberView::Pair), "00007f0012345678");
}

} // namespace
