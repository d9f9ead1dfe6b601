// Reads weights as float64.

#include "compiler/reference/WeightReader.h"

#include "compiler/checkpoint/ReadFloats.h"
#include "compiler/checkpoint/StridedView.h"
#include "compiler/quantize/QuantizedMatrix.h"
#include "nstf/RandomWeights.h"
#include "support/ConvertNumbers.h"
#include "support/Escape.h"
#include "support/Float8.h"

#include <cstring>
#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::checkpoint;
using namespace nstf::reference;
using support::ElementType;

static std::optional<ElementType> storedTypeOf(Type type) {
  return type.isF64()    ? std::optional(ElementType::F64)
         : type.isF32()  ? std::optional(ElementType::F32)
         : type.isF16()  ? std::optional(ElementType::F16)
         : type.isBF16() ? std::optional(ElementType::BF16)
                         : std::nullopt;
}

/// Rounds to the element type, to nearest even.
static void roundTo(Type type, Tensor &tensor) {
  std::optional<ElementType> stored = storedTypeOf(type);
  if (!stored || *stored == ElementType::F64)
    return;
  auto format = *support::floatFormatFromName(nameOf(*stored));
  auto *numbers = reinterpret_cast<std::byte *>(tensor.data());
  std::vector<std::byte> rounded(tensor.size() * sizeOf(*stored));
  support::convertNumbers(numbers, support::FloatFormat::f64, rounded.data(), format, tensor.size());
  support::convertNumbers(rounded.data(), format, numbers, support::FloatFormat::f64, tensor.size());
}

void WeightReader::readFile(WeightOp weight, SourceAttr source, Tensor &result) {
  std::string where = "weight '" + support::escape(weight.getSymName().str()) + "': ";
  std::optional<ElementType> stored = storedTypeOf(source.getStoredType());
  if (!stored)
    throw std::runtime_error(where + "expected a stored type of f32, f16, bf16 or f64");
  std::unique_ptr<support::MappedFile> &file = files[source.getPath().str()];
  if (!file)
    file = std::make_unique<support::MappedFile>(source.getPath().str());
  uint64_t bytes = *source.getByteSpan(result.size()), offset = source.getOffset();
  if (offset > file->size() || bytes > file->size() - offset)
    throw std::runtime_error(where + "expected " + std::to_string(bytes) + " bytes at offset " +
                             std::to_string(offset) + " of '" + file->path() + "' but the file has " +
                             std::to_string(file->size()));
  const std::byte *first = file->data() + offset;
  if (!source.isView())
    return readFloats(*stored, first, result.size(), result.data());
  StridedView view{0, source.getSizes(), source.getStrides()};
  std::vector<std::byte> gathered(result.size() * sizeOf(*stored));
  view.gather(first, sizeOf(*stored), 0, result.size(), gathered.data());
  readFloats(*stored, gathered.data(), result.size(), result.data());
}

/// Reads the plane as the packager writes it.
static void readPlane(const quantize::QuantizedMatrix &matrix, quantize::Plane plane, Type element, Tensor &result) {
  std::vector<std::byte> row(result.values.cols() * element.getIntOrFloatBitWidth() / 8);
  for (int64_t i = 0; i < result.values.rows(); ++i) {
    matrix.fillRow(plane, i, row);
    auto copy = [&]<typename Number>(Number) {
      for (int64_t j = 0; j < result.values.cols(); ++j) {
        Number number;
        std::memcpy(&number, row.data() + j * sizeof number, sizeof number);
        result.values(i, j) = number;
      }
    };
    if (element.isInteger(32))
      copy(int32_t());
    else if (element.isInteger(8))
      copy(int8_t());
    else if (std::optional<ElementType> stored = storedTypeOf(element))
      readFloats(*stored, row.data(), result.values.cols(), &result.values(i, 0));
    else // e4m3fnuz
      for (int64_t j = 0; j < result.values.cols(); ++j)
        result.values(i, j) = support::widenE4M3FNUZ(uint8_t(row[j]));
  }
}

std::shared_ptr<Tensor> WeightReader::read(WeightOp weight) {
  auto type = cast<RankedTensorType>(weight.getType());
  auto result = std::make_shared<Tensor>(std::vector<int64_t>(type.getShape()));
  if (auto table = weight.getGenerator()) {
    for (int64_t position = 0; position < result->values.rows(); ++position)
      table->fillRow(position, MutableArrayRef<double>(&result->values(position, 0), result->values.cols()));
  } else if (auto plane = weight.getPlane()) {
    std::optional<quantize::QuantizedMatrix> matrix = quantize::openMatrix(*plane, randomSeed);
    if (!matrix)
      throw std::runtime_error("weight '" + support::escape(weight.getSymName().str()) +
                               "' is a plane of a matrix without a file, and no seed was given");
    readPlane(*matrix, quantize::getPlane(*plane), type.getElementType(), *result);
  } else if (randomSeed) {
    std::vector<int64_t> shape = result->shape;
    RandomWeights random(*randomSeed, weight.getSymName(), shape.data(), shape.size());
    for (int64_t i = 0; i < result->size(); ++i)
      result->data()[i] = random(i);
  } else if (auto source = weight.getSource()) {
    readFile(weight, *source, *result);
  } else {
    throw std::runtime_error("weight '" + support::escape(weight.getSymName().str()) +
                             "' has neither a file nor a formula, and no seed was given");
  }
  roundTo(type.getElementType(), *result);
  return result;
}
