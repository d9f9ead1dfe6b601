// Counters of a predicted launch, with the meanings of the hardware's performance counters.
//
// All are sums over the chip unless stated otherwise. Each comment names the hardware counter with the same meaning.
#pragma once

#include "runtime/emulator/timing/chip/Clocks.h"

namespace nstf::emulator::timing {

struct Counters {
  Clocks clocks = 0;       ///< GRBM_GUI_ACTIVE: from the first workgroup's dispatch to the kernel's end
  uint64_t workgroups = 0; ///< SPI_CSN_NUM_THREADGROUPS
  uint64_t waves = 0;      ///< SQ_WAVES
  Clocks waveClocks = 0;   ///< SQ_WAVE_CYCLES: resident waves times clocks
  Clocks busyClocks = 0;   ///< SQ_BUSY_CYCLES: clocks in which a compute unit held waves, summed over the compute units
  Clocks launchClocks = 0; ///< clocks in which waves were being launched, summed over the XCDs

  // Wave instructions by kind; each takes one issue slot.
  uint64_t vectorInstructions = 0;       ///< SQ_INSTS_VALU without matrix instructions
  uint64_t matrixInstructions = 0;       ///< SQ_INSTS_MFMA
  uint64_t scalarInstructions = 0;       ///< SQ_INSTS_SALU
  uint64_t scalarMemoryInstructions = 0; ///< SQ_INSTS_SMEM
  uint64_t ldsInstructions = 0;          ///< SQ_INSTS_LDS
  uint64_t vectorReadInstructions = 0;   ///< SQ_INSTS_VMEM_RD; includes atomics that return a value
  uint64_t vectorWriteInstructions = 0;  ///< SQ_INSTS_VMEM_WR; includes other atomics
  uint64_t branchInstructions = 0;       ///< SQ_INSTS_BRANCH
  uint64_t messageInstructions = 0;      ///< SQ_INSTS_SENDMSG, SQ_INSTS_EXP
  uint64_t internalInstructions = 0;     ///< s_nop, s_waitcnt, s_barrier, s_sleep, s_setprio: they use no unit

  // Busy clocks of units, summed over the SIMDs or compute units.
  Clocks vectorBusy = 0;          ///< SQ_ACTIVE_INST_VALU
  Clocks matrixBusy = 0;          ///< SQ_VALU_MFMA_BUSY_CYCLES
  Clocks ldsBusy = 0;             ///< SQ_LDS_IDX_ACTIVE, conflicts included
  Clocks ldsConflicts = 0;        ///< SQ_LDS_BANK_CONFLICT
  Clocks addressBusy = 0;         ///< TA_BUSY: the address unit of vector memory
  uint64_t instructionMisses = 0; ///< SQC_ICACHE_MISSES: lines of code that were not in the cache

  uint64_t instructions() const {
    return vectorInstructions + matrixInstructions + scalarInstructions + scalarMemoryInstructions + ldsInstructions +
           vectorReadInstructions + vectorWriteInstructions + branchInstructions + messageInstructions +
           internalInstructions;
  }
};

} // namespace nstf::emulator::timing
