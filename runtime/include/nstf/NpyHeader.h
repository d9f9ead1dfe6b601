// The header of NumPy's array files.
//
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html (versions 1.0, 2.0 and 3.0 are read,
// 1.0 is written). The header is a Python dictionary literal such as {'descr': '<f4', 'fortran_order': False, 'shape':
// (3, 64), }. The grammar here is the subset that NumPy writes: keys are strings; a value is a string, True, False, or
// a tuple of integers. The callers decide which types they accept and how they handle Fortran order.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace nstf {

struct NpyHeader {
  std::string descr; ///< "<f4", "|u1"
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  std::size_t dataOffset = 0; ///< of the first element, in bytes
};

namespace detail {

class NpyHeaderParser {
public:
  NpyHeaderParser(std::string_view text, const std::string &file) : text(text), file(file) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      std::string_view key = string();
      expect(':');
      if (key == "descr")
        header.descr = string();
      else if (key == "fortran_order")
        header.fortranOrder = boolean();
      else if (key == "shape")
        tuple();
      else
        fail("an unknown key '" + std::string(key.substr(0, 60)) + "'");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (header.descr.empty() || !haveShape)
      fail("no 'descr' or no 'shape'");
    return header;
  }

private:
  [[noreturn]] void fail(const std::string &got) {
    throw std::runtime_error(file + ": expected an npy header but got " + got);
  }
  void skipBlanks() {
    while (position < text.size() && (text[position] == ' ' || text[position] == '\n'))
      ++position;
  }
  bool accept(char c) {
    skipBlanks();
    if (position >= text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail("'" + std::string(text.substr(position, 12)) + "' where '" + c + "' should stand");
  }
  std::string_view string() {
    skipBlanks();
    char quote = accept('"') ? '"' : '\'';
    if (quote == '\'')
      expect('\'');
    std::size_t end = text.find(quote, position);
    if (end == std::string_view::npos)
      fail("a string without end");
    std::string_view result = text.substr(position, end - position);
    position = end + 1;
    return result;
  }
  bool boolean() {
    skipBlanks();
    bool value = text.substr(position, 4) == "True";
    if (!value && text.substr(position, 5) != "False")
      fail("a fortran_order that is neither True nor False");
    position += value ? 4 : 5;
    return value;
  }
  void tuple() {
    haveShape = true;
    header.shape.clear();
    expect('(');
    while (!accept(')')) {
      skipBlanks();
      int64_t value = 0;
      auto [end, error] = std::from_chars(text.data() + position, text.data() + text.size(), value);
      if (error != std::errc() || value < 0)
        fail("a shape that is not made of non-negative integers");
      position = end - text.data();
      header.shape.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  std::string_view text;
  const std::string &file;
  NpyHeader header;
  std::size_t position = 0;
  bool haveShape = false;
};

} // namespace detail

/// Reads the header of `bytes`, a whole file; `file` is named in errors (std::runtime_error).
inline NpyHeader parseNpyHeader(std::string_view bytes, const std::string &file) {
  auto byteAt = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() < 10 || bytes.substr(0, 6) != std::string_view("\x93NUMPY", 6))
    throw std::runtime_error(file + ": expected an npy file but it does not start with \\x93NUMPY");
  // Versions differ in the width of the header's length (2 or 4 bytes) and in its text encoding.
  int version = byteAt(6);
  std::size_t start = version == 1 ? 10 : 12;
  if (version < 1 || version > 3)
    throw std::runtime_error(file + ": expected npy version 1, 2 or 3 but got " + std::to_string(version));
  std::size_t length = byteAt(8) | byteAt(9) << 8;
  if (version > 1 && bytes.size() >= 12)
    length |= std::size_t(byteAt(10)) << 16 | std::size_t(byteAt(11)) << 24;
  if (bytes.size() < start || length > bytes.size() - start)
    throw std::runtime_error(file + ": expected a header of " + std::to_string(length) + " bytes but the file has " +
                             std::to_string(bytes.size()));
  NpyHeader header = detail::NpyHeaderParser(bytes.substr(start, length), file).parse();
  header.dataOffset = start + length;
  return header;
}

/// The header of a file in C order, magic included, padded so that the data begins at a multiple of 64.
inline std::string makeNpyHeader(const std::string &descr, const std::vector<int64_t> &shape) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i)
    header += (i ? ", " : "") + std::to_string(shape[i]);
  header += shape.size() == 1 ? ",), }" : "), }"; // (7,) but (3, 64)
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  const char length[2] = {static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + std::string(length, 2) + header;
}

} // namespace nstf
