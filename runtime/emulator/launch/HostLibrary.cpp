#include "runtime/emulator/launch/HostLibrary.h"

#include "llvm/Object/ELFObjectFile.h"

#include <stdexcept>

namespace nstf::emulator {

using namespace llvm;
using object::ELF64LEObjectFile, object::ELFSymbolRef, object::ObjectFile;

std::string neededLibrary(const std::string &file, const std::string &name) {
  Expected<object::OwningBinary<ObjectFile>> binary = ObjectFile::createObjectFile(file);
  if (!binary) { // a script
    consumeError(binary.takeError());
    return "";
  }
  const auto *elf = dyn_cast<ELF64LEObjectFile>(binary->getBinary());
  if (!elf)
    return "";
  auto entries = elf->getELFFile().dynamicEntries();
  if (!entries) {
    consumeError(entries.takeError());
    return "";
  }
  StringRef strings;
  for (const auto &entry : *entries)
    if (entry.d_tag == ELF::DT_STRTAB) {
      if (auto mapped = elf->getELFFile().toMappedAddr(entry.getVal())) {
        const auto *begin = reinterpret_cast<const char *>(*mapped);
        strings = elf->getData().substr(size_t(begin - elf->getData().data()));
      } else {
        consumeError(mapped.takeError());
      }
    }
  for (const auto &entry : *entries)
    if (entry.d_tag == ELF::DT_NEEDED && entry.getVal() < strings.size())
      if (const StringRef needed = strings.substr(entry.getVal()).split('\0').first; needed.starts_with(name))
        return needed.str();
  return "";
}

std::set<std::string> exportedFunctions(const std::string &library) {
  Expected<object::OwningBinary<ObjectFile>> binary = ObjectFile::createObjectFile(library);
  if (!binary)
    throw std::runtime_error(library + ": " + toString(binary.takeError()));
  std::set<std::string> names;
  if (const auto *elf = dyn_cast<object::ELFObjectFileBase>(binary->getBinary()))
    for (const ELFSymbolRef symbol : elf->getDynamicSymbolIterators()) {
      Expected<StringRef> name = symbol.getName();
      Expected<uint32_t> flags = symbol.getFlags();
      if (!name || !flags) {
        consumeError(name.takeError());
        consumeError(flags.takeError());
      } else if (!(*flags & object::SymbolRef::SF_Undefined) && symbol.getELFType() == ELF::STT_FUNC) {
        names.insert(name->str());
      }
    }
  return names;
}

} // namespace nstf::emulator
