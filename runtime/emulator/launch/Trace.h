// Traces of a wave's instructions and registers.
//
// Monitors that print while a launch runs: TraceMonitor prints a wave's instructions, WatchMonitor the writes to
// elements of a buffer. decode/InstructionFacts.h gives the registers that an instruction reads and writes.
#pragma once

#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/launch/LaunchSession.h"
#include "runtime/emulator/launch/RegisterText.h"
#include "runtime/emulator/memory/SourceFrames.h"

#include <deque>
#include <ostream>
#include <sstream>

namespace nstf::emulator {

struct TraceOptions {
  std::array<uint32_t, 3> workgroup = {0, 0, 0};
  uint32_t wave = 0;
  uint64_t lanes = 0xf;                     ///< lanes whose vector registers are shown
  uint64_t pcBegin = 0, pcEnd = UINT64_MAX; ///< only instructions in this range of offsets from the kernel's entry
  uint64_t skip = 0;                        ///< instructions in the range to skip first
  uint64_t max = 10'000;                    ///< maximum number of instructions printed; 0: no limit
  uint64_t stopAt = UINT64_MAX;             ///< the trace ends after the instruction at this offset
  uint64_t last = 0;                        ///< prints only this many, the last ones; 0: all
};

/// Thrown out of a launch when the trace is complete.
struct TraceEnd {};

class TraceMonitor final : public Monitor {
public:
  TraceMonitor(const LaunchSession &session, const TraceOptions &options, std::ostream &out);
  ~TraceMonitor() override;
  void launchBegins(const Launch &launch) override;
  void launchEnds(const Launch &launch) override;
  void waveBegins(Wave &wave) override;
  void instruction(Wave &wave, const MicroOp *first) override;
  void access(Wave &wave, const MicroOp *op, const MemoryAccess &access) override;
  void retired(Wave &wave, const MicroOp *first) override;
  void groupEnds(Workgroup &group) override;
  uint64_t printed() const { return count; }
  bool sawWave() const { return found; }

private:
  bool isTraced(const Wave &wave) const;
  void printRegisters(const Wave &wave, const std::vector<RegisterUse> &uses, const char *what);
  void printVector(const Wave &wave, const RegisterRange &range, NumberView view, const char *what);
  NumberView viewOfUse(const RegisterUse &use, bool isWrite) const;
  std::string getPlace(uint64_t address) const;
  std::string pointersIn(const Wave &wave, const RegisterRange &range) const;
  void finish();

  const LaunchSession &session;
  const TraceOptions options;
  std::ostream &out;
  const Launch *launch = nullptr;
  std::unique_ptr<ProgramFacts> facts;
  std::unique_ptr<Disassembler> disassembler;
  std::vector<SourceLine> lines;
  const MicroOp *current = nullptr; ///< the instruction being printed
  const InstructionFacts *instructionFacts = nullptr;
  std::ostringstream text;      ///< text of the current instruction
  std::deque<std::string> kept; ///< with options.last: texts of earlier instructions
  uint64_t count = 0, executed = 0, matched = 0;
  bool found = false;
};

/// An element of a buffer whose writes are printed.
struct WatchedElement {
  const BufferDescription *buffer;
  uint64_t index;
  uint64_t address;
};

/// Prints every store and atomic that touches one of the elements: the instruction, wave and lane, and the value before
/// and after.
class WatchMonitor final : public Monitor {
public:
  WatchMonitor(std::vector<WatchedElement> elements, std::ostream &out) : elements(std::move(elements)), out(out) {}
  void access(Wave &wave, const MicroOp *op, const MemoryAccess &access) override;
  void retired(Wave &wave, const MicroOp *first) override;
  uint64_t printed() const { return count; }

private:
  struct Write {
    const WatchedElement *element;
    uint64_t lanes;
    std::string before;
  };
  const std::vector<WatchedElement> elements;
  std::ostream &out;
  std::vector<Write> writes; ///< of the current instruction
  uint64_t count = 0;
};

} // namespace nstf::emulator
