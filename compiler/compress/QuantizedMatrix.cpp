#include "compiler/compress/QuantizedMatrix.h"

#include "compiler/checkpoint/ReadFloats.h"
#include "compiler/checkpoint/StridedView.h"
#include "compiler/compress/Round.h"
#include "nstf/RandomWeights.h"
#include "support/Escape.h"
#include "support/MappedFile.h"

#include <memory>
#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::compress;

void QuantizedMatrix::fillRow(Plane plane, int64_t row, std::span<std::byte> to) const {
  int64_t count = getRowsPerPlaneRow(format, plane), first = row * count;
  std::vector<CodedRow> coded;
  std::vector<double> numbers(format.columns);
  for (int64_t i = first; i < std::min(first + count, rows); ++i) {
    readRow(i, numbers);
    try {
      coded.push_back(roundToNearest(format, numbers));
    } catch (const std::runtime_error &error) {
      throw std::runtime_error("weight '" + support::escape(name) + "', row " + std::to_string(i) + ": " +
                               error.what());
    }
  }
  packRow(format, plane, coded, to);
}

static QuantizedMatrix::ReadRow readRandom(uint64_t seed, const std::string &name, int64_t rows, int64_t columns) {
  int64_t shape[] = {rows, columns};
  return [random = RandomWeights(seed, name, shape, 2)](int64_t row, std::span<double> numbers) {
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = random(row * numbers.size() + i);
  };
}

static QuantizedMatrix::ReadRow readFile(SourceAttr source, const std::string &name, int64_t rows, int64_t columns) {
  std::string type;
  llvm::raw_string_ostream(type) << source.getStoredType();
  std::optional<support::ElementType> stored = support::elementTypeFromMlir(type);
  std::string where = "weight '" + support::escape(name) + "': ";
  if (!stored || !checkpoint::isReadable(*stored))
    throw std::runtime_error(where + "expected a stored type of f32, f16, bf16 or f64 but got " + type);
  auto file = std::make_shared<support::MappedFile>(source.getPath().str());
  std::optional<int64_t> bytes = source.getByteSpan(rows * columns);
  uint64_t offset = source.getOffset();
  if (!bytes || offset > file->size() || uint64_t(*bytes) > file->size() - offset)
    throw std::runtime_error(where + "expected " + std::to_string(bytes.value_or(INT64_MAX)) + " bytes at offset " +
                             std::to_string(offset) + " of '" + file->path() + "' but the file has " +
                             std::to_string(file->size()));
  checkpoint::StridedView view{0, source.getSizes(), source.getStrides()};
  return [file, offset, type = *stored, view](int64_t row, std::span<double> numbers) {
    const std::byte *first = file->data() + offset;
    size_t size = support::sizeOf(type), begin = row * numbers.size();
    if (view.sizes.empty())
      return checkpoint::readFloats(type, first + begin * size, numbers.size(), numbers.data());
    std::vector<std::byte> gathered(numbers.size() * size);
    view.gather(first, size, begin, numbers.size(), gathered.data());
    checkpoint::readFloats(type, gathered.data(), numbers.size(), numbers.data());
  };
}

std::optional<QuantizedMatrix> nstf::compress::openMatrix(PlaneSourceAttr plane, std::optional<uint64_t> randomSeed) {
  IntFormatAttr format = plane.getFormat();
  IntFormat numbers{unsigned(format.getBits()), format.getGroup(), format.getColumns(), plane.getZeros()};
  std::string name = plane.getMatrix().str();
  if (randomSeed)
    return QuantizedMatrix(name, numbers, plane.getRows(),
                           readRandom(*randomSeed, name, plane.getRows(), numbers.columns));
  if (!plane.getSource())
    return std::nullopt;
  return QuantizedMatrix(name, numbers, plane.getRows(),
                         readFile(plane.getSource(), name, plane.getRows(), numbers.columns));
}

nstf::compress::Plane nstf::compress::getPlane(PlaneSourceAttr plane) {
  static constexpr Plane planes[] = {Plane::Codes, Plane::High, Plane::Scales, Plane::Zeros}; // of the dialect's order
  return planes[size_t(plane.getPlane())];
}
