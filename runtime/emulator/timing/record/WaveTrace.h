// Instructions that a wave has executed and the model has not issued yet.
//
// The Recorder appends to a trace and a TraceReader takes from its front. All data is stored in the order of its use,
// so that it can be prefetched: between two turns of a wave, thousands of other waves have turns, and its data leaves
// the host's caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nstf::emulator::timing {

/// An instruction that a wave executed, and the instructions after it that need no data of their own.
struct TraceEntry {
  uint32_t instruction; ///< index into TimingFacts
  uint32_t detail;      ///< LDS: LdsDetail; branch: 1 if taken; else 0
  uint32_t following;   ///< instructions executed next: the following ones of the program, with detail 0
  uint32_t blocks; ///< number of TraceBlocks after the entry that belong to it: with Flag::accesses a MemoryRequest and
                   ///< its lines; for a branch, SkippedRounds
};

/// The cost of an LDS access, in TraceEntry::detail.
struct LdsDetail {
  uint16_t phases;    ///< groups of lanes served one after the other (support/LdsPhases.h), without groups that have no
                      ///< active lane
  uint16_t conflicts; ///< clocks in addition to those of the same access without bank conflicts
  static LdsDetail of(uint32_t detail) { return {uint16_t(detail >> 16), uint16_t(detail)}; }
  uint32_t packed() const { return uint32_t(phases) << 16 | conflicts; }
};

/// A part of a cache line that a request touches, and equal parts of the lines after it.
struct LineAccess {
  uint64_t address;            ///< synthetic physical address of the line (AddressUnit::lineBytes)
  uint32_t dwords;             ///< bit i: dword i of the line is touched
  uint32_t lanes : 16;         ///< number of lanes' accesses that begin in it; for an atomic, the number of operations
  uint32_t following : 16 = 0; ///< number of next lines in which as many lanes touch the same dwords
};

/// One memory instruction's access. Its lines are merged over all lanes, in the order in which lanes first touch them.
struct MemoryRequest {
  uint32_t ldsDetail = 0;     ///< LdsDetail of the LDS part of LDS-DMA or ldsLanes
  uint16_t addressClocks = 0; ///< vector: clocks of address unit and tag lookup: one for each group of lanes that is
                              ///< processed together, and one for each line if such a group spans several
  uint8_t lanes = 0;          ///< number of lanes that access memory
  uint8_t bytes = 0;          ///< of one lane (vector memory)
  uint8_t ldsLanes = 0;       ///< flat: number of lanes that access LDS
};

/// Rounds of a loop that the wave executed after this branch and that are not recorded (RoundSkipper.h). 0 rounds: the
/// following ones are measured.
struct SkippedRounds {
  uint32_t rounds;
  uint32_t instructions; ///< in all of these rounds
  uint32_t head;         ///< instruction at which the loop begins
};

union TraceBlock {
  TraceEntry entry;
  MemoryRequest request;
  LineAccess line;
  SkippedRounds skipped;

  TraceBlock(const TraceEntry &entry) : entry(entry) {}
  TraceBlock(const MemoryRequest &request) : request(request) {}
  TraceBlock(const LineAccess &line) : line(line) {}
  TraceBlock(const SkippedRounds &skipped) : skipped(skipped) {}
};
static_assert(sizeof(TraceBlock) == 16 && sizeof(LineAccess) == 16);

/// Why a trace ends.
enum class TraceEnd : uint8_t {
  More,    ///< it can be extended: Recorder::fill
  Stop,    ///< the next instruction executes at its time: Recorder::executeStop
  Barrier, ///< at s_barrier, which other waves of the workgroup have not reached: fill once the barrier opens in the
           ///< model
  Ended,
};

/// Reads a trace; invalidated by any fill or executeStop of its workgroup.
class TraceReader {
public:
  bool empty() const { return at == end; }
  /// The reason for the end, valid after the last entry.
  TraceEnd ending() const { return ends; }
  TraceEntry take() {
    const TraceEntry entry = at->entry;
    if (entry.blocks)
      prefetch(at + 1);
    at += 1 + entry.blocks;
    prefetch(at);
    return entry;
  }
  /// The blocks that belong to the entry taken last; the next entry follows them.
  const TraceBlock *behind(const TraceEntry &entry) const { return at - entry.blocks; }
  /// Prefetches on the host; may prefetch beyond the trace.
  static void prefetch(const TraceBlock *behind) {
    for (unsigned i = 0; i < linesAhead; ++i)
      __builtin_prefetch(reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(behind) + i * 64));
  }
  /// The accesses of the entry taken last. Precondition: the entry has Flag::accesses.
  const MemoryRequest &request(const TraceEntry &entry) const { return at[-ptrdiff_t(entry.blocks)].request; }
  /// The rounds that the entry taken last skipped. Precondition: the entry is a branch with blocks.
  const SkippedRounds &skipped(const TraceEntry &entry) const { return at[-ptrdiff_t(entry.blocks)].skipped; }
  std::span<const LineAccess> lines(const TraceEntry &entry) const {
    return {&at[1 - ptrdiff_t(entry.blocks)].line, entry.blocks - 1};
  }

private:
  friend class WaveTrace;
  static constexpr unsigned linesAhead = 3; ///< cache lines of the host: an access of eight lines
  const TraceBlock *at = nullptr, *end = nullptr;
  TraceEnd ends = TraceEnd::More;
};

class WaveTrace {
public:
  // For the model
  TraceReader reader() const {
    TraceReader reader;
    reader.at = blocks.data() + next;
    reader.end = blocks.data() + blocks.size();
    reader.ends = ending;
    return reader;
  }
  /// Marks entries up to the reader's position as read. The entry taken last stays until another is taken.
  void readTo(const TraceReader &reader) {
    for (const size_t to = size_t(reader.at - blocks.data()); next < to; next += 1 + blocks[next].entry.blocks) {
      lastTaken = next;
      left -= 1 + blocks[next].entry.following;
    }
  }
  bool empty() const { return next == blocks.size(); }
  /// The reason for the end, valid after the last entry.
  TraceEnd end() const { return ending; }
  /// With TraceEnd::Stop: index into TimingFacts.
  uint32_t stopInstruction() const { return stoppedAt; }
  /// Number of instructions.
  size_t size() const { return left; }
  /// Number of blocks stored, including some that were read.
  size_t blockCount() const { return blocks.size(); }

  // For callers that make a trace without a Recorder
  void append(uint32_t instruction, uint32_t detail) {
    blocks.push_back(TraceEntry{instruction, detail, 0, 0});
    lastAppended = blocks.size() - 1;
    ++left;
  }
  void append(uint32_t instruction, const MemoryRequest &request, std::span<const LineAccess> lines) {
    append(instruction, 0);
    blocks.back().entry.blocks = uint32_t(1 + lines.size());
    blocks.push_back(request);
    blocks.insert(blocks.end(), lines.begin(), lines.end());
  }
  void append(uint32_t branch, bool taken, const SkippedRounds &skipped) {
    append(branch, uint32_t(taken));
    blocks.back().entry.blocks = 1;
    blocks.push_back(skipped);
  }
  /// Appends an instruction with detail 0.
  void append(uint32_t instruction) {
    if (!empty()) {
      if (TraceEntry &last = blocks[lastAppended].entry; last.instruction + last.following + 1 == instruction) {
        ++last.following;
        ++left;
        return;
      }
    }
    append(instruction, 0);
  }
  void endWith(TraceEnd end) { ending = end; }

private:
  friend class Recorder;
  friend class RecordingObserver;
  std::vector<TraceBlock> blocks;
  size_t next = 0;         ///< next entry to be read
  size_t lastTaken = 0;    ///< last entry read, if any
  size_t lastAppended = 0; ///< entry
  size_t left = 0;         ///< number of instructions to be read
  uint32_t stoppedAt = 0;
  TraceEnd ending = TraceEnd::More;
  bool waitedForAll = false; ///< an s_waitcnt vmcnt(0) came after the last store
};

} // namespace nstf::emulator::timing
