#include "runtime/emulator/memory/TargetId.h"

#include "support/Escape.h"
#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>
#include <stdexcept>

namespace nstf::emulator {
namespace {
using Feature = TargetId::Feature;

struct Machine {
  uint32_t flag;
  const char *name;
  // Settings of its code objects of version 3.
  bool xnack = false, sramecc = false;
  const char *generic = ""; ///< the generic processor whose code it runs
};
// EF_AMDGPU_MACH values by name: files for other chips can be listed, and messages can name their chips.
#define NSTF_MACHINE(flag, ...) {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_##flag, __VA_ARGS__}
constexpr Machine machines[] = {
    NSTF_MACHINE(GFX600, "gfx600"),
    NSTF_MACHINE(GFX601, "gfx601"),
    NSTF_MACHINE(GFX602, "gfx602"),
    NSTF_MACHINE(GFX700, "gfx700"),
    NSTF_MACHINE(GFX701, "gfx701"),
    NSTF_MACHINE(GFX702, "gfx702"),
    NSTF_MACHINE(GFX703, "gfx703"),
    NSTF_MACHINE(GFX704, "gfx704"),
    NSTF_MACHINE(GFX705, "gfx705"),
    NSTF_MACHINE(GFX801, "gfx801"),
    NSTF_MACHINE(GFX802, "gfx802"),
    NSTF_MACHINE(GFX803, "gfx803"),
    NSTF_MACHINE(GFX805, "gfx805"),
    NSTF_MACHINE(GFX810, "gfx810"),
    NSTF_MACHINE(GFX900, "gfx900", true),
    NSTF_MACHINE(GFX902, "gfx902"),
    NSTF_MACHINE(GFX904, "gfx904"),
    NSTF_MACHINE(GFX906, "gfx906", true, true),
    NSTF_MACHINE(GFX908, "gfx908", true, true),
    NSTF_MACHINE(GFX909, "gfx909"),
    NSTF_MACHINE(GFX90C, "gfx90c"),
    NSTF_MACHINE(GFX90A, "gfx90a", true, true),
    NSTF_MACHINE(GFX942, "gfx942", true, true, "gfx9-4-generic"),
    NSTF_MACHINE(GFX950, "gfx950", false, false, "gfx9-4-generic"),
    NSTF_MACHINE(GFX1010, "gfx1010"),
    NSTF_MACHINE(GFX1011, "gfx1011"),
    NSTF_MACHINE(GFX1012, "gfx1012"),
    NSTF_MACHINE(GFX1013, "gfx1013"),
    NSTF_MACHINE(GFX1030, "gfx1030"),
    NSTF_MACHINE(GFX1031, "gfx1031"),
    NSTF_MACHINE(GFX1032, "gfx1032"),
    NSTF_MACHINE(GFX1033, "gfx1033"),
    NSTF_MACHINE(GFX1034, "gfx1034"),
    NSTF_MACHINE(GFX1035, "gfx1035"),
    NSTF_MACHINE(GFX1036, "gfx1036"),
    NSTF_MACHINE(GFX1100, "gfx1100"),
    NSTF_MACHINE(GFX1101, "gfx1101"),
    NSTF_MACHINE(GFX1102, "gfx1102"),
    NSTF_MACHINE(GFX1103, "gfx1103"),
    NSTF_MACHINE(GFX1150, "gfx1150"),
    NSTF_MACHINE(GFX1151, "gfx1151"),
    NSTF_MACHINE(GFX1152, "gfx1152"),
    NSTF_MACHINE(GFX1153, "gfx1153"),
    NSTF_MACHINE(GFX1200, "gfx1200"),
    NSTF_MACHINE(GFX1201, "gfx1201"),
    NSTF_MACHINE(GFX1250, "gfx1250"),
    NSTF_MACHINE(GFX1251, "gfx1251"),
    NSTF_MACHINE(GFX9_GENERIC, "gfx9-generic"),
    NSTF_MACHINE(GFX9_4_GENERIC, "gfx9-4-generic"),
    NSTF_MACHINE(GFX10_1_GENERIC, "gfx10-1-generic"),
    NSTF_MACHINE(GFX10_3_GENERIC, "gfx10-3-generic"),
    NSTF_MACHINE(GFX11_GENERIC, "gfx11-generic"),
    NSTF_MACHINE(GFX12_GENERIC, "gfx12-generic"),
};
#undef NSTF_MACHINE

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
    throw std::runtime_error("expected a target ID like gfx942:sramecc+:xnack- but got \"" + support::escape(text) +
                             "\"");
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
                               support::escape(feature) + "\"");
  }
  return id;
}

TargetId TargetId::fromElfFlags(uint32_t flags, uint8_t abiVersion) {
  using namespace llvm::ELF;
  if (abiVersion < ELFABIVERSION_AMDGPU_HSA_V3 || abiVersion > ELFABIVERSION_AMDGPU_HSA_V6)
    throw std::runtime_error("expected a code object of version 3 to 6 but got ELF ABI version " +
                             std::to_string(abiVersion));
  const Machine *machine = std::ranges::find(machines, flags & EF_AMDGPU_MACH, &Machine::flag);
  if (machine == std::end(machines)) {
    char text[80];
    std::snprintf(text, sizeof text, "unknown amdgpu machine number 0x%x in the ELF's flags", flags & EF_AMDGPU_MACH);
    throw std::runtime_error(text);
  }
  TargetId id;
  id.processor = machine->name;
  if (abiVersion == ELFABIVERSION_AMDGPU_HSA_V3) { // one bit each, and only chips with the feature have a setting
    auto bit = [&](bool has, uint32_t mask) {
      return !has ? Feature::Unsupported : flags & mask ? Feature::On : Feature::Off;
    };
    id.xnack = bit(machine->xnack, EF_AMDGPU_FEATURE_XNACK_V3);
    id.sramecc = bit(machine->sramecc, EF_AMDGPU_FEATURE_SRAMECC_V3);
    return id;
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
  auto isOfFamily = [&](const Machine &machine) {
    return machine.name == device.processor && machine.generic == processor;
  };
  const bool processorFits = processor == device.processor || std::ranges::any_of(machines, isOfFamily);
  return processorFits && agrees(sramecc, device.sramecc) && agrees(xnack, device.xnack);
}

} // namespace nstf::emulator
