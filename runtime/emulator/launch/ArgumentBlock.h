// Lays out a launch's arguments according to the kernel's metadata.
#pragma once

#include "runtime/emulator/launch/LaunchFile.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/run/KernelArguments.h"

#include <functional>

namespace nstf::emulator {

/// Device address of a buffer or variable.
using AddressOf = std::function<uint64_t(const std::string &name)>;

/// Makes the argument block, hidden arguments included. Arguments without `at` are at the offsets of the metadata's
/// explicit arguments, in order. Arguments with `at` are written at that offset and overwrite what is there. Throws
/// InputError that names kernel and argument if number, size or type do not fit.
std::vector<std::byte> makeArgumentBlock(const Kernel &kernel, const LaunchDescription &launch,
                                         const LaunchShape &shape, const AddressOf &addressOf);

/// "0: a (pointer), 1: n (4 bytes)": the explicit arguments, for messages.
std::string describeArguments(const Kernel &kernel);

} // namespace nstf::emulator
