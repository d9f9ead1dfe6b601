#include "runtime/emulator/launch/RegisterText.h"

#include "nstf/FloatTypes.h"

#include <bit>
#include <charconv>
#include <cstdio>

namespace nstf::emulator {
namespace {

/// By the type at the end of a part of a name: "_F32", "_16X16X16F16".
NumberView viewOfSuffix(std::string_view type) {
  struct Row {
    std::string_view suffix;
    NumberView view;
  };
  constexpr Row rows[] = {
      {"BF16", NumberView::BF16}, {"F16", NumberView::F16}, {"F32", NumberView::F32}, {"F64", NumberView::F64}};
  for (const Row &row : rows)
    if (type.find(row.suffix) != type.npos)
      return row.view;
  return NumberView::Bits;
}

} // namespace

std::string floatText(double value) {
  char text[32];
  auto [end, error] = std::to_chars(text, text + sizeof text, float(value));
  return std::string(text, end);
}

NumberView getNumberView(std::string_view name, bool isResult) {
  if (name.starts_with("V_CMP")) // writes a mask
    return isResult ? NumberView::Bits : viewOfSuffix(name);
  // V_CVT_F32_F16: result first. V_MFMA_F32_32X32X8_F16: result first, sources last.
  bool isConversion = name.starts_with("V_CVT_"),
       isMatrix = name.starts_with("V_MFMA_") || name.starts_with("V_SMFMAC_");
  if (!isConversion && !isMatrix)
    return viewOfSuffix(name);
  size_t last = name.rfind('_'), first = name.find('_', 2);
  if (last == name.npos || first == name.npos || first >= last)
    return viewOfSuffix(name);
  return isResult ? viewOfSuffix(name.substr(first, name.find('_', first + 1) - first))
                  : viewOfSuffix(name.substr(last));
}

std::string dwordText(uint32_t bits, NumberView view) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", bits);
  switch (view) {
  case NumberView::F32:
    return std::string(text) + " (" + floatText(std::bit_cast<float>(bits)) + ")";
  case NumberView::F16:
    return std::string(text) + " (" + floatText(widenF16(uint16_t(bits))) + ", " +
           floatText(widenF16(uint16_t(bits >> 16))) + ")";
  case NumberView::BF16:
    return std::string(text) + " (" + floatText(widenBF16(uint16_t(bits))) + ", " +
           floatText(widenBF16(uint16_t(bits >> 16))) + ")";
  default:
    return text;
  }
}

std::string pairText(uint64_t bits, NumberView view) {
  std::string text = maskText(bits);
  if (view != NumberView::F64)
    return text;
  char number[32];
  auto [end, error] = std::to_chars(number, number + sizeof number, std::bit_cast<double>(bits));
  return text + " (" + std::string(number, end) + ")";
}

std::string scalarText(const Wave &wave, const RegisterRange &range) {
  std::string text;
  for (unsigned i = 0; i < range.count && range.first + i < sgpr::count; ++i)
    text += (i ? " " : "") + dwordText(wave.scalars[range.first + i], NumberView::Bits);
  return text;
}

std::string maskText(uint64_t mask) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(mask));
  return text;
}

} // namespace nstf::emulator
