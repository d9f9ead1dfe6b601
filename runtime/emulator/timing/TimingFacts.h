// What timing must know of each instruction of a program.
//
// A flat table by number of the instruction (MicroOp::instruction), made once from decode's facts. Nothing here depends
// on a chip's constants: how many clocks a pass or an issue takes says ChipTiming.
//
// Stops are the instructions through which another workgroup, or a wave that is polled, may be heard or told: global
// atomics, loads and stores with coherence bits, write-back and invalidate, global wave sync, s_sleep, reads of clock
// and place, and PollingLoads. Stores only where the program has something that listens, or calls what may: others
// write results past the L2. gfx90a's releasing stores look like any other: Recorder finds them by the wait before.
#pragma once

#include "runtime/emulator/decode/CachePolicy.h"
#include "runtime/emulator/decode/MicroOp.h"
#include "runtime/emulator/timing/Outline.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace nstf::emulator {
class DecodedProgram;
class ProgramFacts;
struct Launch;
struct Target;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

/// What executes an instruction.
enum class Unit : uint8_t {
  Vector,          ///< VALU at full rate
  Double,          ///< VALU, f64
  IntegerMultiply, ///< VALU, 32 x 32 bits: v_mul_lo, v_mul_hi, v_mad_u64_u32
  Transcendental,  ///< VALU at a quarter of the rate: exp, log, rcp, rsq, sqrt, sin, cos
  PackedFloat,     ///< v_pk_*_f32: VALU at full rate, but not beside a matrix instruction
  Matrix,          ///< the matrix core; VALU instructions may run in its shadow
  MatrixVector,    ///< matrix instructions without VALU beside them: f64, and f32 on gfx942
  Scalar,
  ScalarMemory,
  VectorMemory, ///< buffer, global, flat, scratch, cache maintenance
  Lds,
  Branch,
  Message,
  Internal, ///< s_nop, s_waitcnt, s_barrier, s_sleep, s_setprio, s_endpgm …: no unit
};

/// What an Internal instruction is.
enum class InternalKind : uint8_t { None, Nop, Wait, Barrier, Sleep, Priority, End };

struct TimingFact {
  static constexpr uint8_t noWait = 255;
  enum Flag : uint32_t {
    unknown = 1u << 31,  ///< not yet reached (TimingFacts::reach)
    recorded = 1u << 30, ///< the recorder has more to do than to note that it was executed
    countsVm = 1 << 0,   ///< raises vmcnt
    countsLgkm = 1 << 1, ///< raises lgkmcnt
    load = 1 << 2,       ///< from memory or LDS; an atomic that returns a value has both load and atomic
    store = 1 << 3,      ///< to memory or LDS
    atomic = 1 << 4,
    toLds = 1 << 5,       ///< LDS-DMA
    stop = 1 << 6,        ///< executes at its time, not ahead
    branch = 1 << 7,      ///< TraceEntry::detail says whether it is taken
    invalidate = 1 << 8,  ///< buffer_inv, buffer_wbinvl1, s_dcache_inv
    writeBack = 1 << 9,   ///< buffer_wbl2, s_dcache_wb
    sparse = 1 << 10,     ///< smfmac
    crosses = 1 << 11,    ///< 8 bytes long, across an 8-byte boundary
    accesses = 1 << 12,   ///< VectorMemory, ScalarMemory: TraceEntry::blocks are a MemoryRequest and lines
    scratch = 1 << 13,    ///< its address is of scratch
    flat = 1 << 14,       ///< its lanes may go to LDS
    ldsPair = 1 << 15,    ///< ds_read2, ds_write2: two accesses of `bytes`
    ldsLanes = 1 << 16,   ///< ds_bpermute, ds_permute, ds_swizzle, by the lane's number: no two lanes on a bank
    globalSync = 1 << 17, ///< ds_gws_*
    readsClock = 1 << 18, ///< s_memtime, s_memrealtime
  };

  Unit unit = Unit::Internal;
  InternalKind internal = InternalKind::None;
  uint8_t size = 4;          ///< of the encoding, bytes
  uint8_t passes = 0;        ///< matrix: 4-clock passes
  uint8_t waitVm = noWait;   ///< s_waitcnt: what each counter has to come down to
  uint8_t waitLgkm = noWait; ///< ditto
  uint8_t bytes = 0;         ///< of a lane's access to memory or LDS (ldsPair: of each of the two); scalar: in all
  CachePolicy policy;        ///< of memory instructions
  uint32_t flags = unknown | recorded; ///< Flag
  uint16_t immediate = 0;    ///< s_nop: issue slots it takes; s_sleep: units of 64 clocks; s_setprio: priority
  uint16_t waitExp = noWait; ///< like waitVm

  bool is(uint32_t flag) const { return flags & flag; }
};
static_assert(sizeof(TimingFact) == 16);

class TimingFacts {
public:
  /// Of the launch's program, as far as its kernel comes without calls. The program must outlive the object.
  explicit TimingFacts(const Launch &launch);
  /// Of a program that nobody executes.
  TimingFacts(std::vector<TimingFact> facts, std::vector<uint64_t> addresses);
  ~TimingFacts();
  /// The same of what can be reached from an instruction that control came to by a call or an indirect jump.
  void reach(uint32_t instruction);

  /// Of the kernel, where it has no stops.
  std::optional<Outline> outline() const;
  /// Of all instructions reached, in the order of the code; size() if there is none.
  uint32_t firstStop() const;

  const TimingFact &operator[](uint32_t instruction) const { return facts[instruction]; }
  size_t size() const { return facts.size(); }
  /// Synthetic physical address of an instruction's first byte, for the instruction cache.
  uint64_t codeAddress(uint32_t instruction) const { return addresses[instruction]; }
  /// gfx90a: something in the program listens, so a plain store after a full wait for vmcnt may be a release.
  bool releasesByPlainStores() const;

private:
  TimingFact make(uint32_t instruction) const;

  const DecodedProgram *program = nullptr;
  uint32_t entry = 0; ///< instruction
  const Target *target = nullptr;
  std::unique_ptr<ProgramFacts> programFacts;
  std::vector<TimingFact> facts;
  std::vector<uint64_t> addresses;
  bool listened = false; ///< a wave may hear another one's stores
};

} // namespace nstf::emulator::timing
