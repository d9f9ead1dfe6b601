// Finds products whose terms cancel: their sum is as small as the error of rounding their operands to 16 bits.
#pragma once

#include "compiler/calibrate/LinearSites.h"
#include "compiler/calibrate/TextRunner.h"

namespace nstf::compress {

/// Observes a run. For each site it finds the median of Σ|x·w| / |Σ x·w| over some rows of the texts and some outputs.
class Cancellation {
public:
  /// Both arguments must outlive it.
  Cancellation(const calibrate::LinearSites &found, const calibrate::Texts &texts)
      : found(found), texts(texts), medians(found.sites.size()) {}

  calibrate::TextRunner::Observer getObserver();
  /// A description if a site's terms cancel to more than f16's precision, else "". Precondition: the run has finished.
  std::string findFault(size_t site) const;

private:
  const calibrate::LinearSites &found;
  const calibrate::Texts &texts;
  std::vector<double> medians;
};

} // namespace nstf::compress
