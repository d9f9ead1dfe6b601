// Finds kernels and chips by the names that users write.
//
// A kernel may be named by its symbol, or by its C++ name if that is unambiguous ("vadd" or "vadd(float*, int)" for
// _Z4vaddPfi). If no chip is named, the chip is that of the code.
#pragma once

#include "runtime/emulator/memory/CodeObjectContainer.h"

namespace nstf::emulator {

struct KernelPlace {
  ContainedCodeObject object;
  std::string kernel; ///< its symbol; empty: not found
  std::string hint;   ///< if not found: a hint about other kernels, for the message
};
/// Throws LoadError if no code object runs on the device.
KernelPlace findKernel(const CodeObjectContainer &container, const TargetId &device, const std::string &name);

/// The symbols of all kernels that run on the device, each once, sorted. Throws LoadError.
std::vector<std::string> kernelNames(const CodeObjectContainer &container, const TargetId &device);

/// "vadd(float const*, int)" for a C++ symbol; other symbols are returned unchanged.
std::string demangled(const std::string &symbol);
/// Whether `name` is the kernel's symbol, its full C++ name, or that name without parameters.
bool isCalled(const std::string &symbol, const std::string &name);

/// A device with this chip. Features that `id` leaves open are set to these chips' defaults.
TargetId getDevice(TargetId id);
/// The device for which a file's code is compiled. Throws std::runtime_error if several are possible; the message then
/// asks for `key`.
TargetId deviceFor(const CodeObjectContainer &container, const std::string &key);
/// Whether a code object runs on the device; false for unknown chips.
bool runsOn(const ContainedCodeObject &object, const TargetId &device);
/// "gfx90a, gfx942"
std::string targetNames();

} // namespace nstf::emulator
