#include "runtime/emulator/launch/ElementType.h"

#include "nstf/FloatTypes.h"
#include "runtime/emulator/instructions/SmallFloats.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace nstf::emulator {
namespace {

using Info = ElementTypeInfo;

uint64_t largestOf(const Info &info, ElementType type) {
  if (type == ElementType::Bool)
    return 1;
  unsigned bits = info.bytes * 8 - (info.kind == Info::Signed);
  return bits == 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
}

/// `value` rounded to odd: a later, coarser rounding of the result gives the same as one of `value`.
float roundToOdd(double value) {
  float nearest = float(value);
  if (double(nearest) == value || std::isnan(value) || std::isinf(nearest))
    return nearest;
  auto bits = std::bit_cast<uint32_t>(nearest);
  if (std::abs(double(nearest)) > std::abs(value))
    --bits; // towards zero
  return std::bit_cast<float>(bits | 1);
}

template <typename Small> bool encodeSmall(double value, std::byte *to) {
  if (std::isinf(value))
    return false;
  float rounded = roundToOdd(value);
  uint8_t code = Small::encode(std::bit_cast<uint32_t>(rounded), false, 0, false);
  *to = std::byte(code);
  return code != 0x80 || std::isnan(value);
}

bool encodeFloat(ElementType type, double value, std::byte *to) {
  auto put = [&](auto bits) { std::memcpy(to, &bits, sizeof bits); };
  switch (type) {
  case ElementType::F64:
    put(value);
    return true;
  case ElementType::F32:
    put(float(value));
    return std::isinf(value) || !std::isinf(float(value));
  case ElementType::F16:
    put(roundToF16(value));
    return std::isinf(value) || !std::isinf(widenF16(roundToF16(value)));
  case ElementType::BF16:
    put(roundToBF16(value));
    return std::isinf(value) || !std::isinf(widenBF16(roundToBF16(value)));
  case ElementType::F8E4M3FNUZ:
    return encodeSmall<Fp8>(value, to);
  default:
    return encodeSmall<Bf8>(value, to);
  }
}

template <typename T> T read(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::string shortest(auto value) {
  char text[64];
  auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

} // namespace

std::optional<ElementType> findElementType(std::string_view name) {
  if (name == "fp8")
    return ElementType::F8E4M3FNUZ;
  if (name == "bf8")
    return ElementType::F8E5M2FNUZ;
  std::optional<ElementType> type = support::elementTypeFromName(name);
  return type && std::ranges::find(launchTypes, *type) != std::end(launchTypes) ? type : std::nullopt;
}

std::string elementTypeNames() {
  std::string names;
  for (ElementType type : launchTypes)
    names += (names.empty() ? "" : ", ") + std::string(nameOf(type));
  return names;
}

bool encode(ElementType type, const Number &number, std::byte *to) {
  const Info &info = getInfo(type);
  if (info.kind == Info::Float) // "-0" is also a float's negative zero
    return encodeFloat(type, number.isWhole && number.negative && !number.magnitude ? -0.0 : number.value, to);
  std::optional<Number> whole = number.getWhole();
  if (!whole)
    return false;
  uint64_t largest = largestOf(info, type);
  bool negative = whole->negative && whole->magnitude;
  if (negative ? info.kind == Info::Unsigned || whole->magnitude - 1 > largest : whole->magnitude > largest)
    return false;
  uint64_t bits = negative ? 0 - whole->magnitude : whole->magnitude;
  std::memcpy(to, &bits, info.bytes); // little-endian, as on the device
  return true;
}

std::string describeRange(ElementType type) {
  const Info &info = getInfo(type);
  if (info.kind == Info::Float)
    return "a number that fits " + std::string(info.name);
  uint64_t largest = largestOf(info, type);
  std::string lowest = info.kind == Info::Signed ? "-" + std::to_string(largest + 1) : "0";
  return "a whole number from " + lowest + " to " + std::to_string(largest);
}

double decode(ElementType type, const std::byte *from) {
  switch (type) {
  case ElementType::F64:
    return read<double>(from);
  case ElementType::F32:
    return read<float>(from);
  case ElementType::F16:
    return widenF16(read<uint16_t>(from));
  case ElementType::BF16:
    return widenBF16(read<uint16_t>(from));
  case ElementType::F8E4M3FNUZ:
    return Fp8::table[read<uint8_t>(from)];
  case ElementType::F8E5M2FNUZ:
    return Bf8::table[read<uint8_t>(from)];
  case ElementType::I64:
    return double(read<int64_t>(from));
  case ElementType::I32:
    return read<int32_t>(from);
  case ElementType::I16:
    return read<int16_t>(from);
  case ElementType::I8:
    return read<int8_t>(from);
  case ElementType::U64:
    return double(read<uint64_t>(from));
  case ElementType::U32:
    return read<uint32_t>(from);
  case ElementType::U16:
    return read<uint16_t>(from);
  default:
    return read<uint8_t>(from);
  }
}

std::string toText(ElementType type, const std::byte *from) {
  switch (type) {
  case ElementType::F64:
    return shortest(read<double>(from));
  case ElementType::I64:
    return std::to_string(read<int64_t>(from));
  case ElementType::U64:
    return std::to_string(read<uint64_t>(from));
  default:
    // The values of every other type are floats or integers below 2^32.
    return isFloat(type) ? shortest(float(decode(type, from))) : std::to_string(int64_t(decode(type, from)));
  }
}

} // namespace nstf::emulator
