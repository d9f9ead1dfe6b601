// The bytes that a buffer instruction moves.
#pragma once

#include <cstdint>

namespace nstf::emulator {

struct MicroOp;
struct Wave;

/// Bytes that the active lanes of a buffer instruction move, `bytes` each, checked against the buffer in parts of
/// `unit`. `isScratch`: set to whether the access is gfx90a's way to reach scratch.
uint64_t bufferBytes(const Wave &w, const MicroOp *op, unsigned bytes, unsigned unit, bool &isScratch);

} // namespace nstf::emulator
