// Fuzzes code objects: loads any bytes as an ELF with all its parts (headers, symbols, relocations, metadata, kernel
// descriptors), then lists, decodes and runs it for a while on both chips.
//
// Most mutations of an ELF change the headers or one section and keep the length, so that the offsets in the other
// parts stay valid.
#include "test/runtime/emulator/fuzz/FuzzProgram.h"

#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>
#include <cstring>

using namespace nstf::emulator;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A heap block of exactly that size makes a read past its end visible to the sanitizer.
  const auto *bytes = reinterpret_cast<const std::byte *>(data);
  fuzz::RunChoices choices;
  choices.stepLimit = 300;
  for (const Target &target : Target::all())
    fuzz::loadAndRun(target, {bytes, size}, choices);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  using namespace llvm::ELF;
  Elf64_Ehdr header;
  if (size < sizeof header || seed % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  seed /= 8;
  std::memcpy(&header, data, sizeof header);
  size_t begin = 0, length = sizeof header;
  switch (seed % 4) {
  case 0: // the headers
    if (seed / 4 % 3 == 1)
      begin = header.e_phoff, length = header.e_phnum * sizeof(Elf64_Phdr);
    else if (seed / 4 % 3 == 2)
      begin = header.e_shoff, length = header.e_shnum * sizeof(Elf64_Shdr);
    break;
  default: // one section
    if (header.e_shnum) {
      const uint64_t at = header.e_shoff + seed / 4 % header.e_shnum * sizeof(Elf64_Shdr);
      Elf64_Shdr section;
      if (at < size && sizeof section <= size - at) {
        std::memcpy(&section, data + at, sizeof section);
        begin = section.sh_offset;
        length = section.sh_size;
      }
    }
  }
  if (begin >= size || !length || length > size - begin)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::vector<uint8_t> part(data + begin, data + begin + length);
  LLVMFuzzerMutate(part.data(), part.size(), part.size());
  std::copy(part.begin(), part.end(), data + begin);
  return size;
}
