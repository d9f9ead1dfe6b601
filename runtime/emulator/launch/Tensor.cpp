#include "runtime/emulator/launch/Tensor.h"

#include "nstf/NpyHeader.h"
#include "support/Escape.h"
#include "support/MappedFile.h"

#include <cmath>
#include <cstring>

namespace nstf::emulator {
namespace {
namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path &path, const std::string &what) {
  throw std::runtime_error(path.string() + ": " + what);
}

std::optional<ElementType> typeOfNpy(const std::string &descr, std::optional<ElementType> wanted) {
  if (wanted && (getInfo(*wanted).npy == descr || getInfo(*wanted).alternative == descr ||
                 // NumPy writes the type of raw bytes with either sign: "|V2" is the same as "<V2".
                 (descr.starts_with("|V") && getInfo(*wanted).alternative == "<" + descr.substr(1))))
    return wanted;
  for (ElementType type : launchTypes) {
    bool isBits = isFloat(type) && !getInfo(type).npy.starts_with("<f"); // chosen only if it is wanted
    if (!isBits && getInfo(type).npy == descr)
      return type;
  }
  return std::nullopt;
}

/// Fortran order to C order: finds the place of each element, by C index, in data whose first index runs fastest.
std::vector<std::byte> reordered(const std::byte *data, const std::vector<int64_t> &shape, unsigned bytes,
                                 uint64_t elements) {
  std::vector<std::byte> result(elements * bytes);
  std::vector<uint64_t> index(shape.size(), 0), stride(shape.size(), 1);
  for (size_t d = 1; d < shape.size(); ++d)
    stride[d] = stride[d - 1] * uint64_t(shape[d - 1]);
  uint64_t from = 0;
  for (uint64_t i = 0; i < elements; ++i) {
    std::memcpy(result.data() + i * bytes, data + from * bytes, bytes);
    for (size_t d = shape.size(); d-- > 0;) { // count up, the last index fastest
      from += stride[d];
      if (++index[d] < uint64_t(shape[d]))
        break;
      from -= stride[d] * uint64_t(shape[d]);
      index[d] = 0;
    }
  }
  return result;
}

double realOf(const Contents &contents, size_t i) { return contents.values[i].number.value; }

/// Fills all elements by a function of the index.
template <typename Value> void fillEach(Tensor &tensor, uint64_t elements, const Place &place, Value value) {
  unsigned bytes = sizeOf(tensor.type);
  for (uint64_t i = 0; i < elements; ++i)
    if (!encode(tensor.type, value(i), tensor.data.data() + i * bytes))
      place.error("expected " + describeRange(tensor.type) + " for element " + std::to_string(i) +
                  " but got one that does not fit");
}

/// An integer as Number, from two's complement.
Number wholeOf(uint64_t bits, bool isSigned) {
  bool negative = isSigned && int64_t(bits) < 0;
  uint64_t magnitude = negative ? 0 - bits : bits;
  return {true, negative, magnitude, negative ? -double(magnitude) : double(magnitude)};
}

uint64_t getBits(const Number &number) { return number.negative ? 0 - number.magnitude : number.magnitude; }

void fillRandom(Tensor &tensor, uint64_t elements, const Contents &contents) {
  if (isFloat(tensor.type)) {
    double low = realOf(contents, 0), high = realOf(contents, 1);
    fillEach(tensor, elements, contents.place, [&](uint64_t i) {
      double share = double(randomBits(contents.seed, i) >> 11) * 0x1p-53;
      return Number::of(low + share * (high - low));
    });
    return;
  }
  bool isSigned = getInfo(tensor.type).kind == ElementTypeInfo::Signed;
  auto bound = [&](size_t i) { // the text may be 1e3: uses the element's own bits
    std::byte bytes[8] = {};
    encode(tensor.type, contents.values[i].number, bytes);
    uint64_t value;
    std::memcpy(&value, bytes, 8);
    unsigned unused = 64 - 8 * sizeOf(tensor.type);
    return isSigned ? uint64_t(int64_t(value << unused) >> unused) : value;
  };
  uint64_t low = bound(0), span = bound(1) - low + 1; // 0: all of 64 bits
  fillEach(tensor, elements, contents.place, [&](uint64_t i) {
    uint64_t random = randomBits(contents.seed, i);
    if (span)
      random = uint64_t((unsigned __int128)random * span >> 64);
    return wholeOf(low + random, isSigned);
  });
}

void fillIota(Tensor &tensor, uint64_t elements, const Contents &contents) {
  const Number &start = contents.values[0].number, &step = contents.values[1].number;
  bool isWhole = start.isWhole && step.isWhole;
  bool isSigned = getInfo(tensor.type).kind != ElementTypeInfo::Unsigned || start.negative || step.negative;
  fillEach(tensor, elements, contents.place, [&](uint64_t i) {
    return isWhole ? wholeOf(getBits(start) + i * getBits(step), isSigned)
                   : Number::of(start.value + double(i) * step.value);
  });
}

/// Converts `from` to another type; the numbers must fit.
void convert(const Tensor &from, Tensor &to, const Place &place) {
  bool isSigned = getInfo(from.type).kind == ElementTypeInfo::Signed;
  fillEach(to, from.elements(), place, [&](uint64_t i) {
    if (isFloat(from.type))
      return Number::of(decode(from.type, from.at(i)));
    uint64_t bits = 0;
    std::memcpy(&bits, from.at(i), sizeOf(from.type));
    unsigned unused = 64 - 8 * sizeOf(from.type);
    return wholeOf(isSigned ? uint64_t(int64_t(bits << unused) >> unused) : bits, isSigned);
  });
}

void readNpyContents(const LaunchFile &file, const Contents &contents, bool isExpectation, Tensor &tensor) {
  Tensor read = readNpy(file.resolve(contents.file), tensor.type);
  bool sameType = read.type == tensor.type;
  // A reference may have a wider type: it is compared unchanged.
  bool isReference = isExpectation && isFloat(read.type) && isFloat(tensor.type);
  if (read.shape != tensor.shape || !(sameType || isReference || contents.convert))
    throw std::runtime_error(
        file.resolve(contents.file).string() + ": expected " + describeTensor(tensor.type, tensor.shape) + " but got " +
        describeTensor(read.type, read.shape) +
        (read.shape == tensor.shape && !isExpectation ? " ('convert: true' converts numbers)" : ""));
  if (sameType || isReference)
    tensor = std::move(read);
  else {
    tensor.data.resize(read.elements() * sizeOf(tensor.type));
    convert(read, tensor, contents.place);
  }
}

} // namespace

uint64_t randomBits(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

Tensor readNpy(const fs::path &path, std::optional<ElementType> wanted) {
  return parseNpy(support::MappedFile(path).bytes(), path, wanted);
}

Tensor parseNpy(std::span<const std::byte> bytes, const fs::path &path, std::optional<ElementType> wanted) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  NpyHeader header = parseNpyHeader(text, path.string());
  Tensor tensor;
  std::optional<ElementType> type = typeOfNpy(header.descr, wanted);
  if (!type)
    fail(path, "expected little-endian numbers such as <f4 or <i4 but got " + support::escape(header.descr));
  tensor.type = *type;
  tensor.shape = header.shape;
  uint64_t expected = sizeOf(tensor.type);
  bool fits = true;
  for (int64_t size : tensor.shape)
    fits &= !__builtin_mul_overflow(expected, uint64_t(size), &expected);
  uint64_t got = bytes.size() - header.dataOffset;
  if (!fits || got != expected)
    fail(path, "expected " + (fits ? std::to_string(expected) + " bytes of data" : "a shape that fits 64 bits") +
                   " for " + describeTensor(tensor.type, tensor.shape) + " but got " + std::to_string(got) + " bytes");
  const std::byte *data = bytes.data() + header.dataOffset;
  if (header.fortranOrder && tensor.shape.size() > 1)
    tensor.data = reordered(data, tensor.shape, sizeOf(tensor.type), got / sizeOf(tensor.type));
  else
    tensor.data.assign(data, data + got);
  return tensor;
}

std::vector<std::byte> readBytes(const fs::path &path) {
  support::MappedFile file(path);
  return {file.bytes().begin(), file.bytes().end()};
}

std::string getFile(const fs::path &path, ElementType type, const std::vector<int64_t> &shape,
                    std::span<const std::byte> bytes) {
  std::string text = path.extension() == ".npy" ? makeNpyHeader(std::string(getInfo(type).npy), shape) : "";
  return text.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

Tensor makeContents(const LaunchFile &file, const Contents &contents, const BufferDescription &description,
                    bool isExpectation) {
  Tensor tensor{description.type, description.shape, {}};
  uint64_t elements = description.elements();
  if (contents.kind != Contents::Npy && contents.kind != Contents::Raw)
    tensor.data.resize(description.bytes(), contents.kind == Contents::Unset ? std::byte(0xff) : std::byte(0));
  try {
    switch (contents.kind) {
    case Contents::Value:
      fillEach(tensor, std::min<uint64_t>(elements, 1), contents.place,
               [&](uint64_t) { return contents.values[0].number; });
      for (size_t filled = sizeOf(tensor.type), size = tensor.data.size(); filled < size; filled *= 2)
        std::memcpy(&tensor.data[filled], tensor.data.data(), std::min(filled, size - filled));
      break;
    case Contents::Values:
      fillEach(tensor, elements, contents.place, [&](uint64_t i) { return contents.values[i].number; });
      break;
    case Contents::Random:
      fillRandom(tensor, elements, contents);
      break;
    case Contents::Iota:
      fillIota(tensor, elements, contents);
      break;
    case Contents::Npy:
      readNpyContents(file, contents, isExpectation, tensor);
      break;
    case Contents::Raw:
      tensor.data = readBytes(file.resolve(contents.file));
      if (tensor.data.size() != description.bytes())
        throw std::runtime_error(file.resolve(contents.file).string() + ": expected " +
                                 std::to_string(description.bytes()) + " bytes for " + description.str() + " but got " +
                                 std::to_string(tensor.data.size()));
      break;
    default:
      break;
    }
  } catch (const InputError &) {
    throw;
  } catch (const std::runtime_error &error) {
    contents.place.error(error.what());
  }
  return tensor;
}

} // namespace nstf::emulator
