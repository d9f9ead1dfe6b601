#include "compiler/quantize/StoredCodes.h"

#include "nstf/FloatTypes.h"
#include "support/ConvertNumbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

using namespace nstf;
using namespace nstf::quantize;

int64_t StoredCodes::countWords(int64_t codes) const {
  int64_t whole = 32 / format.bits;
  return layout == CodeLayout::PackLoose ? (codes + whole - 1) / whole : (codes * format.bits + 31) / 32;
}

std::vector<int64_t> StoredCodes::getShape(Plane plane) const {
  int64_t columns = format.columns, groups = format.groups();
  bool isZeros = plane == Plane::Zeros;
  if (plane == Plane::Scales || (isZeros && isBytes()))
    return isTransposed() ? std::vector{groups, rows} : std::vector{(rows + scaleRows - 1) / scaleRows, groups};
  switch (layout) {
  case CodeLayout::Bytes:
  case CodeLayout::Floats:
    return {rows, columns};
  case CodeLayout::Pack:
  case CodeLayout::PackLoose:
    return isZeros ? std::vector{countWords(rows), groups} : std::vector{rows, countWords(columns)};
  case CodeLayout::Awq:
    return {isZeros ? groups : columns, countWords(rows)};
  case CodeLayout::Gptq:
  case CodeLayout::GptqV2:
    return isZeros ? std::vector{groups, countWords(rows)} : std::vector{countWords(columns), rows};
  }
  return {};
}

int64_t StoredCodes::getBit(int64_t index) const {
  if (layout == CodeLayout::PackLoose) {
    int64_t whole = 32 / format.bits;
    return index / whole * 32 + index % whole * format.bits;
  }
  if (layout == CodeLayout::Awq) {
    static constexpr int nibbles[] = {0, 4, 1, 5, 2, 6, 3, 7};
    return index / 8 * 32 + nibbles[index % 8] * 4;
  }
  return index * format.bits;
}

StoredCodes::Stream StoredCodes::getCodes(int64_t row) const {
  if (layout == CodeLayout::Gptq || layout == CodeLayout::GptqV2)
    return {row, rows};
  return {row * countWords(format.columns), 1};
}

StoredCodes::Stream StoredCodes::getZeros(int64_t group) const {
  if (isTransposed())
    return {group * countWords(rows), 1};
  return {group, format.groups()};
}

int64_t StoredCodes::getScale(int64_t row, int64_t group) const {
  return isTransposed() ? group * rows + row : row / scaleRows * format.groups() + group;
}

template <typename Number> static Number load(std::span<const std::byte> bytes, int64_t index) {
  Number number;
  std::memcpy(&number, bytes.data() + index * sizeof number, sizeof number);
  return number;
}

/// The word that contains a bit and, above it, the next word of the stream.
static uint64_t loadPair(std::span<const std::byte> words, int64_t first, int64_t stride, int64_t bit, bool both) {
  int64_t word = first + bit / 32 * stride;
  return load<uint32_t>(words, word) | (both ? uint64_t(load<uint32_t>(words, word + stride)) << 32 : 0);
}

static unsigned readBits(std::span<const std::byte> words, int64_t first, int64_t stride, int64_t bit, unsigned bits) {
  return loadPair(words, first, stride, bit, bit % 32 + bits > 32) >> bit % 32 & ((1u << bits) - 1);
}

static void writeBits(std::span<std::byte> words, int64_t first, int64_t stride, int64_t bit, unsigned bits,
                      unsigned code) {
  bool both = bit % 32 + bits > 32;
  uint64_t pair = loadPair(words, first, stride, bit, both) | uint64_t(code) << bit % 32;
  for (int64_t half = 0; half <= both; ++half) {
    auto word = uint32_t(pair >> 32 * half);
    std::memcpy(words.data() + 4 * (first + (bit / 32 + half) * stride), &word, 4);
  }
}

std::vector<int32_t> nstf::quantize::sortByGroup(std::span<const std::byte> groups, const Format &format) {
  std::vector<std::vector<int32_t>> members(format.groups());
  for (int64_t k = 0; k < format.columns; ++k) {
    auto group = load<int32_t>(groups, k);
    if (group < 0 || group >= format.groups())
      throw std::runtime_error("expected groups of 0 to " + std::to_string(format.groups() - 1) + " but got " +
                               std::to_string(group) + " at " + std::to_string(k));
    members[group].push_back(int32_t(k));
  }
  std::vector<int32_t> order;
  for (int64_t group = 0; group < format.groups(); ++group) {
    int64_t size = std::min(format.groupSize(), format.columns - group * format.groupSize());
    if (int64_t(members[group].size()) != size)
      throw std::runtime_error("expected " + std::to_string(size) + " inputs in group " + std::to_string(group) +
                               " but got " + std::to_string(members[group].size()));
    order.insert(order.end(), members[group].begin(), members[group].end());
  }
  return order;
}

/// In the layout Awq a word holds codes of consecutive rows, all of one column. So column k is a stream with a code of
/// each row, and the index of a code in it is the row.
void StoredCodes::write(int64_t row, const CodedRow &coded, StoredTensors<std::byte> to) const {
  auto put = [&](std::span<std::byte> words, Stream stream, int64_t index, unsigned code) {
    writeBits(words, stream.first, stream.stride, getBit(index), format.bits, code);
  };
  for (int64_t column = 0; column < format.columns; ++column) {
    int64_t k = getInput(column);
    if (isBytes())
      to.codes[row * format.columns + k] = std::byte(coded.codes[column] - format.middle());
    else if (layout == CodeLayout::Awq)
      put(to.codes, {k * countWords(rows), 1}, row, coded.codes[column]);
    else
      put(to.codes, getCodes(row), k, coded.codes[column]);
  }
  for (int64_t group = 0; group < format.groups(); ++group) {
    if (row % scaleRows == 0) { // other rows share it, and may be written concurrently
      uint16_t scale = roundToF16(layout == CodeLayout::Floats ? coded.scales[group] / 2 : coded.scales[group]);
      std::memcpy(to.scales.data() + 2 * getScale(row, group), &scale, 2);
    }
    if (!format.zeros)
      continue;
    if (layout == CodeLayout::Bytes)
      to.zeros[getScale(row, group)] = std::byte(coded.zeros[group] - format.middle());
    else
      put(to.zeros, getZeros(group), row, (coded.zeros[group] - (layout == CodeLayout::Gptq)) & format.largestCode());
  }
}

void StoredCodes::fail(Plane plane, int64_t index, const std::string &expected, const std::string &got) const {
  int64_t width = getShape(plane)[1];
  throw StoredFault(plane, "expected " + expected + " but got " + got + " at [" + std::to_string(index / width) + ", " +
                               std::to_string(index % width) + "]");
}

static bool isF16(float number) { return widenF16(roundToF16(number)) == number; }

/// The same bits in e4m3fnuz are half the number in e4m3fn, so the scales double.
void StoredCodes::readScales(std::span<const std::byte> scales, support::ElementType type, int64_t first,
                             std::span<float> to) const {
  support::convertNumbers(scales.data() + first * support::sizeOf(type), *support::floatFormatFromName(nameOf(type)),
                          std::as_writable_bytes(to).data(), support::FloatFormat::f32, to.size());
  if (layout == CodeLayout::Floats)
    for (float &scale : to)
      scale *= 2;
}

bool StoredCodes::needsWideScales(std::span<const std::byte> scales, support::ElementType type) const {
  std::array<float, 1024> some;
  int64_t count = scales.size() / support::sizeOf(type);
  for (int64_t first = 0; first < count; first += some.size()) {
    std::span<float> next = std::span(some).first(std::min<int64_t>(some.size(), count - first));
    readScales(scales, type, first, next);
    if (std::ranges::any_of(next, [](float scale) { return std::isfinite(scale) && !isF16(scale); }))
      return true;
  }
  return false;
}

bool StoredCodes::areZeros(std::span<const std::byte> zeros, unsigned stored) const {
  for (int64_t group = 0; group < format.groups(); ++group) {
    Stream stream = getZeros(group);
    for (int64_t row = 0; row < rows; ++row)
      if (readBits(zeros, stream.first, stream.stride, getBit(row), format.bits) != stored)
        return false;
  }
  return true;
}

float StoredCodes::readScale(std::span<const std::byte> scales, int64_t index, support::ElementType type) const {
  float scale;
  readScales(scales, type, index, {&scale, 1});
  if (std::isfinite(scale) && (format.wideScales || isF16(scale)))
    return scale;
  char text[32];
  char *end = std::to_chars(text, text + sizeof text, layout == CodeLayout::Floats ? scale / 2 : scale).ptr;
  fail(Plane::Scales, index, format.wideScales ? "finite numbers" : "finite numbers of f16", std::string(text, end));
}

/// Reads the bits of an e4m3fn number. As e4m3fnuz they are half that number.
uint8_t StoredCodes::readFloat(std::span<const std::byte> codes, int64_t index) const {
  auto code = load<uint8_t>(codes, index);
  if ((code & 0x7f) == 0x7f)
    fail(Plane::Codes, index, "numbers of e4m3fn", "NaN");
  return code == 0x80 ? 0 : code;
}

CodedRow StoredCodes::read(int64_t row, StoredTensors<const std::byte> from, support::ElementType scaleType) const {
  auto get = [&](std::span<const std::byte> words, Stream stream, int64_t index) {
    return uint8_t(readBits(words, stream.first, stream.stride, getBit(index), format.bits));
  };
  CodedRow coded;
  for (int64_t column = 0; column < format.columns; ++column) {
    int64_t k = getInput(column);
    if (layout == CodeLayout::Floats)
      coded.codes.push_back(readFloat(from.codes, row * format.columns + k));
    else if (layout == CodeLayout::Bytes)
      coded.codes.push_back(load<uint8_t>(from.codes, row * format.columns + k) + format.middle());
    else if (layout == CodeLayout::Awq)
      coded.codes.push_back(get(from.codes, {k * countWords(rows), 1}, row));
    else
      coded.codes.push_back(get(from.codes, getCodes(row), k));
  }
  for (int64_t group = 0; group < format.groups(); ++group) {
    coded.scales.push_back(readScale(from.scales, getScale(row, group), scaleType));
    if (!format.zeros)
      coded.zeros.push_back(format.middle());
    else if (layout == CodeLayout::Bytes)
      coded.zeros.push_back(load<uint8_t>(from.zeros, getScale(row, group)) + format.middle());
    else // GPTQ stores a zero of 0 as 2^bits - 1
      coded.zeros.push_back((get(from.zeros, getZeros(group), row) + (layout == CodeLayout::Gptq)) &
                            format.largestCode());
  }
  return coded;
}
