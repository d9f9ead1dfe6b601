// Target IDs in the spelling of clang and HIP: "gfx942", "gfx90a:sramecc+:xnack-" (LLVM's AMDGPUUsage, "Target ID").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nstf::emulator {

struct TargetId {
  /// A code object leaves a feature open (Any) or is compiled for one setting; Unsupported: the chip lacks the feature.
  enum class Feature : uint8_t { Unsupported, Any, Off, On };
  std::string processor;
  Feature sramecc = Feature::Any, xnack = Feature::Any;

  /// Reads "gfx942:sramecc+:xnack-". Throws std::runtime_error on anything else.
  static TargetId parse(std::string_view text);
  /// Reads e_flags of an amdgpu ELF (ABI versions 1 to 4, code object V3 to V6). Throws on an unknown machine.
  static TargetId fromElfFlags(uint32_t flags, uint8_t abiVersion);
  /// "gfx942:sramecc+"; open features are omitted.
  std::string str() const;
  /// Whether code for this ID runs on `device`: the processor is the same (or its generic one), and each feature is
  /// either open here or set to the same value.
  bool runsOn(const TargetId &device) const;
};

} // namespace nstf::emulator
