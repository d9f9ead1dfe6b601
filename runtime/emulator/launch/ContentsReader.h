// The `init` and `expect` entries of a launch file.
#pragma once

#include "runtime/emulator/launch/LaunchFile.h"

namespace nstf::emulator {

enum class ContentsUse : uint8_t { Init, Expect };

/// Reads the contents of a tensor of `elements` numbers of `type`: for an `init`, one of zeros, value, values, random,
/// iota, file and bytes; for an `expect`, one of value, values, iota, file, bytes and buffer. The caller reads the
/// tolerances beside an `expect`.
Contents readContents(const YamlValue &value, ElementType type, uint64_t elements, ContentsUse use);

} // namespace nstf::emulator
