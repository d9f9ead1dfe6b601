// The names of formats (WeightFormat.h).
#include "passes/nstf/WeightFormat.h"

using namespace mlir;
using namespace nstf;

std::optional<WeightFormat> nstf::parseWeightFormat(StringRef name) {
  WeightFormat format{0, 0, false};
  if (!name.consume_front("int") || name.consumeInteger(10, format.bits) ||
      !llvm::is_contained({4, 5, 6, 8}, format.bits))
    return std::nullopt;
  if (name.consume_front("_g") &&
      (name.consumeInteger(10, format.group) || !llvm::is_contained({32, 64, 128}, format.group)))
    return std::nullopt;
  format.zeros = format.group ? !name.consume_front("_sym") : name.consume_front("_asym");
  return name.empty() ? std::optional(format) : std::nullopt;
}

std::string nstf::getFormatName(IntFormatAttr format, bool zeros) {
  std::string name = "int" + std::to_string(format.getBits());
  if (!format.getGroup())
    return name + (zeros ? "_asym" : "");
  return name + "_g" + std::to_string(format.getGroup()) + (zeros ? "" : "_sym");
}

std::string nstf::getWeightFormatNames() {
  return "int4, int5, int6 or int8, a scale a row, or a scale and a zero a group: int4_g32, int4_g64, int4_g128; with "
         "_sym no zeros, of rows with _asym zeros";
}
