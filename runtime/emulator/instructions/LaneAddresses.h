// Where a vector memory instruction's lanes access memory, from the registers in front of it.
//
// The same address arithmetic as the instructions themselves have, for who wants to know without a Monitor's calls.
// Nothing is checked: an address may lie outside every allocation.
#pragma once

#include "runtime/emulator/instructions/Wave.h"

namespace nstf::emulator {

struct LaneAddresses {
  alignas(64) uint64_t address[Wave::width]; ///< by lane: device address; LDS: offset there
  uint64_t memory;                           ///< lanes that access memory, scratch included
  uint64_t lds;                              ///< flat: lanes that access LDS
  uint64_t stride;                           ///< from a lane's dword to its next: 4, more where scratch is interleaved
};

void globalAddresses(const Wave &w, const MicroOp *op, LaneAddresses &to);
void flatAddresses(const Wave &w, const MicroOp *op, LaneAddresses &to);
void scratchAddresses(const Wave &w, const MicroOp *op, LaneAddresses &to);
/// `bytes` of a lane; lanes of which the buffer cuts off all bytes are left out.
void bufferAddresses(const Wave &w, const MicroOp *op, unsigned bytes, LaneAddresses &to);
/// Of a scalar load, store or atomic; 0 where a buffer cuts off all its `bytes`.
uint64_t scalarAddress(const Wave &w, const MicroOp *op, unsigned bytes);

} // namespace nstf::emulator
