// Registers that a store reads its data from, and that a load fills.
#pragma once

#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/instructions/Wave.h"

namespace nstf::emulator::checks {

/// Loads and stores narrower than a dword.
struct SmallAccess {
  uint8_t bytes = 0; ///< 0: whole dwords
  bool isSigned = false;
  uint8_t shift = 32; ///< first bit in the register; loads: 32 if they fill the whole register
};
enum class AddressForm : uint8_t { Lds, Buffer, Scratch, Flat }; ///< Flat: also global
struct DataFacts {
  AddressForm form = AddressForm::Flat;
  bool dma = false;      ///< moves data between LDS and other memory without registers (buffers: by a flag)
  bool converts = false; ///< buffer formats
  bool pairs = false;    ///< two parts, each with its own data
  bool byM0 = false;     ///< LDS address from M0
  SmallAccess small;
  uint8_t destinations = 0; ///< registers that a load fills
  bool plain = false;       ///< memory bytes are register bytes; else only InstructionFacts give the registers
};
const DataFacts &getDataFacts(Opcode opcode);

/// Place of a store's data: byte `byte` of the rows at `data`.
struct DataPlace {
  SourceRef data;
  unsigned byte;
};
DataPlace storedPlace(const MicroOp *op, const MemoryAccess &access);
/// Reads the bytes that a lane of a vector instruction stores; false for LDS-DMA, whose data is in no register.
bool storedData(const Wave &w, const MicroOp *op, const MemoryAccess &access, unsigned lane, uint8_t *bytes);
/// Whether this access is the store of an LDS-DMA, whose data is in no register.
bool isDmaStore(const MicroOp *op, const MemoryAccess &access);
/// Whether the instruction moves data between LDS and other memory without registers.
bool isDma(const MicroOp *op);

} // namespace nstf::emulator::checks
