#include "nstf/Npy.h"

#include "nstf/NpyHeader.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/WriteFile.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace nstf::runtime {

using manifest::ElementType;

namespace {

/// The types that .npy files store directly; they have no bf16.
constexpr ElementType knownTypes[] = {ElementType::F32, ElementType::I32, ElementType::F64, ElementType::F16,
                                      ElementType::I64, ElementType::I16, ElementType::I8,  ElementType::U8};

} // namespace

uint64_t HostTensor::elements() const {
  uint64_t product = 1;
  for (int64_t dimension : shape)
    product *= static_cast<uint64_t>(dimension);
  return product;
}

std::string HostTensor::str() const {
  return support::escape(manifest::Shape{shape}.str(), 100) + " " + std::string(manifest::nameOf(type));
}

HostTensor makeIds(std::span<const int32_t> ids) {
  std::span bytes = std::as_bytes(ids);
  return {ElementType::I32, {static_cast<int64_t>(ids.size())}, {bytes.begin(), bytes.end()}};
}

HostTensor readNpy(const std::filesystem::path &path) {
  support::MappedFile mapped(path);
  std::string file = path.string();
  NpyHeader header = parseNpyHeader(mapped.text(), file);

  HostTensor tensor;
  tensor.shape = header.shape;
  auto type = std::ranges::find(knownTypes, header.descr, [](ElementType known) { return getInfo(known).npy; });
  if (type == std::end(knownTypes))
    throw std::runtime_error(file + ": expected a little-endian number type such as <f4 or <i4 but got " +
                             support::escape(header.descr));
  tensor.type = *type;
  if (header.fortranOrder)
    throw std::runtime_error(file + ": expected C order but got Fortran order (save numpy.ascontiguousarray of it)");
  uint64_t expected = manifest::sizeOf(tensor.type);
  for (int64_t dimension : tensor.shape)
    if (__builtin_mul_overflow(expected, static_cast<uint64_t>(dimension), &expected))
      throw std::runtime_error(file + ": expected a shape that fits 64 bits but got " + tensor.str());
  uint64_t got = mapped.size() - header.dataOffset;
  if (got != expected)
    throw std::runtime_error(file + ": expected " + std::to_string(expected) + " bytes of data for " + tensor.str() +
                             " but got " + std::to_string(got));
  auto data = mapped.bytes().subspan(header.dataOffset);
  tensor.data.assign(data.begin(), data.end());
  return tensor;
}

std::vector<std::vector<int32_t>> readTokenIds(const std::filesystem::path &path) {
  HostTensor tensor = readNpy(path);
  std::string file = path.string();
  bool isWide = tensor.type == manifest::ElementType::I64;
  if ((!isWide && tensor.type != manifest::ElementType::I32) || tensor.shape.empty() || tensor.shape.size() > 2 ||
      tensor.elements() == 0)
    throw std::runtime_error(file + ": expected token ids, i32 or i64, in one or two dimensions but got " +
                             tensor.str());
  std::vector<std::vector<int32_t>> texts(tensor.shape.size() == 2 ? tensor.shape[0] : 1);
  for (size_t i = 0; i < tensor.elements(); ++i) {
    int64_t id = isWide ? tensor.as<int64_t>()[i] : tensor.as<int32_t>()[i];
    if (id < 0 || id > INT32_MAX)
      throw std::runtime_error(file + ": expected token ids of 0 and more but got " + std::to_string(id));
    texts[i / tensor.shape.back()].push_back(static_cast<int32_t>(id));
  }
  return texts;
}

void writeNpy(const std::filesystem::path &path, const HostTensor &tensor) {
  if (std::ranges::find(knownTypes, tensor.type) == std::end(knownTypes))
    throw std::runtime_error(path.string() + ": npy has no type " + std::string(nameOf(tensor.type)));
  std::string header = makeNpyHeader(std::string(getInfo(tensor.type).npy), tensor.shape);
  support::writeFile(path, {header, {reinterpret_cast<const char *>(tensor.data.data()), tensor.data.size()}});
}

} // namespace nstf::runtime
