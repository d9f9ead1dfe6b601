// The part of a calibration's texts that is held out: excluded from all fitting, so that an error can be measured on
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace nstf::calibrate {

/// A share of the rows, spread evenly, or a range of rows. A row is a text.
class Holdout {
public:
  /// "0.25", or "12-15" for rows counted from 0. Throws std::runtime_error for anything else.
  static Holdout parse(std::string_view text);
  static Holdout quarter() { return Holdout(0.25); }

  bool isNone() const { return !rows && share == 0; }
  /// How many of each text's first tokens are fitted. If the share of the texts is less than one text, the end of each
  /// text is held out, if that is at least two tokens; two tokens are always left. Throws std::runtime_error if the
  /// rows don't exist, or are all rows.
  std::vector<size_t> countFitted(const std::vector<std::vector<int32_t>> &texts) const;

private:
  explicit Holdout(double share) : share(share) {}

  double share;
  std::optional<std::pair<size_t, size_t>> rows = {}; ///< first and last, instead of a share
};

} // namespace nstf::calibrate
