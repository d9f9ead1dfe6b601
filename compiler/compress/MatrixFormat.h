// The format that the matrix of a linear gets: codes of a format, or numbers of a type.
#pragma once

#include "compiler/quantize/Formats.h"
#include "passes/nstf/WeightFormat.h"
#include "support/ElementType.h"

#include <span>

namespace nstf::compress {

struct MatrixFormat {
  std::string name; ///< "int4_g128", "e4m3fnuz_tensor", "f16"
  std::optional<WeightFormat> codes;
  int64_t scaleRows = 1;                                    ///< rows that share their scales; 0: all
  support::ElementType numbers = support::ElementType::F32; ///< if there are no codes

  /// Returns nothing for an unknown name.
  static std::optional<MatrixFormat> parse(llvm::StringRef name);
  /// All names that parse accepts, for a message.
  static std::string getNames(bool codesOnly = false);

  /// Precondition: the format has codes.
  quantize::Format getCodes(int64_t columns) const {
    return {unsigned(codes->bits), codes->group, columns, codes->zeros, codes->isFloat};
  }
  /// Whether a group is at most as long as a row.
  bool fits(int64_t columns) const { return !codes || codes->group <= columns; }
  bool operator==(const MatrixFormat &other) const { return name == other.name; }
};

/// Convert numbers to the precision of a tensor of this type.
std::vector<std::byte> toBytes(support::ElementType type, std::span<const double> numbers);
void roundTo(support::ElementType type, std::span<double> numbers);

} // namespace nstf::compress
