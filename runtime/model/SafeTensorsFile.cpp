#include "runtime/model/SafeTensorsFile.h"
#include "runtime/model/JsonCursor.h"
#include "runtime/model/ManifestReader.h"

#include <cstring>
#include <stdexcept>

namespace nstf::runtime {

using manifest::ElementType;

SafeTensorsFile::SafeTensorsFile(const std::filesystem::path &path) : mapped(path) {
  std::string file = path.string();
  uint64_t length = 0;
  if (mapped.size() < sizeof(length))
    throw std::runtime_error(file + ": expected a safetensors file but it has " + std::to_string(mapped.size()) +
                             " bytes");
  std::memcpy(&length, mapped.bytes().data(), sizeof(length));
  if (length > mapped.size() - sizeof(length))
    throw std::runtime_error(file + ": expected a header of " + std::to_string(length) + " bytes but the file has " +
                             std::to_string(mapped.size()));
  nlohmann::json header = JsonCursor::parse(mapped.text().substr(sizeof(length), length), file);
  std::span<const std::byte> data = mapped.bytes().subspan(sizeof(length) + length);
  static const std::map<std::string, ElementType> types = {
      {"F64", ElementType::F64},   {"F32", ElementType::F32}, {"F16", ElementType::F16},
      {"BF16", ElementType::BF16}, {"I64", ElementType::I64}, {"I32", ElementType::I32},
      {"I16", ElementType::I16},   {"I8", ElementType::I8},   {"U8", ElementType::U8}};
  for (const auto &[name, item] : JsonCursor(header, file).members()) {
    if (name == "__metadata__")
      continue;
    auto type = types.find(item["dtype"].string());
    if (type == types.end())
      continue; // an error only if it is asked for
    manifest::Shape shape = manifest::readShape(item["shape"], /*allowTokens=*/false);
    std::vector<JsonCursor> offsets = item["data_offsets"].elements(2, 2);
    uint64_t begin = offsets[0].integer(0, data.size()), end = offsets[1].integer(begin, data.size());
    uint64_t expected = shape.elements(0) * manifest::sizeOf(type->second);
    if (end - begin != expected)
      offsets[1].failExpected(std::to_string(begin + expected) + ", the end of " + shape.str() + " " + type->first +
                              " from " + std::to_string(begin) + ",");
    entries.emplace(name, Entry{type->second, shape, data.subspan(begin, end - begin)});
  }
}

const SafeTensorsFile::Entry *SafeTensorsFile::find(const std::string &name) const {
  auto it = entries.find(name);
  return it == entries.end() ? nullptr : &it->second;
}

} // namespace nstf::runtime
