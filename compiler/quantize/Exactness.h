// What int8 would lose where e4m3fnuz was chosen.
#pragma once

#include <string>

namespace nstf::quantize {

/// Values that are e4m3fnuz.
struct FloatCodes {
  bool weights = false, rows = false, caches = false;
};

/// A line for whoever chose them, with figures of stories260K (tools/benchmarks/quantisation/README.md); empty where
/// nothing was.
std::string compareWithInt8(const FloatCodes &chosen);

} // namespace nstf::quantize
