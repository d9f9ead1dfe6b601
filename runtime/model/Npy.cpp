//===- Npy.cpp ----------------------------------------------------------------------===//
//
// The header is a Python dictionary literal such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 64), }. Its
// grammar here is the subset NumPy writes: string keys; values a string, True, False, or a tuple of integers.
//
//===----------------------------------------------------------------------------------===//
#include "nstf/Npy.h"
#include "runtime/model/MappedFile.h"

#include <charconv>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace nstf::runtime {

using manifest::ElementType;

namespace {

struct DescrRow {
  std::string_view descr;
  ElementType type;
};
constexpr DescrRow descrRows[] = {{"<f4", ElementType::F32}, {"<i4", ElementType::I32}, {"<f8", ElementType::F64},
                                  {"<f2", ElementType::F16}, {"<i8", ElementType::I64}, {"<i2", ElementType::I16},
                                  {"|i1", ElementType::I8},  {"|u1", ElementType::U8}};

class HeaderParser {
public:
  HeaderParser(std::string_view text, const std::string &file) : text(text), file(file) {}

  void parse() {
    expect('{');
    while (!accept('}')) {
      std::string_view key = string();
      expect(':');
      if (key == "descr")
        descr = string();
      else if (key == "fortran_order")
        fortranOrder = boolean();
      else if (key == "shape")
        tuple();
      else
        fail("an unknown key '" + std::string(key) + "'");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (descr.empty() || !haveShape)
      fail("no 'descr' or no 'shape'");
  }

  std::string_view descr;
  bool fortranOrder = false;
  std::vector<std::int64_t> shape;

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
    expect('(');
    while (!accept(')')) {
      skipBlanks();
      std::int64_t value = 0;
      auto [end, error] = std::from_chars(text.data() + position, text.data() + text.size(), value);
      if (error != std::errc() || value < 0)
        fail("a shape that is not made of non-negative integers");
      position = end - text.data();
      shape.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  std::string_view text;
  const std::string &file;
  std::size_t position = 0;
  bool haveShape = false;
};

} // namespace

std::uint64_t HostTensor::elements() const {
  std::uint64_t product = 1;
  for (std::int64_t dimension : shape)
    product *= static_cast<std::uint64_t>(dimension);
  return product;
}

std::string HostTensor::str() const { return manifest::Shape{shape}.str() + " " + std::string(manifest::nameOf(type)); }

HostTensor readNpy(const std::filesystem::path &path) {
  MappedFile mapped(path);
  std::string file = path.string();
  std::string_view bytes = mapped.text();
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
  HeaderParser header(bytes.substr(start, length), file);
  header.parse();

  HostTensor tensor;
  tensor.shape = header.shape;
  bool known = false;
  for (const DescrRow &row : descrRows)
    if (row.descr == header.descr) {
      tensor.type = row.type;
      known = true;
    }
  if (!known)
    throw std::runtime_error(file + ": expected a little-endian number type such as <f4 or <i4 but got " +
                             std::string(header.descr));
  if (header.fortranOrder)
    throw std::runtime_error(file + ": expected C order but got Fortran order (save numpy.ascontiguousarray of it)");
  std::uint64_t expected = manifest::sizeOf(tensor.type);
  for (std::int64_t dimension : tensor.shape)
    if (__builtin_mul_overflow(expected, static_cast<std::uint64_t>(dimension), &expected))
      throw std::runtime_error(file + ": expected a shape that fits 64 bits but got " + tensor.str());
  std::uint64_t got = bytes.size() - start - length;
  if (got != expected)
    throw std::runtime_error(file + ": expected " + std::to_string(expected) + " bytes of data for " + tensor.str() +
                             " but got " + std::to_string(got));
  auto data = mapped.bytes().subspan(start + length);
  tensor.data.assign(data.begin(), data.end());
  return tensor;
}

void writeNpy(const std::filesystem::path &path, const HostTensor &tensor) {
  std::string descr;
  for (const DescrRow &row : descrRows)
    if (row.type == tensor.type)
      descr = row.descr;
  if (descr.empty())
    throw std::runtime_error(path.string() + ": npy has no type " + std::string(manifest::nameOf(tensor.type)));
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    header += (i ? ", " : "") + std::to_string(tensor.shape[i]);
  header += tensor.shape.size() == 1 ? ",), }" : "), }"; // (7,) but (3, 64)
  header.append(63 - (10 + header.size()) % 64, ' ');    // data starts at a multiple of 64
  header += '\n';

  std::filesystem::path aside = path;
  aside += "." + std::to_string(::getpid()) + ".part";
  std::ofstream stream(aside, std::ios::binary);
  stream.write("\x93NUMPY\x01\x00", 8);
  char length[2] = {static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  stream.write(length, 2).write(header.data(), header.size());
  stream.write(reinterpret_cast<const char *>(tensor.data.data()), tensor.data.size());
  stream.close();
  std::error_code error;
  if (!stream)
    error = std::error_code(errno, std::generic_category());
  else
    std::filesystem::rename(aside, path, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(aside, ignored);
    throw std::runtime_error(path.string() + ": cannot write it: " + error.message());
  }
}

} // namespace nstf::runtime
