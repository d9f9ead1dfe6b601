// Reads weights as float64.
#pragma once

#include "compiler/reference/Tensor.h"
#include "dialects/nstf/NSTF.h"
#include "support/MappedFile.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace nstf::reference {

/// Reads each weight on its first use. A weight's numbers are those of its `type`: stored ones are rounded to it as the
/// packager does, computed tables are rounded once, random ones come from nstf/RandomWeights.h.
class WeightReader {
public:
  /// With a seed, every weight that isn't computed is random, whatever its source in the module.
  explicit WeightReader(std::optional<uint64_t> randomSeed) : randomSeed(randomSeed) {}

  /// Throws std::runtime_error if the file can't be read or is too short, and for a weight that has neither file nor
  /// formula if there is no seed.
  std::shared_ptr<Tensor> read(WeightOp weight);

private:
  void readFile(WeightOp weight, SourceAttr source, Tensor &result);

  std::optional<uint64_t> randomSeed;
  std::map<std::string, std::unique_ptr<support::MappedFile>> files;
};

} // namespace nstf::reference
