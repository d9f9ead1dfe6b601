// The choice that --precision=auto makes (ChoosePrecision.h).
#include "compiler/driver/ChoosePrecision.h"
#include "dialects/nstf/NSTF.h"
#include "passes/nstf/WeightFormat.h"

using namespace mlir;
using namespace nstf;

namespace {

/// A type's names in files and in config.json, and the precision in which NSTF computes products of it.
struct KnownType {
  StringLiteral stored, config;
  Precision precision;
};

} // namespace

/// If two types have equally many bytes, the first one here is chosen.
static constexpr KnownType knownTypes[] = {{"f32", "float32", Precision::F32},
                                           {"bf16", "bfloat16", Precision::BF16},
                                           {"f16", "float16", Precision::F16},
                                           {"f64", "float64", Precision::F32}};

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

/// The choice by config.json, if it names a type.
static std::optional<PrecisionChoice> readConfig(ModuleOp model) {
  auto facts = model->getAttrOfType<DictionaryAttr>(NSTFDialect::modelAttributeName);
  auto dtype = facts ? facts.getAs<StringAttr>("dtype") : StringAttr();
  if (!dtype || dtype.empty())
    return std::nullopt;
  for (const KnownType &type : knownTypes)
    if (dtype == type.config)
      return PrecisionChoice{type.precision, "config.json says " + dtype.str()};
  return PrecisionChoice{Precision::F32, "config.json says " + dtype.str() + ", which is not computed in"};
}

static PrecisionChoice choose(ModuleOp model) {
  const KnownType *largest = nullptr;
  uint64_t maxBytes = 0;
  for (const KnownType &type : knownTypes)
    if (uint64_t bytes = countBytes(model, type.stored); bytes > maxBytes) {
      largest = &type;
      maxBytes = bytes;
    }
  if (largest)
    return {largest->precision, "most bytes of matrices are " + largest->stored.str()};
  return readConfig(model).value_or(PrecisionChoice{Precision::F32, "neither weights nor config.json say a type"});
}

PrecisionChoice nstf::choosePrecision(ModuleOp model, std::optional<Precision> asked, StringRef quantize) {
  if (asked)
    return {*asked, "--precision"};
  auto planes = llvm::make_filter_range(model.getOps<WeightOp>(), [](WeightOp weight) { return weight.getPlane(); });
  if (!planes.empty()) { // a quantised checkpoint stores few other matrices
    if (std::optional<PrecisionChoice> named = readConfig(model); named && named->type != Precision::F32)
      return *named;
    PlaneSourceAttr plane = *WeightOp(*planes.begin()).getPlane();
    return {Precision::F16,
            "weights are " + getFormatName(plane.getFormat(), plane.getZeros()) + ", which goes with 16 bits"};
  }
  PrecisionChoice choice = choose(model);
  if (quantize.empty() || choice.type != Precision::F32)
    return choice;
  return {Precision::F16, "weights are " + quantize.str() + ", which goes with 16 bits"};
}
