#include "compiler/calibrate/Holdout.h"

#include "support/Escape.h"
#include "support/Number.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace nstf;
using namespace nstf::calibrate;

static std::optional<size_t> parseRow(std::string_view text) {
  std::optional<support::Number> number = support::Number::parse(text);
  if (!number || !number->isWhole || number->negative)
    return std::nullopt;
  return number->magnitude;
}

Holdout Holdout::parse(std::string_view text) {
  if (std::optional<support::Number> share = support::Number::parse(text);
      share && share->value >= 0 && share->value < 1)
    return Holdout(share->value);
  if (size_t dash = text.find('-'); dash != std::string_view::npos) {
    std::optional<size_t> first = parseRow(text.substr(0, dash)), last = parseRow(text.substr(dash + 1));
    if (first && last && *first <= *last) {
      Holdout holdout(0);
      holdout.rows = {*first, *last};
      return holdout;
    }
  }
  throw std::runtime_error("--holdout: expected a share from 0 to below 1, or rows as FIRST-LAST, but got '" +
                           support::escape(std::string(text)) + "'");
}

std::vector<size_t> Holdout::countFitted(const std::vector<std::vector<int32_t>> &texts) const {
  std::vector<size_t> fitted;
  for (const std::vector<int32_t> &text : texts)
    fitted.push_back(text.size());
  auto count = double(texts.size());
  if (rows) {
    auto [first, last] = *rows;
    if (last >= texts.size() || last - first + 1 == texts.size())
      throw std::runtime_error("--holdout: expected FIRST-LAST within the " + std::to_string(texts.size()) +
                               " rows that calibrate, one of them left to fit, but got '" + std::to_string(first) +
                               "-" + std::to_string(last) + "'");
    std::fill(fitted.begin() + first, fitted.begin() + last + 1, 0);
  } else if (std::floor(share * count) >= 1) {
    for (size_t i = 0; i < fitted.size(); ++i)
      if (std::floor(share * double(i + 1)) > std::floor(share * double(i)))
        fitted[i] = 0;
  } else {
    for (size_t &tokens : fitted)
      if (auto heldOut = size_t(share * double(tokens)); heldOut >= 2)
        tokens -= std::min(heldOut, tokens - 2);
  }
  return fitted;
}
