// The memory addresses of a vector memory instruction's lanes, computed from the registers before it runs.
//
// The address arithmetic is that of the instructions, for callers that do not use a Monitor. Nothing is checked: an
// address may lie outside all allocations.
#pragma once

#include "runtime/emulator/instructions/Wave.h"

namespace nstf::emulator {

struct LaneAddresses {
  alignas(64) uint64_t address[Wave::width]; ///< by lane: device address; LDS: offset in LDS
  uint64_t memory;                           ///< lanes that access memory, scratch included
  uint64_t lds;                              ///< flat: lanes that access LDS
  uint64_t stride; ///< from a dword of a lane to its next one: 4, or more if scratch is interleaved
};

void globalAddresses(const Wave &w, const MicroOp *op, LaneAddresses &to);
void flatAddresses(const Wave &w, const MicroOp *op, LaneAddresses &to);
void scratchAddresses(const Wave &w, const MicroOp *op, LaneAddresses &to);
/// `bytes` of a lane; lanes whose bytes are all outside the buffer are left out.
void bufferAddresses(const Wave &w, const MicroOp *op, unsigned bytes, LaneAddresses &to);
/// Address of a scalar load, store or atomic; 0 if all its `bytes` are outside the buffer.
uint64_t scalarAddress(const Wave &w, const MicroOp *op, unsigned bytes);

} // namespace nstf::emulator
