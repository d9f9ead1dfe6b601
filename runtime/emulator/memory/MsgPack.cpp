#include "runtime/emulator/memory/MsgPack.h"

#include <stdexcept>
#include <string>

namespace nstf::emulator {
namespace {
constexpr unsigned maxDepth = 64;

// First bytes of objects. Bytes below 0x80 or from 0xe0 on are small numbers themselves.
enum : uint8_t {
  fixMap = 0x80,
  fixArray = 0x90,
  fixString = 0xa0,
  nil = 0xc0,
  falseValue = 0xc2,
  trueValue = 0xc3,
  bin8 = 0xc4,
  ext8 = 0xc7,
  float32 = 0xca,
  float64 = 0xcb,
  uInt8 = 0xcc,
  int8 = 0xd0,
  fixExt1 = 0xd4,
  string8 = 0xd9,
  array16 = 0xdc,
  map16 = 0xde,
  negative = 0xe0,
};

const char *nameOf(uint8_t first) {
  if (first < fixMap || first >= negative || (first >= uInt8 && first < fixExt1))
    return "a number";
  if (first < fixArray || first == map16 || first == map16 + 1)
    return "a map";
  if (first < fixString || first == array16 || first == array16 + 1)
    return "an array";
  if (first < nil || (first >= string8 && first < array16))
    return "a string";
  return first == falseValue || first == trueValue ? "a truth value" : "an object of another kind";
}
} // namespace

uint8_t MsgPackReader::peek() const {
  if (position >= input.size())
    throw std::runtime_error("kernel metadata ends in the middle of an object");
  return uint8_t(input[position]);
}

void MsgPackReader::pass(uint64_t bytes) {
  if (bytes > input.size() - position)
    throw std::runtime_error("kernel metadata ends in the middle of an object");
  position += bytes;
}

uint64_t MsgPackReader::bigEndian(unsigned bytes) {
  const size_t begin = position;
  pass(bytes);
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i)
    value = value << 8 | uint8_t(input[begin + i]);
  return value;
}

void MsgPackReader::expected(const char *what) const {
  throw std::runtime_error(std::string("expected ") + what + " in kernel metadata but got " + nameOf(peek()) +
                           " at byte " + std::to_string(position));
}

bool MsgPackReader::atString() const {
  const uint8_t first = peek();
  return (first >= fixString && first < nil) || (first >= string8 && first < array16);
}
bool MsgPackReader::atMap() const {
  const uint8_t first = peek();
  return (first >= fixMap && first < fixArray) || first == map16 || first == map16 + 1;
}
bool MsgPackReader::atArray() const {
  const uint8_t first = peek();
  return (first >= fixArray && first < fixString) || first == array16 || first == array16 + 1;
}
bool MsgPackReader::atNumber() const {
  const uint8_t first = peek();
  return first < fixMap || first >= negative || (first >= uInt8 && first < fixExt1) || first == falseValue ||
         first == trueValue;
}

uint64_t MsgPackReader::array() {
  if (!atArray())
    expected("an array");
  const uint8_t first = peek();
  ++position;
  return first < fixString ? first & 15 : bigEndian(first == array16 ? 2 : 4);
}

uint64_t MsgPackReader::map() {
  if (!atMap())
    expected("a map");
  const uint8_t first = peek();
  ++position;
  return first < fixArray ? first & 15 : bigEndian(first == map16 ? 2 : 4);
}

std::string_view MsgPackReader::string() {
  if (!atString())
    expected("a string");
  const uint8_t first = peek();
  ++position;
  const uint64_t size = first < nil ? first & 31 : bigEndian(1u << (first - string8));
  const size_t begin = position;
  pass(size);
  return input.substr(begin, size);
}

uint64_t MsgPackReader::number() {
  if (!atNumber())
    expected("a number");
  const uint8_t first = peek();
  ++position;
  if (first < fixMap)
    return first;
  if (first == falseValue || first == trueValue)
    return first == trueValue;
  if (first >= uInt8 && first < int8)
    return bigEndian(1u << (first - uInt8));
  int64_t value = int8_t(first);
  if (first >= int8 && first < fixExt1) {
    const unsigned bytes = 1u << (first - int8);
    const unsigned unused = 64 - 8 * bytes;
    value = int64_t(bigEndian(bytes) << unused) >> unused;
  }
  if (value < 0)
    throw std::runtime_error("expected no negative number in kernel metadata but got " + std::to_string(value));
  return uint64_t(value);
}

void MsgPackReader::skip(unsigned depth) {
  if (depth > maxDepth)
    throw std::runtime_error("kernel metadata nests deeper than " + std::to_string(maxDepth) + " levels");
  const uint8_t first = peek();
  if (atString()) {
    string();
  } else if (atMap()) {
    for (uint64_t left = 2 * map(); left; --left)
      skip(depth + 1);
  } else if (atArray()) {
    for (uint64_t left = array(); left; --left)
      skip(depth + 1);
  } else {
    ++position;
    if (first >= uInt8 && first < fixExt1)
      pass(1u << ((first - uInt8) & 3));
    else if (first == float32 || first == float64)
      pass(first == float32 ? 4 : 8);
    else if (first >= bin8 && first < ext8)
      pass(bigEndian(1u << (first - bin8)));
    else if (first >= ext8 && first < float32)
      pass(1 + bigEndian(1u << (first - ext8)));
    else if (first >= fixExt1 && first < string8)
      pass(1 + (1u << (first - fixExt1)));
    else if (first == nil + 1)
      throw std::runtime_error("kernel metadata is not valid msgpack: byte 0xc1 begins no object");
  }
}

} // namespace nstf::emulator
