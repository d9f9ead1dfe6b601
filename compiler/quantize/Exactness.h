// Compares the accuracy of e4m3fnuz with that of int8.
#pragma once

#include <string>

namespace nstf::quantize {

/// Which values are stored in e4m3fnuz.
struct FloatCodes {
  bool weights = false, rows = false, caches = false;
};

/// A line of text for users who chose e4m3fnuz, with figures of stories260K (tools/benchmarks/quantisation/README.md);
/// empty if nothing was chosen.
std::string compareWithInt8(const FloatCodes &chosen);

} // namespace nstf::quantize
