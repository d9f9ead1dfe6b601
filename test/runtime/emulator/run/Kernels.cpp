#include "test/runtime/emulator/run/Kernels.h"
#include "runtime/emulator/run/KernelArguments.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <stdexcept>
#include <unistd.h>

namespace nstf::emulator::test {
namespace {

std::string readAll(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder that is removed with the object.
struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern = testing() + "/nstf-emulator-XXXXXX";
    if (!mkdtemp(pattern.data()))
      throw std::runtime_error("no temporary folder");
    path = pattern;
  }
  ~TemporaryFolder() {
    for (const char *name : {"/source", "/code", "/log"})
      std::remove((path + name).c_str());
    rmdir(path.c_str());
  }
  static std::string testing() {
    const char *folder = std::getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
  }
  std::string path;
};

/// Defines OpenCL's functions by clang's builtins, because there is no device library here.
constexpr const char *prelude = R"(
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define IN_DIMENSION(d, f) ((d) == 0 ? f##_x() : (d) == 1 ? f##_y() : f##_z())
#define get_local_id(d) ((int)IN_DIMENSION(d, __builtin_amdgcn_workitem_id))
#define get_group_id(d) ((int)IN_DIMENSION(d, __builtin_amdgcn_workgroup_id))
#define get_local_size(d) ((int)IN_DIMENSION(d, __builtin_amdgcn_workgroup_size))
#define get_global_size(d) ((int)IN_DIMENSION(d, __builtin_amdgcn_grid_size))
#define get_num_groups(d) (get_global_size(d) / get_local_size(d))
#define get_global_id(d) (get_group_id(d) * get_local_size(d) + get_local_id(d))
static void workgroupBarrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define barrier(fence) workgroupBarrier()
#define ATOMIC(name, pointer, value) __scoped_atomic_##name(pointer, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
)";

const Target &targetOf(const std::string &name) {
  const Target *target = Target::find(name);
  if (!target)
    throw std::runtime_error("no target " + name);
  return *target;
}

/// Returns the code object. Each process compiles a source only once.
std::string compile(const std::string &target, const std::string &source, const std::string &flags,
                    const std::string &language) {
  static std::map<std::vector<std::string>, std::string> compiled;
  std::string &code = compiled[{target, source, flags, language}];
  if (!code.empty())
    return code;
  TemporaryFolder folder;
  std::ofstream(folder.path + "/source") << (language == "cl" ? prelude : "") << source;
  std::string standard = language == "cl" ? " -cl-std=CL2.0" : "";
  std::string command = std::string(NSTF_TEST_CLANG) + " -x " + language + standard +
                        " -target amdgcn-amd-amdhsa -nogpulib -mcode-object-version=5 -mcpu=" + target + " " + flags +
                        " " + folder.path + "/source -o " + folder.path + "/code 2> " + folder.path + "/log";
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error(command + "\n" + readAll(folder.path + "/log"));
  return code = readAll(folder.path + "/code");
}

} // namespace

CompiledKernels::CompiledKernels(const std::string &targetName, const std::string &source, const std::string &flags,
                                 const std::string &language)
    : target(targetOf(targetName)) {
  const std::string code = compile(targetName, source, flags, language);
  program = Program::load(memory, TargetId::parse(targetName), std::as_bytes(std::span(code)), "test");
}

const Kernel &CompiledKernels::kernel(const std::string &name) const {
  const Kernel *kernel = program->kernel(name);
  if (!kernel)
    throw std::runtime_error("no kernel " + name);
  return *kernel;
}

PackedLaunch pack(CompiledKernels &kernels, const std::string &name, Dimensions grid, Dimensions block,
                  uint32_t dynamicLds, const std::vector<std::vector<char>> &arguments) {
  const Kernel &kernel = kernels.kernel(name);
  std::vector<char> kernarg(kernel.kernargSize);
  auto put = [&](size_t at, const void *data, size_t size) {
    if (at + size > kernarg.size())
      throw std::runtime_error("argument past the end of the argument block");
    std::memcpy(kernarg.data() + at, data, size);
  };
  size_t next = 0;
  for (const KernelArgument &argument : kernel.arguments) {
    if (argument.hidden())
      continue;
    const std::vector<char> &bytes = arguments.at(next++);
    if (bytes.size() != argument.size)
      throw std::runtime_error("argument " + argument.name + " has " + std::to_string(argument.size) + " bytes");
    put(argument.offset, bytes.data(), bytes.size());
  }
  fillHidden(kernel, {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamicLds},
             std::as_writable_bytes(std::span(kernarg)));
  PackedLaunch packed{std::move(kernarg),
                      {&kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamicLds, nullptr, 0}};
  packed.launch.kernarg = packed.kernarg.data();
  packed.launch.kernargSize = packed.kernarg.size();
  return packed;
}

void launchBytes(CompiledKernels &kernels, const std::string &name, Dimensions grid, Dimensions block,
                 uint32_t dynamicLds, const std::vector<std::vector<char>> &arguments) {
  const PackedLaunch packed = pack(kernels, name, grid, block, dynamicLds, arguments);
  dispatch(kernels.target, kernels.memory, packed.launch, kernels.options.value_or(LaunchOptions::fromEnvironment()));
}

} // namespace nstf::emulator::test
