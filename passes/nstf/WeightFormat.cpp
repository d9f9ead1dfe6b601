// Names of weight formats (WeightFormat.h).
#include "passes/nstf/WeightFormat.h"

using namespace mlir;
using namespace nstf;

std::optional<WeightFormat> nstf::parseWeightFormat(StringRef name) {
  WeightFormat format{8, 0, false};
  format.isFloat = name.consume_front("e4m3fnuz");
  if (!format.isFloat && (!name.consume_front("int") || name.consumeInteger(10, format.bits) ||
                          !llvm::is_contained({4, 5, 6, 8}, format.bits)))
    return std::nullopt;
  if (name.consume_front("_g") &&
      (name.consumeInteger(10, format.group) || !llvm::is_contained({32, 64, 128}, format.group)))
    return std::nullopt;
  if (!format.isFloat)
    format.zeros = format.group ? !name.consume_front("_sym") : name.consume_front("_asym");
  return name.empty() ? std::optional(format) : std::nullopt;
}

CodeFormat WeightFormat::getAttr(MLIRContext *context, int64_t columns) const {
  auto scale = Float16Type::get(context);
  if (isFloat)
    return FloatFormatAttr::get(context, Float8E4M3FNUZType::get(context), group, columns, scale);
  return IntFormatAttr::get(context, bits, group, columns, scale);
}

std::string nstf::getFormatName(CodeFormat format, bool zeros) {
  std::string group = format.getGroup() ? "_g" + std::to_string(format.getGroup()) : "";
  if (format.getNumberType())
    return "e4m3fnuz" + group;
  return "int" + std::to_string(format.getBits()) + group +
         (format.getGroup() ? zeros ? "" : "_sym"
          : zeros           ? "_asym"
                            : "");
}

std::string nstf::getWeightFormatNames() {
  return "int4, int5, int6 or int8, a scale a row, or a scale and a zero a group: int4_g32, int4_g64, int4_g128; with "
         "_sym no zeros, of rows with _asym zeros; or e4m3fnuz, of groups e4m3fnuz_g128";
}
