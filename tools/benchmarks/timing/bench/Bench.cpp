#include "tools/benchmarks/timing/bench/Bench.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/timing/TimedLaunch.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace nstf::emulator::timing {

namespace {

const Target &targetOf(const ChipTiming &chip) {
  const Target *target = Target::find(chip.target);
  if (!target)
    throw std::runtime_error(chip.name + ": no target " + chip.target);
  return *target;
}

} // namespace

Bench::Bench(const ChipTiming &chip, const std::vector<std::filesystem::path> &files)
    : timing(chip), target(targetOf(chip)) {
  for (const std::filesystem::path &path : files) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
      throw std::runtime_error(path.string() + ": no such file");
    std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    programs.push_back(Program::load(memory, TargetId::parse(target.name),
                                     {reinterpret_cast<const std::byte *>(bytes.data()), bytes.size()}, path.string()));
  }
  forget();
}

Bench::~Bench() = default;

void Bench::use(const ChipTiming &chip) {
  if (chip.target != timing.target)
    throw std::runtime_error("expected a chip of " + timing.target + " but got one of " + chip.target);
  timing = chip;
  forget();
}

void *Bench::allocate(uint64_t bytes) {
  void *pointer = memory.allocate(bytes);
  if (!pointer)
    throw std::runtime_error("no memory for " + std::to_string(bytes) + " bytes");
  return pointer;
}

void Bench::forget() { caches = std::make_unique<MemorySystem>(timing); }

const Kernel &Bench::find(const std::string &kernel) const {
  for (const auto &program : programs)
    if (const Kernel *found = program->kernel(kernel))
      return *found;
  throw std::runtime_error("no kernel " + kernel + " for " + timing.target);
}

std::vector<std::byte> Bench::emptyArguments(const std::string &kernel, const LaunchShape &shape) const {
  std::vector<std::byte> block(find(kernel).kernargSize + argumentPadding);
  fillHidden(find(kernel), shape, block);
  return block;
}

size_t Bench::getOffset(const std::string &kernel, size_t argument) const {
  return find(kernel).arguments.at(argument).offset;
}

LaunchPrediction Bench::launch(const std::string &kernel, const LaunchShape &shape,
                               std::span<const std::byte> arguments, const TimingOptions &options) {
  LaunchArguments launch{&find(kernel),
                         {shape.grid[0], shape.grid[1], shape.grid[2]},
                         {shape.block[0], shape.block[1], shape.block[2]},
                         uint32_t(shape.dynamicLds),
                         arguments.data(),
                         arguments.size()};
  LaunchOptions how;
  how.threads = 1;
  return predict(target, memory, launch, how, timing, *caches, options);
}

} // namespace nstf::emulator::timing
