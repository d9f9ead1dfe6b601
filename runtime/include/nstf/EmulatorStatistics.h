/* What kernels did on the emulator.
 *
 * The emulator's library exports, beside HIP's functions, one that counts what every kernel launch executes and moves.
 * libamdhip64 has no such function: look it up with dlsym, and do without where it is missing.
 *
 *   auto observe = (NSTFObserveDispatches *)dlsym(library, "nstfEmulatorObserveDispatches");
 *   if (observe)
 *     observe(print, &sums);        // from now on print(&sums, &statistics) after every launch
 *
 * Without C++: NSTF_EMU_STATISTICS=FILE in the environment makes the emulator write the same numbers at the program's
 * end (exit, not _exit), as JSON, each launch and the sums by kernel. Nothing is counted, and nothing costs time, while
 * neither is used.
 *
 * Everything but the seconds is a count of an execution, the same in every run, and says nothing of caches: a byte that
 * two waves load is counted twice. With NSTF_EMU_TIMING the counts are the same, nothing is extrapolated: what the
 * model of a large launch doesn't simulate is executed. (How often waves look that wait for another depends on the
 * time.)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One finished launch. */
typedef struct NSTFDispatchStatistics {
  size_t size;        /**< bytes of this struct as the library knows it: fields past it are not there */
  const char *kernel; /**< its symbol; valid during the call */
  uint32_t grid[3];   /**< workgroups */
  uint32_t block[3];  /**< work-items of a workgroup */
  uint64_t workgroups, waves;

  /* Instructions that waves executed, each counted once a wave whatever its EXEC mask, by the unit they go to. */
  uint64_t matrix;       /**< v_mfma_*, v_smfmac_* */
  uint64_t vector;       /**< v_* otherwise */
  uint64_t lds;          /**< ds_*, lane permutations included */
  uint64_t vectorMemory; /**< global_*, flat_*, scratch_*, buffer_*, cache maintenance included */
  uint64_t scalar;       /**< s_* that compute */
  uint64_t scalarMemory; /**< s_load_*, s_store_*, s_buffer_load_*, s_memtime, s_dcache_* */
  uint64_t branch;       /**< s_branch, s_cbranch_*, s_setpc, s_swappc, s_call; taken or not */
  uint64_t other;        /**< s_waitcnt, s_nop, s_barrier, s_endpgm and their like */

  /* Bytes that lanes asked for: lanes that EXEC leaves out, and buffer accesses outside the buffer, move none. An
   * atomic stores its operand, and loads where it gives the old value back. */
  uint64_t globalBytesLoaded, globalBytesStored;   /**< vector memory instructions, device memory */
  uint64_t ldsBytesLoaded, ldsBytesStored;         /**< the workgroup's LDS; lane permutations move none */
  uint64_t scratchBytesLoaded, scratchBytesStored; /**< the lanes' private memory: spills, arrays */
  uint64_t scalarBytesLoaded, scalarBytesStored;   /**< scalar memory instructions, kernel arguments among them */

  double hostSeconds;      /**< what the launch took on this host: the emulator's time, never the chip's */
  double predictedSeconds; /**< with NSTF_EMU_TIMING: what it is predicted to take on that chip, without the launch's
                              own cost; else 0 */
} NSTFDispatchStatistics;

/** The numbers of a launch that add up over launches: X(field). */
#define NSTF_DISPATCH_STATISTICS(X)                                                                                    \
  X(workgroups)                                                                                                        \
  X(waves)                                                                                                             \
  X(matrix)                                                                                                            \
  X(vector)                                                                                                            \
  X(lds)                                                                                                               \
  X(vectorMemory)                                                                                                      \
  X(scalar)                                                                                                            \
  X(scalarMemory)                                                                                                      \
  X(branch)                                                                                                            \
  X(other)                                                                                                             \
  X(globalBytesLoaded)                                                                                                 \
  X(globalBytesStored)                                                                                                 \
  X(ldsBytesLoaded)                                                                                                    \
  X(ldsBytesStored)                                                                                                    \
  X(scratchBytesLoaded)                                                                                                \
  X(scratchBytesStored) X(scalarBytesLoaded) X(scalarBytesStored) X(hostSeconds) X(predictedSeconds)

typedef void (*NSTFDispatchObserver)(void *user, const NSTFDispatchStatistics *statistics);

/** Counts from now on, and calls `observer` after every launch that ends without a fault, on the thread that launched;
 * it must not call HIP. NULL: counts no more. */
void nstfEmulatorObserveDispatches(NSTFDispatchObserver observer, void *user);

/** For dlsym. */
typedef void NSTFObserveDispatches(NSTFDispatchObserver observer, void *user);

#ifdef __cplusplus
}
#endif
