// What of a calibration's texts is held out: kept out of all that is fitted, so that a promise can be measured on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace nstf::calibrate {

/// A share of the rows, which are spread over all of them, or some rows. A row is a text.
class Holdout {
public:
  /// "0.25", or "12-15" for rows from 0. Throws std::runtime_error for anything else.
  static Holdout parse(std::string_view text);
  static Holdout quarter() { return Holdout(0.25); }

  bool isNone() const { return !rows && share == 0; }
  /// Of each text how many tokens, from its beginning, are fitted. Of so few texts that the share is none of them, the
  /// end of each is held out, where that is two tokens and leaves two. Throws std::runtime_error where the rows aren't
  /// there, or are all there are.
  std::vector<size_t> countFitted(const std::vector<std::vector<int32_t>> &texts) const;

private:
  explicit Holdout(double share) : share(share) {}

  double share;
  std::optional<std::pair<size_t, size_t>> rows = {}; ///< first and last, in place of a share
};

} // namespace nstf::calibrate
