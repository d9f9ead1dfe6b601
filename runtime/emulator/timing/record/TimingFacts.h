// Facts of a program's instructions that timing needs.
//
// A flat table by instruction number (MicroOp::instruction), made once from the facts of decode. It does not depend on
// a chip's constants: ChipTiming gives the clocks of a pass or an issue.
//
// Stops are instructions through which a wave can observe another workgroup or a polled wave, or be observed: global
// atomics, loads and stores with coherence bits, write-back and invalidate, global wave sync, s_sleep, reads of clock
// and place, and PollingLoads. Stores are stops only if the program has an instruction that observes other workgroups,
// or calls code that may: in other programs they only write results past the L2. gfx90a's releasing stores look like
// plain ones: Recorder recognises them by the wait before them.
#pragma once

#include "runtime/emulator/decode/CachePolicy.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/memory/ZeroPages.h"
#include "runtime/emulator/timing/record/Outline.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace nstf::emulator {
class ProgramFacts;
class RegionTable;
struct Launch;
struct Target;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

/// The unit that executes an instruction.
enum class Unit : uint8_t {
  Vector,          ///< VALU at full rate
  Double,          ///< VALU, f64
  IntegerMultiply, ///< VALU, 32 x 32 bits: v_mul_lo, v_mul_hi, v_mad_u64_u32
  Transcendental,  ///< VALU at a quarter of the full rate: exp, log, rcp, rsq, sqrt, sin, cos
  PackedFloat,     ///< v_pk_*_f32: VALU at full rate, but not beside a matrix instruction
  Matrix,          ///< matrix core; VALU instructions may run beside it
  MatrixVector,    ///< matrix instructions that also occupy the VALU: f64, and f32 on gfx942
  Scalar,
  ScalarMemory,
  VectorMemory, ///< buffer, global, flat, scratch, cache maintenance
  Lds,
  Branch,
  Message,
  Internal, ///< s_nop, s_waitcnt, s_barrier, s_sleep, s_setprio, s_endpgm …: uses no unit
};

/// Kinds of Internal instructions.
enum class InternalKind : uint8_t { None, Nop, Wait, Barrier, Sleep, Priority, End };

struct TimingFact {
  static constexpr uint8_t noWait = 255;
  enum Flag : uint32_t {
    known = 1u << 31,    ///< analysed (TimingFacts::reach)
    recorded = 1u << 30, ///< the recorder must record more than its execution
    countsVm = 1 << 0,   ///< raises vmcnt
    countsLgkm = 1 << 1, ///< raises lgkmcnt
    load = 1 << 2,       ///< from memory or LDS; an atomic that returns a value has both load and atomic
    store = 1 << 3,      ///< to memory or LDS
    atomic = 1 << 4,
    toLds = 1 << 5,       ///< LDS-DMA
    stop = 1 << 6,        ///< executes at its time, not ahead of it
    branch = 1 << 7,      ///< TraceEntry::detail says whether it was taken
    invalidate = 1 << 8,  ///< buffer_inv, buffer_wbinvl1, s_dcache_inv
    writeBack = 1 << 9,   ///< buffer_wbl2, s_dcache_wb
    sparse = 1 << 10,     ///< smfmac
    crosses = 1 << 11,    ///< 8 bytes long and crosses an 8-byte boundary
    accesses = 1 << 12,   ///< VectorMemory, ScalarMemory: TraceEntry::blocks are a MemoryRequest and its lines
    scratch = 1 << 13,    ///< accesses scratch
    flat = 1 << 14,       ///< lanes may access LDS
    ldsPair = 1 << 15,    ///< ds_read2, ds_write2: two accesses of `bytes` each
    ldsLanes = 1 << 16,   ///< ds_bpermute, ds_permute, ds_swizzle: by lane number, so no two lanes use the same bank
    globalSync = 1 << 17, ///< ds_gws_*
    readsClock = 1 << 18, ///< s_memtime, s_memrealtime
  };

  Unit unit = Unit::Internal;
  InternalKind internal = InternalKind::None;
  uint8_t size = 4;          ///< bytes of the encoding
  uint8_t passes = 0;        ///< matrix: 4-clock passes
  uint8_t waitVm = noWait;   ///< s_waitcnt: the value that the counter must reach
  uint8_t waitLgkm = noWait; ///< like waitVm
  uint8_t bytes = 0; ///< of a lane's access to memory or LDS (ldsPair: of each of the two); scalar: of the whole access
  CachePolicy policy;        ///< of memory instructions
  uint32_t flags = 0;        ///< Flag
  uint16_t immediate = 0;    ///< s_nop: issue slots it takes; s_sleep: units of 64 clocks; s_setprio: priority
  uint16_t waitExp = noWait; ///< like waitVm

  bool is(uint32_t flag) const { return flags & flag; }
  /// Whether the recorder records only that the instruction was executed.
  bool isPlain() const { return (flags & (known | recorded)) == known; }
};
static_assert(sizeof(TimingFact) == 16);

class TimingFacts {
public:
  /// For the launch's program, as far as its kernel reaches without calls. The program must outlive the object.
  explicit TimingFacts(const Launch &launch);
  /// For a program that is not executed.
  TimingFacts(const std::vector<TimingFact> &facts, const std::vector<uint64_t> &addresses);
  ~TimingFacts();
  /// Makes room for the instructions that the program has got since, of which nothing is known yet.
  void cover();
  /// Adds the facts of code reachable from an instruction that was reached by a call or an indirect jump.
  void reach(uint32_t instruction);

  /// The kernel's outline, if the kernel has no stops.
  std::optional<Outline> outline() const;
  /// The first stop among all instructions reached, in code order; size() if there is none.
  uint32_t firstStop() const;

  const TimingFact &operator[](uint32_t instruction) const { return facts[instruction]; }
  size_t size() const { return covered; }
  /// Synthetic physical address of an instruction's first byte, for the instruction cache.
  uint64_t codeAddress(uint32_t instruction) const { return addresses[instruction]; }
  /// gfx90a: the program can observe other workgroups, so a plain store after a full wait for vmcnt may be a release.
  bool releasesByPlainStores() const;

private:
  explicit TimingFacts(size_t capacity);
  TimingFact make(uint32_t instruction) const;
  std::span<TimingFact> all() const { return {facts, covered}; }

  const DecodedProgram *program = nullptr;
  const RegionTable *regions = nullptr;
  size_t covered = 0; ///< instructions
  uint32_t entry = 0; ///< instruction
  const Target *target = nullptr;
  std::unique_ptr<ProgramFacts> programFacts;
  // By instruction, with room for all that the program may reach. Zeros are not known, either.
  ZeroPages factPages, addressPages;
  TimingFact *const facts;
  uint64_t *const addresses;
  bool listened = false; ///< a wave may observe another workgroup's stores
};

} // namespace nstf::emulator::timing
