// The part of a code object's text that one kernel can reach.
//
// A library's text holds thousands of kernels, and decoding all of it for one of them takes seconds. The analysis
// follows control flow from the kernel's entry: past branches, into calls, and to each address that code computes
// relative to its own (s_getpc and two additions, by which compilers reach functions). The registers of an indirect
// jump must hold such an address or a call's return address; otherwise the reachable code is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nstf::emulator {

struct Target;

using Code = std::span<const uint8_t>;

/// The parts of `texts` that can be reached from `entry`, in their order; nothing if they are unknown, or if reached
/// instructions overlap.
std::optional<std::vector<Code>> reachableCode(const Target &target, std::span<const Code> texts, uint64_t entry);

} // namespace nstf::emulator
