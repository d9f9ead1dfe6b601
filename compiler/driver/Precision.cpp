// What --precision=auto comes to (Precision.h).
#include "compiler/driver/Precision.h"
#include "dialects/nstf/NSTF.h"

using namespace mlir;
using namespace nstf;

namespace {

/// A type as files and people name it, and the one products are computed in.
struct KnownType {
  StringLiteral stored, config, precision;
};

} // namespace

/// The first of equals wins.
static constexpr KnownType knownTypes[] = {
    {"f32", "float32", "f32"}, {"bf16", "bfloat16", "bf16"}, {"f16", "float16", "f16"}, {"f64", "float64", "f32"}};

static uint64_t countBytes(ModuleOp model, StringRef stored) {
  uint64_t bytes = 0;
  for (WeightOp weight : model.getOps<WeightOp>()) {
    auto tensor = cast<RankedTensorType>(weight.getType());
    std::optional<SourceAttr> source = weight.getSource();
    if (!source || tensor.getRank() < 2)
      continue;
    std::string type;
    llvm::raw_string_ostream(type) << source->getStoredType();
    if (type == stored)
      bytes += uint64_t(tensor.getNumElements()) * source->getStoredType().getIntOrFloatBitWidth() / 8;
  }
  return bytes;
}

Precision nstf::choosePrecision(ModuleOp model, StringRef asked) {
  if (asked != "auto")
    return {asked.str(), "--precision"};
  const KnownType *most = nullptr;
  uint64_t mostBytes = 0;
  for (const KnownType &type : knownTypes)
    if (uint64_t bytes = countBytes(model, type.stored); bytes > mostBytes) {
      most = &type;
      mostBytes = bytes;
    }
  if (most)
    return {most->precision.str(), "most bytes of matrices are " + most->stored.str()};
  auto facts = model->getAttrOfType<DictionaryAttr>(NSTFDialect::modelAttributeName);
  auto dtype = facts ? facts.getAs<StringAttr>("dtype") : StringAttr();
  if (!dtype || dtype.empty())
    return {"f32", "neither weights nor config.json say a type"};
  for (const KnownType &type : knownTypes)
    if (dtype == type.config)
      return {type.precision.str(), "config.json says " + dtype.str()};
  return {"f32", "config.json says " + dtype.str() + ", which is not computed in"};
}
