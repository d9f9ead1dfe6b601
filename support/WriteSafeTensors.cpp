#include "support/WriteSafeTensors.h"

#include <nlohmann/json.hpp>

namespace nstf::support {

uint64_t TensorEntry::getBytes() const {
  uint64_t bytes = sizeOf(type);
  for (int64_t extent : shape)
    bytes *= extent;
  return bytes;
}

SafeTensorsWriter::SafeTensorsWriter(const std::filesystem::path &path, std::vector<TensorEntry> tensors)
    : path(path), staging(path) {
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "pt"}}}};
  uint64_t end = 0;
  for (const TensorEntry &tensor : tensors) {
    uint64_t begin = end;
    end += tensor.getBytes();
    header[tensor.name] = {
        {"dtype", getInfo(tensor.type).safeTensors}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    offsets[tensor.name] = begin;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string first(8, '\0');
  for (int i = 0; i < 8; ++i)
    first[i] = char(text.size() >> 8 * i & 0xff);
  first += text;
  for (auto &[name, offset] : offsets)
    offset += first.size();
  file.emplace(OutputFile::create(staging.content(), path.string(), first.size() + end));
  file->writeAt(0, std::as_bytes(std::span(first)));
}

void SafeTensorsWriter::write(const std::string &tensor, std::span<const std::byte> bytes, uint64_t offset) {
  file->writeAt(offsets.at(tensor) + offset, bytes);
}

void SafeTensorsWriter::publish() {
  file->close();
  staging.publish(path);
}

} // namespace nstf::support
