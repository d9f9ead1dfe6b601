// Kernels and chips as people call them.
//
// A kernel may be called by its symbol, or by its C++ name as far as that is unambiguous ("vadd" or "vadd(float*, int)"
// for _Z4vaddPfi). A chip that isn't named is the one that the code is for.
#pragma once

#include "runtime/emulator/memory/CodeObjectContainer.h"

namespace nstf::emulator {

struct KernelPlace {
  ContainedCodeObject object;
  std::string kernel; ///< its symbol; empty: not found
  std::string hint;   ///< where it wasn't found: what to say about others
};
/// Throws LoadError where no code object runs on the device.
KernelPlace findKernel(const CodeObjectContainer &container, const TargetId &device, const std::string &name);

/// The symbols of all kernels that run on the device, each once, sorted. Throws LoadError.
std::vector<std::string> kernelNames(const CodeObjectContainer &container, const TargetId &device);

/// "vadd(float const*, int)" for a C++ symbol; others stay what they are.
std::string demangled(const std::string &symbol);
/// Whether `name` is the kernel's symbol, its whole C++ name, or that without the parameters.
bool isCalled(const std::string &symbol, const std::string &name);

/// A device of that chip, its features set as these chips come up by default where `id` leaves them open.
TargetId deviceOf(TargetId id);
/// The device that a file's code is for. Throws std::runtime_error where that may be several: then `key` has to say it.
TargetId deviceFor(const CodeObjectContainer &container, const std::string &key);
/// Whether a code object runs there; false for chips that nobody here knows.
bool runsOn(const ContainedCodeObject &object, const TargetId &device);
/// "gfx90a, gfx942"
std::string targetNames();

} // namespace nstf::emulator
