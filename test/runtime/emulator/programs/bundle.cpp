// Writes a clang offload bundle: bundle OUT target=FILE... It replaces clang-offload-bundler of clang-tools; the layout
// is in clang's documentation "ClangOffloadBundler".
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

int main(int count, char **arguments) {
  constexpr size_t page = 4096; // loaders map entries, so they are page-aligned
  struct Entry {
    std::string id, bytes;
  };
  std::vector<Entry> entries = {{"host-x86_64-unknown-linux-gnu-", ""}};
  for (int i = 2; i < count; ++i) {
    std::string argument = arguments[i];
    size_t equals = argument.find('=');
    std::ifstream file(argument.substr(equals + 1), std::ios::binary);
    if (equals == std::string::npos || !file) {
      std::cerr << "error: expected target=file but got " << argument << "\n";
      return 1;
    }
    entries.push_back({"hipv4-amdgcn-amd-amdhsa--" + argument.substr(0, equals),
                       {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}});
  }
  std::string out = "__CLANG_OFFLOAD_BUNDLE__";
  auto word = [&](uint64_t value) { out.append(reinterpret_cast<const char *>(&value), sizeof value); };
  word(entries.size());
  uint64_t offset = page;
  for (const Entry &entry : entries) {
    word(offset);
    word(entry.bytes.size());
    word(entry.id.size());
    out += entry.id;
    offset += (entry.bytes.size() + page - 1) / page * page;
  }
  for (const Entry &entry : entries) {
    out.resize((out.size() + page - 1) / page * page);
    out += entry.bytes;
  }
  std::ofstream(arguments[1], std::ios::binary) << out;
}
