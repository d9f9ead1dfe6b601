// A launch's arguments against the kernel's metadata.
#pragma once

#include "runtime/emulator/launch/LaunchFile.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/run/KernelArguments.h"

#include <functional>

namespace nstf::emulator {

/// Device address of a buffer or variable.
using AddressOf = std::function<uint64_t(const std::string &name)>;

/// The argument block, hidden arguments filled in. Arguments in order stand where the metadata has the explicit ones;
/// those with an `at` stand there, over what is in the block already. Throws InputError that names kernel and argument
/// where number, size or type don't fit.
std::vector<std::byte> makeArgumentBlock(const Kernel &kernel, const LaunchDescription &launch,
                                         const LaunchShape &shape, const AddressOf &addressOf);

/// "0: a (pointer), 1: n (4 bytes)": the explicit arguments, for messages.
std::string describeArguments(const Kernel &kernel);

} // namespace nstf::emulator
