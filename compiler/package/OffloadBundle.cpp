// Writes offload bundles (OffloadBundle.h). The layout is that of clang's documentation ("ClangOffloadBundler", Bundled
// Binary File Layout): magic, u64 number of entries, entries {u64 offset, u64 size, u64 length of ID, ID}, then the
// code objects. HIP requires the first entry to be the host's; it is empty here.
#include "compiler/package/OffloadBundle.h"

#include <cstdint>

static constexpr std::string_view magic = "__CLANG_OFFLOAD_BUNDLE__";
/// Page size, since code objects are mapped, not copied.
static constexpr uint64_t alignment = 4096;

static void addWord(std::string &bytes, uint64_t word) {
  for (int i = 0; i < 8; ++i)
    bytes += char(word >> (8 * i) & 255);
}

static uint64_t align(uint64_t offset) { return (offset + alignment - 1) / alignment * alignment; }

std::string nstf::bundleCodeObjects(const std::vector<std::pair<std::string, std::string_view>> &objects) {
  if (objects.size() == 1)
    return std::string(objects.front().second);
  std::vector<std::pair<std::string, std::string_view>> entries = {{"host-x86_64-unknown-linux-gnu-", {}}};
  for (const auto &[target, bytes] : objects)
    entries.push_back({"hipv4-amdgcn-amd-amdhsa--" + target, bytes});
  uint64_t offset = magic.size() + 8;
  for (const auto &[id, bytes] : entries)
    offset += 24 + id.size();
  std::string bundle(magic);
  addWord(bundle, entries.size());
  for (const auto &[id, bytes] : entries) {
    offset = align(offset);
    addWord(bundle, offset);
    addWord(bundle, bytes.size());
    addWord(bundle, id.size());
    bundle += id;
    offset += bytes.size();
  }
  for (const auto &[id, bytes] : entries) {
    bundle.resize(align(bundle.size()));
    bundle += bytes;
  }
  return bundle;
}
