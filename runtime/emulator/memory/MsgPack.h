// A pull parser of MessagePack (github.com/msgpack/msgpack, spec.md), for kernel metadata. It builds no tree and copies
// nothing, and it checks every size in the input against the bytes that are present.
#pragma once

#include <cstdint>
#include <string_view>

namespace nstf::emulator {

/// Every member throws std::runtime_error if the input ends, or if the next object is of another kind.
class MsgPackReader {
public:
  explicit MsgPackReader(std::string_view input) : input(input) {}

  /// Enters an array or a map and returns the number of elements or pairs that follow.
  uint64_t array();
  uint64_t map();
  /// A string; it points into the input.
  std::string_view string();
  /// A non-negative integer; true and false are 1 and 0.
  uint64_t number();
  /// The kind of the next object.
  bool atString() const;
  bool atMap() const;
  bool atArray() const;
  bool atNumber() const;
  /// Skips the next object with its contents, at most 64 levels deep.
  void skip(unsigned depth = 0);
  bool atEnd() const { return position == input.size(); }

private:
  uint8_t peek() const;
  uint64_t bigEndian(unsigned bytes);
  void pass(uint64_t bytes);
  [[noreturn]] void expected(const char *what) const;

  std::string_view input;
  size_t position = 0;
};

} // namespace nstf::emulator
