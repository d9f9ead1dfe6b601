// How long the products of a row would take on a chip: each matrix's kernel by itself, compiled, run on the emulator
// and predicted.
#pragma once

#include "compiler/compress/AdaptivePrecisionManager.h"
#include "compiler/target/Target.h"
#include "nstf/Runtime.h"

#include <map>
#include <optional>

namespace nstf {

class RowTimes {
public:
  /// Of a target's default chip. Throws std::runtime_error for an unknown one.
  explicit RowTimes(const std::string &target) : target(findTarget(target)) {}

  const std::string &getChip() const { return target.defaultChip; }
  /// Predicted microseconds of one row times a matrix that comes from memory, without what a launch costs by itself.
  /// Throws std::runtime_error where there is no emulator.
  double predict(const compress::ProductShape &product);

private:
  double run(const compress::ProductShape &product);

  Target target;
  std::optional<Backend> emulator;
  std::map<compress::ProductShape, double> known;
};

} // namespace nstf
