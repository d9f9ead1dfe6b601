#include "compiler/compress/MatrixFormat.h"

#include "support/ConvertNumbers.h"

using namespace nstf;
using namespace nstf::compress;
using support::ElementType;

std::optional<MatrixFormat> MatrixFormat::parse(llvm::StringRef name) {
  if (std::optional<WeightFormat> codes = parseWeightFormat(name))
    return MatrixFormat{name.str(), codes};
  if (name == "e4m3fnuz_tensor")
    return MatrixFormat{name.str(), parseWeightFormat("e4m3fnuz"), /*scaleRows=*/0};
  if (name == "e4m3fnuz_128x128")
    return MatrixFormat{name.str(), parseWeightFormat("e4m3fnuz_g128"), /*scaleRows=*/128};
  for (ElementType type : {ElementType::F32, ElementType::F16, ElementType::BF16})
    if (name == llvm::StringRef(nameOf(type)))
      return MatrixFormat{name.str(), std::nullopt, 1, type};
  return std::nullopt;
}

std::string MatrixFormat::getNames(bool codesOnly) {
  return getWeightFormatNames() + ", e4m3fnuz_tensor or e4m3fnuz_128x128" +
         (codesOnly ? "" : "; or numbers, f32, f16 or bf16");
}

std::vector<std::byte> nstf::compress::toBytes(ElementType type, std::span<const double> numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeOf(type));
  support::convertNumbers(reinterpret_cast<const std::byte *>(numbers.data()), support::FloatFormat::f64, bytes.data(),
                          *support::floatFormatFromName(nameOf(type)), numbers.size());
  return bytes;
}

void nstf::compress::roundTo(ElementType type, std::span<double> numbers) {
  std::vector<std::byte> bytes = toBytes(type, numbers);
  support::convertNumbers(bytes.data(), *support::floatFormatFromName(nameOf(type)),
                          reinterpret_cast<std::byte *>(numbers.data()), support::FloatFormat::f64, numbers.size());
}
