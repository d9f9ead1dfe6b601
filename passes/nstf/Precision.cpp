// Names of precisions (Precision.h).
#include "passes/nstf/Precision.h"

using namespace nstf;

static constexpr llvm::StringLiteral names[] = {"f32", "f16", "bf16"}; // in the order of the enumerators

llvm::StringRef nstf::getName(Precision precision) { return names[int(precision)]; }

std::optional<Precision> nstf::parsePrecision(llvm::StringRef name) {
  for (Precision precision : precisions)
    if (getName(precision) == name)
      return precision;
  return std::nullopt;
}

llvm::cl::ValuesClass nstf::getPrecisionValues() {
  auto value = [](Precision precision) {
    return llvm::cl::OptionEnumValue{getName(precision), int(precision), "operands of matrix products in memory"};
  };
  return llvm::cl::values(value(Precision::F32), value(Precision::F16), value(Precision::BF16));
}
