// The part of a code object's text that one kernel can come to.
//
// A library's text holds thousands of kernels, and decoding all of it for one of them takes seconds. Control is
// followed from the kernel's entry: past branches, into calls, and to each address that code makes of its own place
// (s_getpc and two additions, as compilers reach functions). What a jump goes to must be known of its registers: where
// they hold anything but such an address, or a call's return address, nothing is known of where control comes to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nstf::emulator {

struct Target;

using Code = std::span<const uint8_t>;

/// The pieces of `texts` that hold what can be reached from `entry`, in their order; none where that isn't known, or
/// the instructions that are reached overlap.
std::optional<std::vector<Code>> reachableCode(const Target &target, std::span<const Code> texts, uint64_t entry);

} // namespace nstf::emulator
