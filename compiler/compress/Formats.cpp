#include "compiler/compress/Formats.h"

#include "nstf/FloatTypes.h"

#include <algorithm>

using namespace nstf;
using namespace nstf::compress;

static int64_t divideCeil(int64_t number, int64_t divisor) { return (number + divisor - 1) / divisor; }

/// Bits of each code in a plane of words.
static unsigned getPlaneBits(const IntFormat &format, Plane plane) {
  return plane == Plane::High ? format.bits - 4 : 4;
}

/// Where code `index` of a row of words stands: neighbours in the halves of one.
static unsigned getFirstBit(unsigned bits, int64_t index) {
  int64_t code = index % (32 / bits);
  return static_cast<unsigned>(code / 2) * bits + static_cast<unsigned>(code % 2) * 16;
}

size_t nstf::compress::getRowBytes(const IntFormat &format, Plane plane) {
  switch (plane) {
  case Plane::Codes:
    return format.bits == 8 ? format.columns : 4 * divideCeil(format.columns, 8);
  case Plane::High:
    return 4 * divideCeil(format.columns * (format.bits - 4), 32);
  case Plane::Scales:
    return 2 * format.groups();
  case Plane::Zeros:
    return 4 * format.groups();
  }
  return 0;
}

int64_t nstf::compress::getRowsPerPlaneRow(const IntFormat &format, Plane plane) {
  return plane == Plane::Zeros ? format.zerosPerWord() : 1;
}

namespace {

/// A row of 32-bit words in bytes.
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

void nstf::compress::packRow(const IntFormat &format, Plane plane, std::span<const CodedRow> rows,
                             std::span<std::byte> to) {
  const CodedRow &row = rows.front();
  if (plane == Plane::Scales) {
    std::memcpy(to.data(), row.scales.data(), to.size());
    return;
  }
  if (plane == Plane::Codes && format.bits == 8) {
    for (int64_t i = 0; i < format.columns; ++i)
      to[i] = std::byte(row.codes[i] ^ 0x80); // less 128
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

void nstf::compress::unpackRow(const IntFormat &format, Plane plane, std::span<const std::byte> from,
                               std::span<CodedRow> rows) {
  CodedRow &row = rows.front();
  if (plane == Plane::Scales) {
    std::memcpy(row.scales.data(), from.data(), from.size());
    return;
  }
  if (plane == Plane::Codes && format.bits == 8) {
    for (int64_t i = 0; i < format.columns; ++i)
      row.codes[i] = uint8_t(from[i]) ^ 0x80;
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

std::vector<double> nstf::compress::decodeRow(const IntFormat &format, const CodedRow &row) {
  std::vector<double> numbers(format.columns);
  for (int64_t i = 0; i < format.columns; ++i) {
    int64_t group = i / format.groupSize();
    numbers[i] = double(widenF16(row.scales[group])) * (int(row.codes[i]) - int(row.zeros[group]));
  }
  return numbers;
}
