#include "runtime/emulator/memory/CodeObjectContainer.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/CodeObjectFile.h"
#include "runtime/emulator/memory/ElfFile.h"
#include "runtime/emulator/memory/OffloadBinary.h"
#include "runtime/emulator/memory/OffloadBundle.h"

#include <algorithm>
#include <cstring>

namespace nstf::emulator {
namespace {
using llvm::ELF::Elf64_Ehdr;
using llvm::ELF::Elf64_Phdr;
using llvm::ELF::Elf64_Shdr;

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// If only a pointer is known, the ELF's own headers give its size: the furthest byte that any of them names.
uint64_t elfSize(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  uint64_t end = std::max<uint64_t>(sizeof header, header.e_shoff + uint64_t(header.e_shnum) * header.e_shentsize);
  end = std::max<uint64_t>(end, header.e_phoff + uint64_t(header.e_phnum) * header.e_phentsize);
  for (unsigned i = 0; i < header.e_phnum && header.e_phentsize == sizeof(Elf64_Phdr); ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    end = std::max<uint64_t>(end, segment.p_offset + segment.p_filesz);
  }
  return std::min<uint64_t>(end, bytes.size());
}

bool isBundle(std::span<const std::byte> bytes) {
  return OffloadBundle::startsHere(bytes) || CompressedBundle::startsHere(bytes) || OffloadBinary::startsHere(bytes);
}

int fixedFeatures(const TargetId &id) {
  auto fixed = [](TargetId::Feature f) { return f == TargetId::Feature::On || f == TargetId::Feature::Off; };
  return fixed(id.sramecc) + fixed(id.xnack);
}

/// Whether code for `target` runs on the device, and how specific it is; -1: it does not run. IDs that cannot be parsed
/// belong to newer chips and features.
int fitness(const std::string &target, const TargetId &device) {
  try {
    const TargetId id = TargetId::parse(target);
    return id.runsOn(device) ? fixedFeatures(id) + (id.processor == device.processor ? 4 : 0) : -1;
  } catch (const std::runtime_error &) {
    return -1;
  }
}
} // namespace

CodeObjectContainer::CodeObjectContainer(SharedBytes file, std::string name, bool endless)
    : file(std::move(file)), label(std::move(name)), endless(endless) {
  findParts();
}

CodeObjectContainer CodeObjectContainer::open(const std::string &path) { return {mapFile(path), path, false}; }

CodeObjectContainer CodeObjectContainer::view(const void *data, size_t size, std::string name) {
  if (!data || size < 4)
    throw LoadError(LoadError::Reason::Malformed,
                    name + ": expected a code object but got " + std::to_string(data ? size : 0) + " bytes");
  const bool endless = size == SIZE_MAX;
  if (endless)
    size = SIZE_MAX - reinterpret_cast<uintptr_t>(data);
  return {SharedBytes{{static_cast<const std::byte *>(data), size}, nullptr}, std::move(name), endless};
}

void CodeObjectContainer::findParts() {
  const std::span<const std::byte> bytes = file.bytes;
  if (isBundle(bytes)) {
    findBundles(0, bytes.size());
  } else if (ElfFile::startsHere(bytes) && (ElfFile::isAmdgpu(bytes) || bytes.size() < sizeof(Elf64_Ehdr))) {
    // Too short for a header: the error is reported when it is read.
    const bool whole = !endless || bytes.size() < sizeof(Elf64_Ehdr);
    partList.push_back({Part::Kind::CodeObject, 0, whole ? bytes.size() : elfSize(bytes), {}});
  } else if (ElfFile::startsHere(bytes)) {
    findPartsOfHost();
  } else {
    throw LoadError(LoadError::Reason::Malformed,
                    label + ": expected an ELF or a clang offload bundle, plain or compressed, and it is neither");
  }
}

void CodeObjectContainer::findPartsOfHost() {
  const ElfFile host(endless ? file.bytes.first(elfSize(file.bytes)) : file.bytes, label, ElfFile::Kind::Host);
  bool found = false;
  for (const Elf64_Shdr &section : host.sections()) {
    const std::string_view name = host.sectionName(section);
    if (section.sh_type == llvm::ELF::SHT_NOBITS || (name != ".hip_fatbin" && name != ".llvm.offloading"))
      continue;
    found = true;
    host.bytes(section.sh_offset, section.sh_size, "a section with device code");
    findBundles(section.sh_offset, section.sh_offset + section.sh_size);
  }
  if (found)
    return;
  // Without section headers (sstrip), bundles begin on page boundaries of the loaded data.
  constexpr uint64_t page = 4096;
  for (const Elf64_Phdr &segment : host.segments()) {
    if (segment.p_type != llvm::ELF::PT_LOAD || !host.sections().empty())
      continue;
    const uint64_t size = host.bytes(segment.p_offset, segment.p_filesz, "a segment").size();
    for (uint64_t at = (page - segment.p_vaddr % page) % page; at < size; at += page)
      if (isBundle(file.bytes.subspan(segment.p_offset + at, size - at))) {
        findBundles(segment.p_offset + at, segment.p_offset + size);
        break;
      }
  }
  if (partList.empty())
    throw LoadError(
        LoadError::Reason::Malformed,
        label + " is an ELF for machine " + std::to_string(host.header().e_machine) +
            " without a section .hip_fatbin or .llvm.offloading: it has no code for an amdgpu device inside");
}

void CodeObjectContainer::findBundles(uint64_t begin, uint64_t end) {
  constexpr uint64_t page = 4096;
  const size_t before = partList.size();
  for (uint64_t at = begin; at < end;) {
    const std::span<const std::byte> bytes = file.bytes.subspan(at, end - at);
    Part part;
    part.offset = at;
    const std::string place = label + ": bundle " + std::to_string(partList.size()) + " at " + hex(at);
    if (CompressedBundle::startsHere(bytes)) {
      part.kind = Part::Kind::CompressedBundle;
      part.compression = CompressedBundle::parse(bytes, endless, place);
      part.size = part.compression.totalBytes;
    } else if (OffloadBundle::startsHere(bytes)) {
      part.kind = Part::Kind::Bundle;
      part.size = OffloadBundle::parse(bytes, place).size;
    } else if (OffloadBinary::startsHere(bytes)) {
      part.kind = Part::Kind::OffloadBinary;
      part.size = OffloadBinary::parse(bytes, place).size;
    } else {
      if (partList.size() > before) {
        leftoverText = label + ": expected a bundle at " + hex(at) + " but got " + std::to_string(end - at) +
                       " bytes of something else";
        return;
      }
      throw LoadError(LoadError::Reason::Malformed, place + ": expected an offload bundle");
    }
    partList.push_back(part);
    if (endless)
      return; // there is one; the bytes after it are unknown
    at += part.size;
    if (part.compression.totalIsBound) {
      // Its end is unknown: the next one begins on a page boundary after its begin.
      for (at = part.offset + page; at < end && !isBundle(file.bytes.subspan(at, end - at));)
        at += page;
    }
    while (at < end && file.bytes[at] == std::byte(0)) // padding before the next one
      ++at;
  }
}

std::string CodeObjectContainer::getPlace(size_t part) const {
  const Part &p = partList[part];
  if (p.kind == Part::Kind::CodeObject)
    return label;
  const std::string what = p.kind == Part::Kind::CompressedBundle ? " (" + p.compression.str() + ")" : "";
  if (partList.size() == 1 && p.offset == 0)
    return label + what;
  return label + ": bundle " + std::to_string(part) + " at " + hex(p.offset) + what;
}

std::vector<ContainedCodeObject> CodeObjectContainer::read(size_t part, bool checkHash) const {
  const Part &p = partList.at(part);
  const std::string place = getPlace(part);
  SharedBytes bytes = file.part(p.offset, p.size);
  std::vector<ContainedCodeObject> result;
  if (p.kind == Part::Kind::CodeObject) {
    ContainedCodeObject object{"", "", part, 0, place, std::move(bytes)};
    if (const std::optional<TargetId> target = codeObjectTarget(object.code.bytes))
      object.target = target->str();
    result.push_back(std::move(object));
    return result;
  }
  if (p.kind == Part::Kind::OffloadBinary) {
    const OffloadBinary binary = OffloadBinary::parse(bytes.bytes, place);
    const SharedBytes image = bytes.part(binary.imageOffset, binary.imageBytes);
    if (ElfFile::isAmdgpu(image.bytes)) // not bitcode, or another vendor's
      result.push_back(
          {binary.triple + "-" + binary.arch, binary.arch, part, 0, place + " (" + binary.arch + ")", image});
    return result;
  }
  if (p.kind == Part::Kind::CompressedBundle)
    bytes = p.compression.unpack(bytes.bytes, place, checkHash);
  const OffloadBundle bundle = OffloadBundle::parse(bytes.bytes, place);
  for (unsigned i = 0; i < bundle.entries.size(); ++i) {
    const OffloadBundle::Entry &entry = bundle.entries[i];
    if (entry.target().empty())
      continue;
    result.push_back({entry.id, std::string(entry.target()), part, i,
                      place + ", entry " + std::to_string(i) + " (" + std::string(entry.target()) + ")",
                      bytes.part(entry.offset, entry.size)});
  }
  return result;
}

ContainedCodeObject CodeObjectContainer::select(const TargetId &device, std::string_view kernel) const {
  std::string offered;
  bool anyRuns = false;
  for (size_t part = 0; part < partList.size(); ++part) {
    std::vector<ContainedCodeObject> objects = read(part);
    if (partList[part].kind == Part::Kind::CodeObject && kernel.empty())
      return std::move(objects.front()); // loading distinguishes a wrong target from a damaged header
    int bestFitness = -1;
    ContainedCodeObject *best = nullptr;
    for (ContainedCodeObject &object : objects) {
      const int fits = object.id.empty() ? 0 : fitness(object.target, device);
      if (fits > bestFitness) {
        bestFitness = fits;
        best = &object;
      }
      if (offered.find(object.target) == offered.npos && offered.size() < 200)
        offered += (offered.empty() ? "" : ", ") + object.target;
    }
    if (!best)
      continue;
    anyRuns = true;
    if (kernel.empty() || hasKernel(best->code.bytes, kernel))
      return std::move(*best);
  }
  if (anyRuns)
    throw LoadError(LoadError::Reason::NotFound,
                    label + " has no kernel " + std::string(kernel) + " for " + device.str());
  throw LoadError(LoadError::Reason::WrongTarget, label + " holds code for " +
                                                      (offered.empty() ? "no amdgpu target" : offered) +
                                                      " but the device is " + device.str());
}

ContainedCodeObject selectCodeObject(const TargetId &device, const void *data, size_t size, const std::string &name) {
  return CodeObjectContainer::view(data, size, name).select(device);
}

} // namespace nstf::emulator
