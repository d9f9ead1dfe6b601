// Assembles a few instructions and runs them on one wave.
#pragma once

#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/HandlerTable.h"
#include "runtime/emulator/instructions/MemorySpace.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/Memory.h"

#include <map>
#include <string>
#include <vector>

namespace nstf::emulator::test {

/// Machine code of assembly text, made by LLVM MC in this process. On an error it throws std::runtime_error with the
/// assembler's message; if `refused` is given, it returns nothing and the messages by line instead.
std::vector<uint8_t> assemble(const std::string &target, const std::string &text,
                              std::map<unsigned, std::string> *refused = nullptr);

/// A wave at the start of a piece of code. `wave` gives access to its registers.
class Snippet {
public:
  /// `s_endpgm` is added at the end.
  Snippet(const std::string &target, const std::string &text, uint32_t ldsBytes = 4096,
          MatrixMode matrix = MatrixMode::Fast);
  ~Snippet();
  /// Runs from `offset` bytes into the code to the next s_endpgm. Throws WaveFault.
  void run(size_t offset = 0);
  /// Counts what the runs execute.
  void count(ExecutionCounters &counters) { group.counters = &counters; }
  /// The code is decoded anew, when control reaches it. `functions`: begin and end of each in the code.
  void decodeOnDemand(const std::vector<std::pair<size_t, size_t>> &functions = {});
  /// Memory that the code may touch from the next run on.
  void allow(void *pointer, size_t bytes, bool writable = true);

  template <typename T> T lane(unsigned row, unsigned lane) const {
    uint64_t bits = wave().rows[row][lane];
    if (sizeof(T) == 8)
      bits |= uint64_t(wave().rows[row + 1][lane]) << 32;
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
  template <typename T> void setLane(unsigned row, unsigned lane, T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    wave().rows[row][lane] = uint32_t(bits);
    if (sizeof(T) == 8)
      wave().rows[row + 1][lane] = uint32_t(bits >> 32);
  }
  Wave &wave() const { return *state; }
  /// Where the code begins.
  uint64_t base() const { return reinterpret_cast<uint64_t>(code.data()); }
  std::vector<uint8_t> lds;
  std::shared_ptr<const DecodedProgram> program;

private:
  void use(std::shared_ptr<const DecodedProgram> decoded);
  std::vector<uint8_t> code;
  const MatrixMode matrix;
  std::unique_ptr<Wave> state;
  Workgroup group;
  Launch launch = {};
  Memory memory;
  std::vector<Region> regions;
};

} // namespace nstf::emulator::test
