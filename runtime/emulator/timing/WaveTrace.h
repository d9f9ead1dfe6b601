// What a wave executed and the model hasn't issued yet.
//
// The Recorder appends, the compute unit takes from the front. Numbers of requests and lines count from the trace's
// beginning, so that what has been issued can be dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nstf::emulator::timing {

/// An instruction that a wave executed.
struct TraceEntry {
  uint32_t instruction; ///< index into TimingFacts
  uint32_t detail;      ///< LDS: LdsDetail; with Flag::accesses: number of its MemoryRequest; branch: 1: taken; else 0
};

/// What an access to LDS costs, in TraceEntry::detail.
struct LdsDetail {
  uint16_t phases; ///< groups of lanes served one after the other (support/LdsPhases.h); those without a lane left out
  uint16_t conflicts; ///< clocks beyond those of the same access without bank conflicts
  static LdsDetail of(uint32_t detail) { return {uint16_t(detail >> 16), uint16_t(detail)}; }
  uint32_t packed() const { return uint32_t(phases) << 16 | conflicts; }
};

/// A piece of memory that a request touches, within one cache line.
struct LineAccess {
  uint64_t address; ///< synthetic physical address of the line (RecorderOptions::lineBytes)
  uint32_t dwords;  ///< bit i: dword i of the line is touched
  uint32_t lanes;   ///< lanes' accesses that begin in it; an atomic is so many operations
};

/// One memory instruction's access, its lines merged over all lanes, in the order lanes touch them first.
struct MemoryRequest {
  uint32_t firstLine = 0, lineCount = 0; ///< 0 lines: no lane goes to memory
  uint16_t addressClocks = 0; ///< vector: clocks of address unit and tag lookup: 64 bytes of lanes' data a clock, and
                              ///< where these lie in several lines, a clock a line
  uint8_t lanes = 0;          ///< that access memory
  uint8_t bytes = 0;          ///< of a lane (vector memory)
  uint8_t ldsLanes = 0;       ///< flat: that access LDS
  uint32_t ldsDetail = 0;     ///< LdsDetail of what LDS-DMA or ldsLanes do there
};

/// Why a trace ends where it does.
enum class TraceEnd : uint8_t {
  More,    ///< there is more to come: Recorder::fill
  Stop,    ///< the next instruction executes at its time: Recorder::executeStop
  Barrier, ///< at s_barrier, and another wave of the workgroup isn't: fill once the barrier opens in the model
  Ended,
};

class WaveTrace {
public:
  // For the model
  bool empty() const { return next == entries.size(); }
  const TraceEntry &front() const { return entries[next]; }
  void pop() { ++next; }
  /// Of an entry with Flag::accesses that isn't taken yet, or was taken last; valid until any fill or executeStop of
  /// the workgroup.
  const MemoryRequest &request(const TraceEntry &entry) const { return requests[entry.detail - droppedRequests]; }
  std::span<const LineAccess> lines(const MemoryRequest &request) const {
    return {lineAccesses.data() + (request.firstLine - droppedLines), request.lineCount};
  }
  /// What comes after the last entry.
  TraceEnd end() const { return ending; }
  /// With TraceEnd::Stop: index into TimingFacts.
  uint32_t stopInstruction() const { return stoppedAt; }
  size_t size() const { return entries.size() - next; }
  /// Lines held, some of them issued already.
  size_t lineCount() const { return lineAccesses.size(); }

  // For who makes one without a Recorder
  void append(TraceEntry entry) { entries.push_back(entry); }
  /// Returns the number for TraceEntry::detail.
  uint32_t append(MemoryRequest request, std::span<const LineAccess> lines) {
    request.firstLine = droppedLines + uint32_t(lineAccesses.size());
    request.lineCount = uint32_t(lines.size());
    lineAccesses.insert(lineAccesses.end(), lines.begin(), lines.end());
    requests.push_back(request);
    return droppedRequests + uint32_t(requests.size()) - 1;
  }
  void endWith(TraceEnd end) { ending = end; }

private:
  friend class Recorder;
  friend class RecordingObserver;
  std::vector<TraceEntry> entries;
  std::vector<MemoryRequest> requests;
  std::vector<LineAccess> lineAccesses;
  size_t next = 0;
  uint32_t droppedRequests = 0, droppedLines = 0;
  uint32_t stoppedAt = 0;
  TraceEnd ending = TraceEnd::More;
  bool waitedForAll = false; ///< since the last store: s_waitcnt vmcnt(0)
};

} // namespace nstf::emulator::timing
