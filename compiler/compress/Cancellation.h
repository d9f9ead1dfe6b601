// Products whose terms cancel: what is left of them is as small as what rounding their operands to 16 bits leaves.
#pragma once

#include "compiler/calibrate/LinearSites.h"
#include "compiler/calibrate/TextRunner.h"

namespace nstf::compress {

/// Watches a run: of each site the median of Σ|x·w| / |Σ x·w| over some rows of the texts and some outputs.
class Cancellation {
public:
  /// Both outlive this.
  Cancellation(const calibrate::LinearSites &found, const calibrate::Texts &texts)
      : found(found), texts(texts), medians(found.sites.size()) {}

  calibrate::TextRunner::Observer getObserver();
  /// What is to be said of a site of which more cancels than f16's digits hold, or empty. Precondition: the run is
  /// done.
  std::string findFault(size_t site) const;

private:
  const calibrate::LinearSites &found;
  const calibrate::Texts &texts;
  std::vector<double> medians;
};

} // namespace nstf::compress
