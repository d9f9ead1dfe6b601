// The names of formats of quantised weights: nstf-quantize-weights' option, nstfc's --quantize, and the manifest's.
#pragma once

#include "dialects/nstf/NSTF.h"

#include <optional>
#include <string>

namespace nstf {

/// "int4_g128": the bits and the elements of a group ("int8" alone: the row). The suffix "_sym" means groups without
/// zeros, "_asym" rows with zeros. "e4m3fnuz", "e4m3fnuz_g128": floats, which have no zeros.
struct WeightFormat {
  int64_t bits, group;
  bool zeros, isFloat = false;

  CodeFormat getAttr(mlir::MLIRContext *context, int64_t columns) const;
};

/// nullopt for an unknown name.
std::optional<WeightFormat> parseWeightFormat(llvm::StringRef name);
std::string getFormatName(CodeFormat format, bool zeros);
/// All names that parseWeightFormat accepts, for a message.
std::string getWeightFormatNames();

} // namespace nstf
