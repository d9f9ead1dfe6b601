// Counters of the memory system, with the meanings of the hardware's performance counters.
#pragma once

#include <cstdint>

namespace nstf::emulator::timing {

/// Sums over the chip. Each comment names the hardware counter with the same meaning, if there is one. Busy times are
/// clocks of service summed over a level's channels: a level is saturated when they reach channels times clocks.
struct MemoryCounters {
  // Vector L1s
  uint64_t l1Requests = 0;  ///< TCP_TOTAL_CACHE_ACCESSES_sum: lines looked up
  uint64_t l1Hits = 0;      ///< of these, found or merged with a line in flight
  uint64_t l1Merged = 0;    ///< of the hits, merged
  uint64_t l1ReadBytes = 0; ///< bytes that lanes read; a dword of several lanes counts once
  uint64_t l1WriteBytes = 0;

  // Scalar caches
  uint64_t scalarRequests = 0, scalarHits = 0; ///< SQC_DCACHE_REQ, SQC_DCACHE_HITS

  // L2
  uint64_t l2Reads = 0;   ///< TCC_READ_sum: lines read for any of the caches above
  uint64_t l2Writes = 0;  ///< TCC_WRITE_sum
  uint64_t l2Atomics = 0; ///< TCC_ATOMIC_sum
  uint64_t l2Hits = 0;    ///< TCC_HIT_sum; includes lines in flight
  uint64_t l2Misses = 0;  ///< TCC_MISS_sum
  uint64_t l2ReadBytes = 0, l2WriteBytes = 0;
  double l2BusyClocks = 0;

  // Between the L2s and memory
  uint64_t fabricReads = 0, fabricWrites = 0; ///< TCC_EA0_RDREQ_sum, TCC_EA0_WRREQ_sum (gfx90a: TCC_EA_)
  uint64_t fabricAtomics = 0;                 ///< TCC_EA0_ATOMIC_sum
  uint64_t mallHits = 0, mallMisses = 0;      ///< reads only
  uint64_t mallReadBytes = 0, mallWriteBytes = 0;
  double mallBusyClocks = 0;
  uint64_t hbmReadBytes = 0, hbmWriteBytes = 0;
  double hbmBusyClocks = 0;

  uint64_t translations = 0, translationMisses = 0; ///< TCP_UTCL1_REQUEST_sum, TCP_UTCL1_TRANSLATION_MISS_sum
};

} // namespace nstf::emulator::timing
