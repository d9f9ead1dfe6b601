// Registers that a store takes its data from, and that a load fills.
#pragma once

#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/instructions/Wave.h"

namespace nstf::emulator::checks {

/// Loads and stores of less than a dword.
struct SmallAccess {
  uint8_t bytes = 0; ///< 0: whole dwords
  bool isSigned = false;
  uint8_t shift = 32; ///< bit of the register; loads: 32 when they fill all of it
};
enum class AddressForm : uint8_t { Lds, Buffer, Scratch, Flat }; ///< Flat: and global
struct DataFacts {
  AddressForm form = AddressForm::Flat;
  bool dma = false;      ///< between LDS and other memory, past the registers (buffers: by a flag)
  bool converts = false; ///< buffer formats
  bool pairs = false;    ///< two pieces with data of their own
  bool byM0 = false;     ///< LDS at M0
  SmallAccess small;
  uint8_t destinations = 0; ///< registers that a load fills
  bool plain = false;       ///< bytes of memory are bytes of registers; else only InstructionFacts know the registers
};
const DataFacts &dataFactsOf(Opcode opcode);

/// Where a store's data are: byte `byte` of the rows at `data`.
struct DataPlace {
  SourceRef data;
  unsigned byte;
};
DataPlace storedPlace(const MicroOp *op, const MemoryAccess &access);
/// The bytes that a lane of a vector instruction stores; false for LDS-DMA, whose data are in no register.
bool storedData(const Wave &w, const MicroOp *op, const MemoryAccess &access, unsigned lane, uint8_t *bytes);
/// Whether this is the second half of such a move: data that are in no register are stored.
bool isDmaStore(const MicroOp *op, const MemoryAccess &access);
/// Whether the instruction moves data between LDS and other memory, past the registers.
bool isDma(const MicroOp *op);

} // namespace nstf::emulator::checks
