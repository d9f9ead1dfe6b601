// Compiles kernels with clang for the tests.
//
// From source to a kernel of a loaded code object, and launches with arguments by value. The compiler is clang-22,
// which also builds the project.
#pragma once

#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/run/Dispatch.h"

#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace nstf::emulator::test {

/// Compiles OpenCL C (`language` "cl"), C ("c") or assembly ("assembler") with clang and loads it. Throws
/// std::runtime_error with the compiler's output.
class CompiledKernels {
public:
  CompiledKernels(const std::string &target, const std::string &source, const std::string &flags,
                  const std::string &language = "cl");
  const Kernel &kernel(const std::string &name) const;

  Memory memory;
  const Target &target;
  std::optional<LaunchOptions> options; ///< none: from the environment

private:
  std::unique_ptr<Program> program;
};

/// Device memory with a copy of `values`.
template <typename T> T *upload(Memory &memory, const std::vector<T> &values) {
  T *pointer = static_cast<T *>(memory.allocate(values.size() * sizeof(T)));
  std::memcpy(pointer, values.data(), values.size() * sizeof(T));
  return pointer;
}
template <typename T> std::vector<T> download(const T *pointer, size_t count) { return {pointer, pointer + count}; }

struct Dimensions {
  uint32_t x = 1, y = 1, z = 1;
};

/// A launch with its argument block.
struct PackedLaunch {
  std::vector<char> kernarg;
  LaunchArguments launch;
};
/// Lays `arguments` out as the metadata says and fills in the hidden arguments.
PackedLaunch pack(CompiledKernels &kernels, const std::string &name, Dimensions grid, Dimensions block,
                  uint32_t dynamicLds, const std::vector<std::vector<char>> &arguments);
void launchBytes(CompiledKernels &kernels, const std::string &name, Dimensions grid, Dimensions block,
                 uint32_t dynamicLds, const std::vector<std::vector<char>> &arguments);

template <typename T> std::vector<char> getBytes(const T &value) {
  const char *begin = reinterpret_cast<const char *>(&value);
  return {begin, begin + sizeof(T)};
}
template <typename... Arguments>
void launch(CompiledKernels &kernels, const std::string &name, Dimensions grid, Dimensions block,
            Arguments... arguments) {
  launchBytes(kernels, name, grid, block, 0, {getBytes(arguments)...});
}

} // namespace nstf::emulator::test
