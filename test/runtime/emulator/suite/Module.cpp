#include "test/runtime/emulator/suite/Module.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/KernelArguments.h"

#include <span>
#include <stdexcept>

namespace nstf::emulator::test {

Module::Module(const std::string &chip, const std::vector<char> &code) : target(*Target::find(chip)) {
  memory.trackDefinedness();
  program = Program::load(memory, TargetId::parse(chip), std::as_bytes(std::span(code)), "test");
}

Outcome runCase(const suite::Case &test, int size, Module &module) {
  Outcome outcome;
  try {
    suite::Run run(&module, module.target.name == "gfx942", size);
    test.run(run);
  } catch (const std::exception &error) {
    outcome.error = error.what();
  }
  outcome.outputs = module.outputs;
  return outcome;
}

} // namespace nstf::emulator::test

// The functions of suite.h that depend on how the cases run.

namespace suite {
namespace {

using nstf::emulator::test::Module;
Module &of(void *module) { return *static_cast<Module *>(module); }

} // namespace

Run::~Run() {
  for (void *allocation : allocations)
    of(module).memory.free(allocation);
}

void *Run::allocate(size_t bytes) {
  allocations.push_back(of(module).memory.allocate(bytes));
  return allocations.back();
}
void Run::copyIn(void *device, const void *host, size_t bytes) {
  std::memcpy(device, host, bytes);
  of(module).memory.hostWrites(device, bytes);
}
void Run::copyOut(void *host, const void *device, size_t bytes) {
  std::memcpy(host, device, bytes);
  for (size_t i = 0; i < bytes; ++i)
    of(module).outputs = (of(module).outputs ^ static_cast<const uint8_t *>(host)[i]) * 0x100000001b3u;
}

std::string Run::start(const char *kernelName, Grid grid, Grid block, unsigned lds, void **arguments, bool) {
  using namespace nstf::emulator;
  Module &m = of(module);
  const Kernel *kernel = m.program->kernel(kernelName);
  if (!kernel)
    return "no such kernel";
  std::vector<std::byte> argumentBlock(kernel->kernargSize);
  size_t next = 0;
  for (const KernelArgument &argument : kernel->arguments)
    if (!argument.hidden())
      std::memcpy(argumentBlock.data() + argument.offset, arguments[next++], argument.size);
  fillHidden(*kernel, {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, lds}, argumentBlock);
  LaunchArguments launch{kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z},
                         lds,    argumentBlock.data(),     argumentBlock.size()};
  try {
    m.launch(launch);
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

} // namespace suite
