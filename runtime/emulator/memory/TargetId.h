// Target IDs as clang and HIP spell them: "gfx942", "gfx90a:sramecc+:xnack-" (LLVM's AMDGPUUsage, "Target ID").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nstf::emulator {

struct TargetId {
  /// A code object leaves a feature open (Any), or was made for one setting; Unsupported: the chip hasn't got it.
  enum class Feature : uint8_t { Unsupported, Any, Off, On };
  std::string processor;
  Feature sramecc = Feature::Any, xnack = Feature::Any;

  /// Reads "gfx942:sramecc+:xnack-". Throws std::runtime_error on anything else.
  static TargetId parse(std::string_view text);
  /// Reads e_flags of an amdgpu ELF (ABI versions 1 to 4, code object V3 to V6). Throws on an unknown machine.
  static TargetId fromElfFlags(uint32_t flags, uint8_t abiVersion);
  /// "gfx942:sramecc+"; features left open aren't spelled.
  std::string str() const;
  /// Whether code made for this ID runs on `device`: same processor (or its generic one), and each feature either open
  /// here or set the same.
  bool runsOn(const TargetId &device) const;
};

} // namespace nstf::emulator
