// A pull parser of MessagePack (github.com/msgpack/msgpack, spec.md), for kernel metadata: no tree, no copies, and no
// claim of the input is believed before its bytes are there.
#pragma once

#include <cstdint>
#include <string_view>

namespace nstf::emulator {

/// Every member throws std::runtime_error where the input ends, or holds something else than asked for.
class MsgPackReader {
public:
  explicit MsgPackReader(std::string_view input) : input_(input) {}

  /// Enters an array or a map and returns how many elements or pairs follow.
  uint64_t array();
  uint64_t map();
  /// A string; it points into the input.
  std::string_view string();
  /// A whole number that isn't negative; true and false are 1 and 0.
  uint64_t number();
  /// What kind of object comes next.
  bool atString() const;
  bool atMap() const;
  bool atArray() const;
  bool atNumber() const;
  /// Passes over the next object with all inside. At most 64 levels deep.
  void skip(unsigned depth = 0);
  bool atEnd() const { return at_ == input_.size(); }

private:
  uint8_t peek() const;
  uint64_t bigEndian(unsigned bytes);
  void pass(uint64_t bytes);
  [[noreturn]] void expected(const char *what) const;

  std::string_view input_;
  size_t at_ = 0;
};

} // namespace nstf::emulator
