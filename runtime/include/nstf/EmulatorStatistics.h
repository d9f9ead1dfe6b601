/* What kernels did on the emulator.
 *
 * The emulator's library exports HIP's functions and one more, which counts what every kernel launch executes and
 * moves. libamdhip64 has no such function: look it up with dlsym, and do without it where it is missing.
 *
 *   auto observe = (NSTFObserveDispatches *)dlsym(library, "nstfEmulatorObserveDispatches");
 *   if (observe)
 *     observe(print, &sums);        // from now on print(&sums, &statistics) after every launch
 *
 * Without C++: with NSTF_EMU_STATISTICS=FILE in the environment, the emulator writes the same numbers as JSON when the
 * program ends (exit, not _exit): those of each launch, and sums by kernel. While neither way is used, nothing is
 * counted and counting costs no time.
 *
 * All numbers but the seconds count what is executed. They are the same in every run and do not reflect caches: a byte
 * that two waves load is counted twice. NSTF_EMU_TIMING does not change them and nothing is extrapolated: workgroups of
 * a large launch that the timing model does not simulate are executed all the same. (Only the number of polls of a wave
 * that waits for another one depends on timing.)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One finished launch. */
typedef struct NSTFDispatchStatistics {
  size_t size;        /**< bytes of this struct in the library's version: fields beyond them are missing */
  const char *kernel; /**< the kernel's symbol; valid during the call */
  uint32_t grid[3];   /**< workgroups */
  uint32_t block[3];  /**< work-items of a workgroup */
  uint64_t workgroups, waves;

  /* Instructions that waves executed, by the unit that executes them. One counts once a wave, whatever the EXEC
   * mask. */
  uint64_t matrix;       /**< v_mfma_*, v_smfmac_* */
  uint64_t vector;       /**< v_* otherwise */
  uint64_t lds;          /**< ds_*, lane permutations included */
  uint64_t vectorMemory; /**< global_*, flat_*, scratch_*, buffer_*, cache maintenance included */
  uint64_t scalar;       /**< s_* that compute */
  uint64_t scalarMemory; /**< s_load_*, s_store_*, s_buffer_load_*, s_memtime, s_dcache_* */
  uint64_t branch;       /**< s_branch, s_cbranch_*, s_setpc, s_swappc, s_call; taken or not */
  uint64_t other;        /**< s_waitcnt, s_nop, s_barrier, s_endpgm and their like */

  /* Bytes that lanes accessed. Lanes that EXEC masks out, and buffer accesses outside the buffer, move none. An atomic
   * stores its operand, and loads if it returns the old value. */
  uint64_t globalBytesLoaded, globalBytesStored;   /**< vector memory instructions, device memory */
  uint64_t ldsBytesLoaded, ldsBytesStored;         /**< the workgroup's LDS; lane permutations move none */
  uint64_t scratchBytesLoaded, scratchBytesStored; /**< the lanes' private memory: spills, arrays */
  uint64_t scalarBytesLoaded, scalarBytesStored;   /**< scalar memory instructions, kernel arguments among them */

  double hostSeconds;      /**< time that the launch took on this host: the emulator's, never the chip's */
  double predictedSeconds; /**< with NSTF_EMU_TIMING: predicted time on that chip, without the cost of launching;
                              else 0 */
} NSTFDispatchStatistics;

/** The numbers of a launch that can be summed over launches: X(field). */
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

/** Starts counting, and calls `observer` after every launch that ends without a fault, on the thread that launched. The
 * observer must not call HIP. NULL: counting stops. */
void nstfEmulatorObserveDispatches(NSTFDispatchObserver observer, void *user);

/** The function's type, for dlsym. */
typedef void NSTFObserveDispatches(NSTFDispatchObserver observer, void *user);

#ifdef __cplusplus
}
#endif
