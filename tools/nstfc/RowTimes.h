// Predicts how long the products of one row take on a chip: each matrix's kernel is compiled alone, run on the emulator
// and timed.
#pragma once

#include "compiler/compress/AdaptivePrecisionManager.h"
#include "compiler/target/Target.h"
#include "nstf/Runtime.h"

#include <map>
#include <optional>

namespace nstf {

class RowTimes {
public:
  /// For the target's default chip. Throws std::runtime_error for an unknown target.
  explicit RowTimes(const std::string &target) : target(findTarget(target)) {}

  const std::string &getChip() const { return target.defaultChip; }
  /// Predicted microseconds of one row times a matrix that is read from memory, without the launch's own cost. Throws
  /// std::runtime_error if there is no emulator.
  double predict(const compress::ProductShape &product);

private:
  double run(const compress::ProductShape &product);

  Target target;
  std::optional<Backend> emulator;
  std::map<compress::ProductShape, double> known;
};

} // namespace nstf
