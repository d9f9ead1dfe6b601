// What a wave executed and the model hasn't issued yet.
//
// The Recorder appends, a TraceReader takes from the front. All of it stands in the order in which it is wanted: by the
// time that thousands of other waves had their turns it is in none of the host's nearer caches, and can be fetched
// ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nstf::emulator::timing {

/// An instruction that a wave executed, and those after it of which there is no more to say.
struct TraceEntry {
  uint32_t instruction; ///< index into TimingFacts
  uint32_t detail;      ///< LDS: LdsDetail; branch: 1: taken; else 0
  uint32_t following;   ///< instructions that it executed next: those behind it in the program, with detail 0
  uint32_t blocks;      ///< TraceBlocks behind it that belong to it: with Flag::accesses a MemoryRequest and its lines,
                        ///< of a branch SkippedRounds
};

/// What an access to LDS costs, in TraceEntry::detail.
struct LdsDetail {
  uint16_t phases; ///< groups of lanes served one after the other (support/LdsPhases.h); those without a lane left out
  uint16_t conflicts; ///< clocks beyond those of the same access without bank conflicts
  static LdsDetail of(uint32_t detail) { return {uint16_t(detail >> 16), uint16_t(detail)}; }
  uint32_t packed() const { return uint32_t(phases) << 16 | conflicts; }
};

/// A piece of memory that a request touches, within one cache line, and such pieces of lines behind it.
struct LineAccess {
  uint64_t address;            ///< synthetic physical address of the line (AddressUnit::lineBytes)
  uint32_t dwords;             ///< bit i: dword i of the line is touched
  uint32_t lanes : 16;         ///< lanes' accesses that begin in it; an atomic is so many operations
  uint32_t following : 16 = 0; ///< the next lines, of which the same are touched by as many lanes
};

/// One memory instruction's access. Its lines are merged over all lanes, in the order lanes touch them first.
struct MemoryRequest {
  uint32_t ldsDetail = 0;     ///< LdsDetail of what LDS-DMA or ldsLanes do there
  uint16_t addressClocks = 0; ///< vector: clocks of address unit and tag lookup: of so many lanes at once as it takes,
                              ///< and where these lie in several lines, a clock a line
  uint8_t lanes = 0;          ///< that access memory
  uint8_t bytes = 0;          ///< of a lane (vector memory)
  uint8_t ldsLanes = 0;       ///< flat: that access LDS
};

/// Rounds of a loop that the wave executed behind this branch, and that nobody recorded (RoundSkipper.h). 0: those that
/// follow are measured.
struct SkippedRounds {
  uint32_t rounds;
  uint32_t instructions; ///< of all of them
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

/// Why a trace ends where it does.
enum class TraceEnd : uint8_t {
  More,    ///< there is more to come: Recorder::fill
  Stop,    ///< the next instruction executes at its time: Recorder::executeStop
  Barrier, ///< at s_barrier, and another wave of the workgroup isn't: fill once the barrier opens in the model
  Ended,
};

/// Goes through a trace, until any fill or executeStop of its workgroup.
class TraceReader {
public:
  bool empty() const { return at == end; }
  /// What comes after the last entry.
  TraceEnd ending() const { return ends; }
  TraceEntry take() {
    const TraceEntry entry = at->entry;
    if (entry.blocks)
      prefetch(at + 1);
    at += 1 + entry.blocks;
    prefetch(at);
    return entry;
  }
  /// Where what belongs to the entry taken last begins, and behind it the next one.
  const TraceBlock *behind(const TraceEntry &entry) const { return at - entry.blocks; }
  /// Has the host fetch it, if there is any; what is fetched may go beyond the trace.
  static void prefetch(const TraceBlock *behind) {
    for (unsigned i = 0; i < linesAhead; ++i)
      __builtin_prefetch(reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(behind) + i * 64));
  }
  /// Of the entry taken last, with Flag::accesses.
  const MemoryRequest &request(const TraceEntry &entry) const { return at[-ptrdiff_t(entry.blocks)].request; }
  /// Of a branch with blocks.
  const SkippedRounds &skipped(const TraceEntry &entry) const { return at[-ptrdiff_t(entry.blocks)].skipped; }
  std::span<const LineAccess> lines(const TraceEntry &entry) const {
    return {&at[1 - ptrdiff_t(entry.blocks)].line, entry.blocks - 1};
  }

private:
  friend class WaveTrace;
  static constexpr unsigned linesAhead = 3; ///< of the host's caches: an access of eight lines
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
  /// What the reader took is read. The entry taken last stays until another is.
  void readTo(const TraceReader &reader) {
    for (const size_t to = size_t(reader.at - blocks.data()); next < to; next += 1 + blocks[next].entry.blocks) {
      lastTaken = next;
      left -= 1 + blocks[next].entry.following;
    }
  }
  bool empty() const { return next == blocks.size(); }
  /// What comes after the last entry.
  TraceEnd end() const { return ending; }
  /// With TraceEnd::Stop: index into TimingFacts.
  uint32_t stopInstruction() const { return stoppedAt; }
  /// Instructions.
  size_t size() const { return left; }
  /// Held, some of them read already.
  size_t blockCount() const { return blocks.size(); }

  // For who makes one without a Recorder
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
  /// With detail 0.
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
  size_t next = 0;         ///< entry to be read
  size_t lastTaken = 0;    ///< entry; where one was read
  size_t lastAppended = 0; ///< entry
  size_t left = 0;         ///< instructions to be read
  uint32_t stoppedAt = 0;
  TraceEnd ending = TraceEnd::More;
  bool waitedForAll = false; ///< since the last store: s_waitcnt vmcnt(0)
};

} // namespace nstf::emulator::timing
