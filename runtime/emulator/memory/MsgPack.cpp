#include "runtime/emulator/memory/MsgPack.h"

#include <stdexcept>
#include <string>

namespace nstf::emulator {
namespace {
constexpr unsigned kMaxDepth = 64;

// First bytes of objects. What a byte below 0x80 or from 0xe0 on begins is a small number.
enum : uint8_t {
  kFixMap = 0x80,
  kFixArray = 0x90,
  kFixString = 0xa0,
  kNil = 0xc0,
  kFalse = 0xc2,
  kTrue = 0xc3,
  kBin8 = 0xc4,
  kExt8 = 0xc7,
  kFloat32 = 0xca,
  kFloat64 = 0xcb,
  kUInt8 = 0xcc,
  kInt8 = 0xd0,
  kFixExt1 = 0xd4,
  kString8 = 0xd9,
  kArray16 = 0xdc,
  kMap16 = 0xde,
  kNegative = 0xe0,
};

const char *nameOf(uint8_t first) {
  if (first < kFixMap || first >= kNegative || (first >= kUInt8 && first < kFixExt1))
    return "a number";
  if (first < kFixArray || first == kMap16 || first == kMap16 + 1)
    return "a map";
  if (first < kFixString || first == kArray16 || first == kArray16 + 1)
    return "an array";
  if (first < kNil || (first >= kString8 && first < kArray16))
    return "a string";
  return first == kFalse || first == kTrue ? "a truth value" : "an object of another kind";
}
} // namespace

uint8_t MsgPackReader::peek() const {
  if (at_ >= input_.size())
    throw std::runtime_error("kernel metadata ends in the middle of an object");
  return uint8_t(input_[at_]);
}

void MsgPackReader::pass(uint64_t bytes) {
  if (bytes > input_.size() - at_)
    throw std::runtime_error("kernel metadata ends in the middle of an object");
  at_ += bytes;
}

uint64_t MsgPackReader::bigEndian(unsigned bytes) {
  const size_t begin = at_;
  pass(bytes);
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i)
    value = value << 8 | uint8_t(input_[begin + i]);
  return value;
}

void MsgPackReader::expected(const char *what) const {
  throw std::runtime_error(std::string("expected ") + what + " in kernel metadata but got " + nameOf(peek()) +
                           " at byte " + std::to_string(at_));
}

bool MsgPackReader::atString() const {
  const uint8_t first = peek();
  return (first >= kFixString && first < kNil) || (first >= kString8 && first < kArray16);
}
bool MsgPackReader::atMap() const {
  const uint8_t first = peek();
  return (first >= kFixMap && first < kFixArray) || first == kMap16 || first == kMap16 + 1;
}
bool MsgPackReader::atArray() const {
  const uint8_t first = peek();
  return (first >= kFixArray && first < kFixString) || first == kArray16 || first == kArray16 + 1;
}
bool MsgPackReader::atNumber() const {
  const uint8_t first = peek();
  return first < kFixMap || first >= kNegative || (first >= kUInt8 && first < kFixExt1) || first == kFalse ||
         first == kTrue;
}

uint64_t MsgPackReader::array() {
  if (!atArray())
    expected("an array");
  const uint8_t first = peek();
  ++at_;
  return first < kFixString ? first & 15 : bigEndian(first == kArray16 ? 2 : 4);
}

uint64_t MsgPackReader::map() {
  if (!atMap())
    expected("a map");
  const uint8_t first = peek();
  ++at_;
  return first < kFixArray ? first & 15 : bigEndian(first == kMap16 ? 2 : 4);
}

std::string_view MsgPackReader::string() {
  if (!atString())
    expected("a string");
  const uint8_t first = peek();
  ++at_;
  const uint64_t size = first < kNil ? first & 31 : bigEndian(1u << (first - kString8));
  const size_t begin = at_;
  pass(size);
  return input_.substr(begin, size);
}

uint64_t MsgPackReader::number() {
  if (!atNumber())
    expected("a number");
  const uint8_t first = peek();
  ++at_;
  if (first < kFixMap)
    return first;
  if (first == kFalse || first == kTrue)
    return first == kTrue;
  if (first >= kUInt8 && first < kInt8)
    return bigEndian(1u << (first - kUInt8));
  int64_t value = int8_t(first);
  if (first >= kInt8 && first < kFixExt1) {
    const unsigned bytes = 1u << (first - kInt8);
    const unsigned unused = 64 - 8 * bytes;
    value = int64_t(bigEndian(bytes) << unused) >> unused;
  }
  if (value < 0)
    throw std::runtime_error("expected no negative number in kernel metadata but got " + std::to_string(value));
  return uint64_t(value);
}

void MsgPackReader::skip(unsigned depth) {
  if (depth > kMaxDepth)
    throw std::runtime_error("kernel metadata nests deeper than " + std::to_string(kMaxDepth) + " levels");
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
    ++at_;
    if (first >= kUInt8 && first < kFixExt1)
      pass(1u << ((first - kUInt8) & 3));
    else if (first == kFloat32 || first == kFloat64)
      pass(first == kFloat32 ? 4 : 8);
    else if (first >= kBin8 && first < kExt8)
      pass(bigEndian(1u << (first - kBin8)));
    else if (first >= kExt8 && first < kFloat32)
      pass(1 + bigEndian(1u << (first - kExt8)));
    else if (first >= kFixExt1 && first < kString8)
      pass(1 + (1u << (first - kFixExt1)));
    else if (first == kNil + 1)
      throw std::runtime_error("kernel metadata is not valid msgpack: byte 0xc1 begins no object");
  }
}

} // namespace nstf::emulator
