#include "runtime/emulator/memory/TargetId.h"

#include "llvm/BinaryFormat/ELF.h"

#include <stdexcept>

namespace nstf::emulator {
namespace {
using Feature = TargetId::Feature;

struct Machine {
  uint32_t flag;
  const char *name;
};
// EF_AMDGPU_MACH values whose names a message should be able to say; what the emulator runs is a smaller set.
constexpr Machine kMachines[] = {
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX900, "gfx900"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX906, "gfx906"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX908, "gfx908"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A, "gfx90a"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942, "gfx942"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX950, "gfx950"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1010, "gfx1010"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1030, "gfx1030"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1100, "gfx1100"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1101, "gfx1101"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1200, "gfx1200"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1201, "gfx1201"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX9_GENERIC, "gfx9-generic"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX9_4_GENERIC, "gfx9-4-generic"},
};

void append(std::string &text, const char *name, Feature feature) {
  if (feature == Feature::On || feature == Feature::Off)
    text += std::string(":") + name + (feature == Feature::On ? "+" : "-");
}

bool agrees(Feature code, Feature device) {
  return code == Feature::Unsupported || code == Feature::Any || device == Feature::Any || code == device;
}
} // namespace

TargetId TargetId::parse(std::string_view text) {
  TargetId id;
  size_t colon = text.find(':');
  id.processor = std::string(text.substr(0, colon));
  if (!id.processor.starts_with("gfx"))
    throw std::runtime_error("expected a target ID like gfx942:sramecc+:xnack- but got \"" + std::string(text) + "\"");
  while (colon != std::string_view::npos) {
    text.remove_prefix(colon + 1);
    colon = text.find(':');
    std::string_view feature = text.substr(0, colon);
    Feature value = feature.ends_with('+') ? Feature::On : Feature::Off;
    if (feature == "sramecc+" || feature == "sramecc-")
      id.sramecc = value;
    else if (feature == "xnack+" || feature == "xnack-")
      id.xnack = value;
    else
      throw std::runtime_error("expected sramecc+, sramecc-, xnack+ or xnack- in a target ID but got \"" +
                               std::string(feature) + "\"");
  }
  return id;
}

TargetId TargetId::fromElfFlags(uint32_t flags, uint8_t abiVersion) {
  using namespace llvm::ELF;
  if (abiVersion < ELFABIVERSION_AMDGPU_HSA_V4 || abiVersion > ELFABIVERSION_AMDGPU_HSA_V6)
    throw std::runtime_error("expected a code object of version 4, 5 or 6 but got ELF ABI version " +
                             std::to_string(abiVersion));
  TargetId id;
  for (const Machine &machine : kMachines)
    if ((flags & EF_AMDGPU_MACH) == machine.flag)
      id.processor = machine.name;
  if (id.processor.empty()) {
    char text[80];
    std::snprintf(text, sizeof text, "unknown amdgpu machine number 0x%x in the ELF's flags", flags & EF_AMDGPU_MACH);
    throw std::runtime_error(text);
  }
  auto feature = [&](uint32_t mask, uint32_t any, uint32_t off, uint32_t on) {
    uint32_t value = flags & mask;
    return value == on ? Feature::On : value == off ? Feature::Off : value == any ? Feature::Any : Feature::Unsupported;
  };
  id.xnack = feature(EF_AMDGPU_FEATURE_XNACK_V4, EF_AMDGPU_FEATURE_XNACK_ANY_V4, EF_AMDGPU_FEATURE_XNACK_OFF_V4,
                     EF_AMDGPU_FEATURE_XNACK_ON_V4);
  id.sramecc = feature(EF_AMDGPU_FEATURE_SRAMECC_V4, EF_AMDGPU_FEATURE_SRAMECC_ANY_V4, EF_AMDGPU_FEATURE_SRAMECC_OFF_V4,
                       EF_AMDGPU_FEATURE_SRAMECC_ON_V4);
  return id;
}

std::string TargetId::str() const {
  std::string text = processor;
  append(text, "sramecc", sramecc);
  append(text, "xnack", xnack);
  return text;
}

bool TargetId::runsOn(const TargetId &device) const {
  // gfx9-4-generic is the common subset of gfx940 to gfx950 (AMDGPUUsage, "Generic processors").
  bool processorFits =
      processor == device.processor ||
      (processor == "gfx9-4-generic" && (device.processor == "gfx942" || device.processor == "gfx950"));
  return processorFits && agrees(sramecc, device.sramecc) && agrees(xnack, device.xnack);
}

} // namespace nstf::emulator
