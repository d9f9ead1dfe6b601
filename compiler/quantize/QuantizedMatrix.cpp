#include "compiler/quantize/QuantizedMatrix.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/ReadFloats.h"
#include "compiler/checkpoint/StridedView.h"
#include "compiler/quantize/Round.h"
#include "compiler/quantize/StoredCodes.h"
#include "nstf/RandomWeights.h"
#include "support/Escape.h"
#include "support/InputError.h"
#include "support/MappedFile.h"

#include <cstring>
#include <memory>
#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::quantize;

void QuantizedMatrix::fillRow(Plane plane, int64_t row, std::span<std::byte> to) const {
  if (plane == Plane::Order) {
    std::memcpy(to.data(), order.data(), to.size());
    return;
  }
  int64_t count = getRowsPerPlaneRow(format, plane), first = row * count;
  std::vector<CodedRow> coded;
  for (int64_t i = first; i < std::min(first + count, rows); ++i) {
    try {
      coded.push_back(readRow(i));
    } catch (const support::InputError &) { // the error has the tensor and its place already
      throw;
    } catch (const std::runtime_error &error) {
      throw std::runtime_error("weight '" + support::escape(name) + "', row " + std::to_string(i) + ": " +
                               error.what());
    }
  }
  packRow(format, plane, coded, to);
}

/// Reads a row's numbers into `numbers`.
using ReadNumbers = std::function<void(int64_t row, std::span<double> numbers)>;

static QuantizedMatrix::ReadRow roundRows(const Format &format, ReadNumbers readNumbers) {
  return [format, readNumbers = std::move(readNumbers)](int64_t row) {
    std::vector<double> numbers(format.columns);
    readNumbers(row, numbers);
    return roundToNearest(format, numbers);
  };
}

static ReadNumbers readRandom(uint64_t seed, const std::string &name, int64_t rows, int64_t columns) {
  int64_t shape[] = {rows, columns};
  return [random = RandomWeights(seed, name, shape, 2)](int64_t row, std::span<double> numbers) {
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = random(row * numbers.size() + i);
  };
}

namespace {

/// A mapped tensor of a file.
struct OpenTensor {
  std::shared_ptr<support::MappedFile> file;
  support::ElementType type;
  const std::byte *first;

  OpenTensor(SourceAttr source, const std::string &where, int64_t elements) {
    std::string text;
    llvm::raw_string_ostream(text) << source.getStoredType();
    std::optional<support::ElementType> stored = support::elementTypeFromMlir(text);
    if (!stored)
      throw std::runtime_error(where + "expected a stored type that is known but got " + text);
    type = *stored;
    file = std::make_shared<support::MappedFile>(source.getPath().str());
    std::optional<int64_t> bytes = source.getByteSpan(elements);
    uint64_t offset = source.getOffset();
    if (!bytes || offset > file->size() || uint64_t(*bytes) > file->size() - offset)
      throw std::runtime_error(where + "expected " + std::to_string(bytes.value_or(INT64_MAX)) + " bytes at offset " +
                               std::to_string(offset) + " of '" + file->path() + "' but the file has " +
                               std::to_string(file->size()));
    first = file->data() + offset;
  }
};

} // namespace

static std::string describe(const std::string &name) { return "weight '" + support::escape(name) + "': "; }

static ReadNumbers readFile(SourceAttr source, const std::string &name, int64_t rows, int64_t columns) {
  OpenTensor tensor(source, describe(name), rows * columns);
  if (!checkpoint::isReadable(tensor.type))
    throw std::runtime_error(describe(name) + "expected a stored type of f32, f16, bf16 or f64 but got " +
                             std::string(nameOf(tensor.type)));
  checkpoint::StridedView view{0, source.getSizes(), source.getStrides()};
  return [tensor, view](int64_t row, std::span<double> numbers) {
    size_t size = support::sizeOf(tensor.type), begin = row * numbers.size();
    if (view.sizes.empty())
      return checkpoint::readFloats(tensor.type, tensor.first + begin * size, numbers.size(), numbers.data());
    std::vector<std::byte> gathered(numbers.size() * size);
    view.gather(tensor.first, size, begin, numbers.size(), gathered.data());
    checkpoint::readFloats(tensor.type, gathered.data(), numbers.size(), numbers.data());
  };
}

/// The order of the inputs; empty if the groups are of neighbouring inputs.
static std::vector<int32_t> readOrder(StoredCodesAttr stored, const std::string &name, const Format &format) {
  if (!stored || !stored.getGroups())
    return {};
  OpenTensor groups(stored.getGroups(), describe(name), format.columns);
  if (groups.type != support::ElementType::I32)
    throw std::runtime_error(describe(name) + "expected groups of i32 but got " + std::string(nameOf(groups.type)));
  return sortByGroup({groups.first, size_t(4 * format.columns)}, format);
}

/// Describes a source for messages: file and tensor name, or the offset if the file is not a checkpoint.
static std::string describe(SourceAttr source) {
  std::string path = source.getPath().str(), place = "offset " + std::to_string(source.getOffset());
  try {
    checkpoint::Checkpoint file = checkpoint::Checkpoint::open(path);
    if (checkpoint::Checkpoint::Entry entry = file.findAt(path, source.getOffset()))
      place = "tensor '" + support::escape(entry.tensor->name) + "'";
  } catch (const support::InputError &) {
  }
  return "'" + path + "': " + place + ": ";
}

static QuantizedMatrix::ReadRow readCodes(StoredCodesAttr stored, const std::string &name, const Format &format,
                                          int64_t rows, const std::vector<int32_t> &order) {
  // In the order of the dialect's enumerators.
  static constexpr quantize::CodeLayout layouts[] = {quantize::CodeLayout::Pack,  quantize::CodeLayout::PackLoose,
                                                     quantize::CodeLayout::Bytes, quantize::CodeLayout::Awq,
                                                     quantize::CodeLayout::Gptq,  quantize::CodeLayout::GptqV2,
                                                     quantize::CodeLayout::Floats};
  StoredCodes codes(layouts[size_t(stored.getLayout())], format, rows, stored.getScaleRows(), order);
  auto open = [&](SourceAttr source, quantize::Plane plane, StoredTensors<const std::byte> &to,
                  std::span<const std::byte> StoredTensors<const std::byte>::*bytes) {
    std::vector<int64_t> shape = codes.getShape(plane);
    OpenTensor tensor(source, describe(name), shape[0] * shape[1]);
    to.*bytes = {tensor.first, size_t(shape[0] * shape[1]) * support::sizeOf(tensor.type)};
    if (plane == quantize::Plane::Scales ? !checkpoint::isReadable(tensor.type) : tensor.type != codes.getCodeType())
      throw std::runtime_error(describe(name) + "expected codes of " + std::string(nameOf(codes.getCodeType())) +
                               " and scales of a float type but got " + std::string(nameOf(tensor.type)));
    return tensor;
  };
  StoredTensors<const std::byte> bytes;
  std::vector<OpenTensor> tensors = {
      open(stored.getScales(), quantize::Plane::Scales, bytes, &StoredTensors<const std::byte>::scales),
      open(stored.getCodes(), quantize::Plane::Codes, bytes, &StoredTensors<const std::byte>::codes)};
  if (SourceAttr zeros = stored.getZeros())
    tensors.push_back(open(zeros, quantize::Plane::Zeros, bytes, &StoredTensors<const std::byte>::zeros));
  return [codes, tensors, bytes, stored](int64_t row) {
    try {
      return codes.read(row, bytes, tensors.front().type);
    } catch (const StoredFault &fault) {
      throw support::InputError(
          describe(fault.plane == quantize::Plane::Scales ? stored.getScales() : stored.getCodes()) + fault.what());
    }
  };
}

std::optional<QuantizedMatrix> nstf::quantize::openMatrix(PlaneSourceAttr plane, std::optional<uint64_t> randomSeed) {
  CodeFormat format = plane.getFormat();
  Format numbers{unsigned(format.getBits()),   format.getGroup(),
                 format.getColumns(),          plane.getZeros(),
                 bool(format.getNumberType()), format.getElementType(nstf::Plane::scales).isF32()};
  std::string name = plane.getMatrix().str();
  std::vector<int32_t> order = readOrder(plane.getStored(), name, numbers);
  if (randomSeed)
    return QuantizedMatrix(name, numbers, plane.getRows(),
                           roundRows(numbers, readRandom(*randomSeed, name, plane.getRows(), numbers.columns)), order);
  if (plane.getStored())
    return QuantizedMatrix(name, numbers, plane.getRows(),
                           readCodes(plane.getStored(), name, numbers, plane.getRows(), order), order);
  if (!plane.getSource())
    return std::nullopt;
  return QuantizedMatrix(name, numbers, plane.getRows(),
                         roundRows(numbers, readFile(plane.getSource(), name, plane.getRows(), numbers.columns)));
}

nstf::quantize::Plane nstf::quantize::getPlane(PlaneSourceAttr plane) {
  static constexpr Plane planes[] = {Plane::Codes, Plane::High, Plane::Scales, Plane::Zeros,
                                     Plane::Order}; // in the order of the dialect's enumerators
  return planes[size_t(plane.getPlane())];
}
