#include "compiler/quantize/Formats.h"

#include "nstf/FloatTypes.h"
#include "support/Float8.h"

#include <algorithm>

using namespace nstf;
using namespace nstf::quantize;

static int64_t divideCeil(int64_t number, int64_t divisor) { return (number + divisor - 1) / divisor; }

/// Bits of each code in a plane of words. Codes of 5 and 6 bits are split: 4 bits are in one plane, the rest in High.
static unsigned getPlaneBits(const Format &format, Plane plane) { return plane == Plane::High ? format.bits - 4 : 4; }

/// The first bit of code `index` of a row within its word: neighbouring codes are in the two halves of a word.
static unsigned getFirstBit(unsigned bits, int64_t index) {
  int64_t code = index % (32 / bits);
  return static_cast<unsigned>(code / 2) * bits + static_cast<unsigned>(code % 2) * 16;
}

static manifest::ElementType getScaleType(const Format &format) {
  return format.wideScales ? manifest::ElementType::F32 : manifest::ElementType::F16;
}

/// The plane of 8-bit whole numbers stores each code less 128.
static unsigned getTurnedBits(const Format &format) { return format.isFloat ? 0 : 0x80; }

size_t nstf::quantize::getRowBytes(const Format &format, Plane plane) {
  switch (plane) {
  case Plane::Codes:
    return format.bits == 8 ? format.columns : 4 * divideCeil(format.columns, 8);
  case Plane::High:
    return 4 * divideCeil(format.columns * (format.bits - 4), 32);
  case Plane::Scales:
    return (format.wideScales ? 4 : 2) * format.groups();
  case Plane::Zeros:
    return 4 * format.groups();
  case Plane::Order:
    return 4 * format.columns;
  }
  return 0;
}

int64_t nstf::quantize::getRowsPerPlaneRow(const Format &format, Plane plane) {
  return plane == Plane::Zeros ? format.zerosPerWord() : 1;
}

namespace {

/// A row of 32-bit words, stored in bytes.
class Words {
public:
  explicit Words(std::span<std::byte> bytes) : bytes(bytes) {}
  void add(int64_t index, uint32_t bits) {
    uint32_t word = get(bytes, index) | bits;
    std::memcpy(bytes.data() + 4 * index, &word, 4);
  }
  static uint32_t get(std::span<const std::byte> bytes, int64_t index) {
    uint32_t word;
    std::memcpy(&word, bytes.data() + 4 * index, 4);
    return word;
  }

private:
  std::span<std::byte> bytes;
};

} // namespace

void nstf::quantize::packRow(const Format &format, Plane plane, std::span<const CodedRow> rows,
                             std::span<std::byte> to) {
  const CodedRow &row = rows.front();
  if (plane == Plane::Scales)
    return convertNumbers(reinterpret_cast<const std::byte *>(row.scales.data()), manifest::ElementType::F32, to.data(),
                          getScaleType(format), row.scales.size());
  if (plane == Plane::Codes && format.bits == 8) {
    for (int64_t i = 0; i < format.columns; ++i)
      to[i] = std::byte(row.codes[i] ^ getTurnedBits(format));
    return;
  }
  std::ranges::fill(to, std::byte(0));
  Words words(to);
  if (plane == Plane::Zeros) {
    for (size_t i = 0; i < rows.size(); ++i)
      for (int64_t group = 0; group < format.groups(); ++group)
        words.add(group, uint32_t(rows[i].zeros[group]) << (i * format.bits));
    return;
  }
  unsigned bits = getPlaneBits(format, plane), mask = (1u << bits) - 1;
  for (int64_t i = 0; i < format.columns; ++i) {
    uint32_t code = (plane == Plane::High ? row.codes[i] >> 4 : row.codes[i]) & mask;
    words.add(i / (32 / bits), code << getFirstBit(bits, i));
  }
}

void nstf::quantize::unpackRow(const Format &format, Plane plane, std::span<const std::byte> from,
                               std::span<CodedRow> rows) {
  CodedRow &row = rows.front();
  if (plane == Plane::Scales)
    return convertNumbers(from.data(), getScaleType(format), reinterpret_cast<std::byte *>(row.scales.data()),
                          manifest::ElementType::F32, row.scales.size());
  if (plane == Plane::Codes && format.bits == 8) {
    for (int64_t i = 0; i < format.columns; ++i)
      row.codes[i] = uint8_t(from[i]) ^ getTurnedBits(format);
    return;
  }
  if (plane == Plane::Zeros) {
    for (size_t i = 0; i < rows.size(); ++i)
      for (int64_t group = 0; group < format.groups(); ++group)
        rows[i].zeros[group] = Words::get(from, group) >> (i * format.bits) & format.largestCode();
    return;
  }
  unsigned bits = getPlaneBits(format, plane), mask = (1u << bits) - 1;
  for (int64_t i = 0; i < format.columns; ++i) {
    uint32_t code = Words::get(from, i / (32 / bits)) >> getFirstBit(bits, i) & mask;
    row.codes[i] = plane == Plane::High ? row.codes[i] | code << 4 : code;
  }
}

double nstf::quantize::decodeCode(const Format &format, uint8_t code, unsigned zero) {
  return format.isFloat ? support::widenE4M3FNUZ(code) : int(code) - int(zero);
}

std::vector<double> nstf::quantize::decodeRow(const Format &format, const CodedRow &row) {
  std::vector<double> numbers(format.columns);
  for (int64_t i = 0; i < format.columns; ++i) {
    int64_t group = i / format.groupSize();
    numbers[i] = row.scales[group] * decodeCode(format, row.codes[i], row.zeros[group]);
  }
  return numbers;
}
