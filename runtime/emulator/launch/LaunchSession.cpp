#include "runtime/emulator/launch/LaunchSession.h"

#include "runtime/emulator/launch/ArgumentBlock.h"
#include "runtime/emulator/launch/KernelNames.h"
#include "support/ChipFile.h"
#include "support/Escape.h"
#include "support/WriteFile.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <unistd.h>

namespace nstf::emulator {
namespace {
namespace fs = std::filesystem;

uint64_t hostMemory() { return uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGE_SIZE)); }

MatrixMode matrixMode(MatrixChoice option, MatrixChoice launch, MatrixChoice file) {
  for (MatrixChoice choice : {option, launch, file})
    if (choice != MatrixChoice::Unset)
      return choice == MatrixChoice::Exact ? MatrixMode::Exact : MatrixMode::Fast;
  return LaunchOptions::fromEnvironment().matrix;
}

} // namespace

LaunchSession::LaunchSession(LaunchFile file, const SessionOptions &options) : launchFile(std::move(file)) {
  chooseTarget(options);
  // If the chip is of another target, LaunchPredictor reports it.
  const bool isOfTarget = options.chip && options.chip->target == chip->name;
  chipModel = isOfTarget ? DeviceModel::load(*options.chip) : DeviceModel::of(chip->name);
  checks::CheckSet set = chooseChecks(options);
  set.allPlaces = options.allPlaces;
  memory = std::make_unique<Memory>(std::min(model().memoryBytes, hostMemory()));
  services = std::make_unique<services::HostServices>(*memory, chipModel);
  silent = std::make_unique<services::HostServices>(*memory, chipModel, services::TextOutput::none());
  if (set.any()) // before any allocation: unwritten memory is undefined from then on
    checker = checks::makeChecker(set, *chip, *memory);
  for (const LaunchDescription &launch : launchFile.launches)
    prepared.push_back({&launch, &getKernel(launch), {}, {}, MatrixMode::Fast});
  for (const BufferDescription &buffer : launchFile.buffers)
    allocate(buffer);
  for (PreparedLaunch &launch : prepared)
    prepare(launch, options);
  for (const ExpectDescription &expectation : launchFile.expectations)
    expected.push_back(
        expectation.contents.kind == Contents::Buffer
            ? Tensor()
            : makeContents(launchFile, expectation.contents, *launchFile.buffer(expectation.buffer), true));
  for (const OutputDescription &output : launchFile.outputs) {
    fs::path folder = launchFile.resolve(output.file).parent_path();
    if (!folder.empty() && !fs::is_directory(folder))
      output.place.error("expected a file in a folder that is there but got " +
                         launchFile.resolve(output.file).string());
  }
}

checks::CheckSet LaunchSession::chooseChecks(const SessionOptions &options) const {
  try {
    return checks::CheckSet::parse(options.check ? *options.check : launchFile.check,
                                   options.check ? "--check" : "check");
  } catch (const std::invalid_argument &error) {
    if (options.check)
      throw InputError(std::string(error.what()));
    launchFile.checkPlace.error(error.what());
  }
}

void LaunchSession::chooseTarget(const SessionOptions &options) {
  std::string text = options.target.empty() ? launchFile.target : options.target;
  auto fail = [&](const std::string &message) {
    if (!options.target.empty())
      throw InputError("--target: " + message);
    (launchFile.target.empty() ? launchFile.launches.front().codeObjectPlace : launchFile.targetPlace).error(message);
  };
  if (launchFile.launches.empty() && text.empty()) {
    chip = &Target::all().front();
    id = getDevice(TargetId{chip->name});
    return;
  }
  try {
    id = text.empty()
             ? deviceFor(CodeObjectContainer::open(launchFile.resolve(launchFile.launches.front().codeObject).string()),
                         "target")
             : getDevice(TargetId::parse(text));
  } catch (const std::runtime_error &error) {
    fail(error.what());
  }
  chip = Target::find(id.processor);
  if (!chip)
    fail("expected one of " + targetNames() + " but got '" + support::escape(text) + "'");
}

const Kernel &LaunchSession::getKernel(const LaunchDescription &launch) {
  const std::string path = launchFile.resolve(launch.codeObject).string();
  const Kernel *&kernel = kernels[{path, launch.kernel}];
  if (kernel)
    return *kernel;
  try {
    CodeObjectContainer container = CodeObjectContainer::open(path);
    KernelPlace found = findKernel(container, id, launch.kernel);
    if (found.kernel.empty())
      launch.kernelPlace.error("expected one of the kernels of " + path + " for " + id.str() + " but got '" +
                               support::escape(launch.kernel) + "'" + found.hint);
    std::unique_ptr<Program> &program = programs[{path, found.object.part << 16 | found.object.entry}];
    if (!program)
      program = Program::load(*memory, id, found.object.code.bytes, found.object.where);
    return *(kernel = program->kernel(found.kernel));
  } catch (const LoadError &error) {
    launch.codeObjectPlace.error(error.what());
  }
}

void LaunchSession::allocate(const BufferDescription &buffer) {
  std::span<std::byte> place;
  if (buffer.isVariable) {
    const Program::Variable *variable = nullptr;
    for (const auto &[key, program] : programs)
      if (!variable)
        variable = program->variable(buffer.name);
    if (!variable)
      buffer.place.error("expected a device variable of a code object that is launched but got '" +
                         support::escape(buffer.name) + "'");
    if (variable->size != buffer.bytes())
      buffer.place.error("expected the " + std::to_string(variable->size) + " bytes of device variable '" +
                         support::escape(buffer.name) + "' but got " + buffer.str() + ", " +
                         std::to_string(buffer.bytes()) + " bytes");
    place = {reinterpret_cast<std::byte *>(variable->address), variable->size};
    if (buffer.init.kind == Contents::Unset) { // as in the code object
      buffers[buffer.name] = place;
      return;
    }
  } else {
    void *pointer = memory->allocate(buffer.bytes());
    if (!pointer)
      buffer.place.error("expected buffers of at most " + std::to_string(memory->limit()) +
                         " bytes in all but got more with '" + support::escape(buffer.name) + "', " +
                         std::to_string(buffer.bytes()) + " bytes");
    place = {static_cast<std::byte *>(pointer), buffer.bytes()};
  }
  buffers[buffer.name] = place;
  if (buffer.init.kind == Contents::Unset) { // undefined for the checks
    std::memset(place.data(), 0xff, place.size());
    return;
  }
  memory->hostWrites(place.data(), place.size());
  if (buffer.init.kind == Contents::Zeros && !buffer.isVariable)
    return; // fresh memory is zero
  Tensor tensor = makeContents(launchFile, buffer.init, buffer, false);
  if (!tensor.data.empty())
    std::memcpy(place.data(), tensor.data.data(), tensor.data.size());
}

void LaunchSession::prepare(PreparedLaunch &launch, const SessionOptions &options) {
  const LaunchDescription &description = *launch.description;
  const Kernel &kernel = *launch.kernel;
  launch.shape.grid = description.grid;
  if (!description.block && !kernel.requiredWorkgroupSize[0])
    description.place.error("expected the key 'block' with the work-items of a workgroup but there is none");
  launch.shape.block = description.block ? *description.block : kernel.requiredWorkgroupSize;
  launch.shape.dynamicLds = description.dynamicLds;
  launch.matrix = matrixMode(options.matrix, description.matrix, launchFile.matrix);
  if (std::string problem = getProblem(model(), kernel, launch.shape); !problem.empty())
    description.place.error("kernel '" + support::escape(kernel.name) + "': " + problem);
  if (kernel.waveSize != Wave::width)
    description.place.error("expected a kernel for waves of 64 lanes but got '" + support::escape(kernel.name) +
                            "' for " + std::to_string(kernel.waveSize));
  launch.arguments =
      makeArgumentBlock(kernel, description, launch.shape, [&](const std::string &name) { return getAddress(name); });
}

LaunchResult LaunchSession::run(const PreparedLaunch &launch, LaunchOptions options) {
  LaunchResult result;
  size_t findingsBefore = checker ? checker->findings().size() : 0;
  options.model = &chipModel;
  options.matrix = launch.matrix;
  options.services = services.get();
  options.statistics = &result.statistics;
  if (!options.monitor)
    options.monitor = checker.get();
  const LaunchArguments arguments = getArguments(launch);
  auto start = std::chrono::steady_clock::now();
  try {
    for (uint32_t i = 0; i < launch.description->repeat; ++i)
      dispatch(*chip, *memory, arguments, options);
  } catch (const Fault &fault) {
    result.fault = fault.finding;
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (checker)
    for (size_t i = findingsBefore; i < checker->findings().size(); ++i)
      result.findings.push_back(explain(launch, checker->findings()[i]));
  return result;
}

Finding LaunchSession::explain(const PreparedLaunch &launch, Finding finding) const {
  const LaunchDescription &description = *launch.description;
  if (finding.outsideLds)
    finding.what += description.dynamicLds
                        ? ", " + std::to_string(description.dynamicLds) + " of them by dynamic_lds"
                        : ", all of them static: the launch at " + description.place.str() + " gives no dynamic_lds";
  return finding;
}

LaunchArguments LaunchSession::getArguments(const PreparedLaunch &launch) const {
  const LaunchShape &shape = launch.shape;
  return {launch.kernel,
          {shape.grid[0], shape.grid[1], shape.grid[2]},
          {shape.block[0], shape.block[1], shape.block[2]},
          uint32_t(shape.dynamicLds),
          launch.arguments.data(),
          launch.arguments.size()};
}

uint64_t LaunchSession::getAddress(const std::string &buffer) const {
  return reinterpret_cast<uint64_t>(buffers.at(buffer).data());
}

std::span<std::byte> LaunchSession::contents(const std::string &buffer) const { return buffers.at(buffer); }

const BufferDescription *LaunchSession::bufferAt(uint64_t address, uint64_t &offset) const {
  for (const auto &[name, bytes] : buffers) {
    offset = address - reinterpret_cast<uint64_t>(bytes.data());
    if (offset < bytes.size())
      return launchFile.buffer(name);
  }
  return nullptr;
}

std::string LaunchSession::describeAddress(uint64_t address) const {
  uint64_t offset;
  if (const BufferDescription *buffer = bufferAt(address, offset)) {
    unsigned bytes = sizeOf(buffer->type);
    return buffer->name + indexText(offset / bytes, buffer->shape) +
           (offset % bytes ? "+" + std::to_string(offset % bytes) : "");
  }
  constexpr uint64_t near = uint64_t(1) << 30;
  uint64_t best = near;
  std::string text;
  auto consider = [&](uint64_t distance, const std::string &where) {
    if (distance < best) {
      best = distance;
      text = std::to_string(distance) + where;
    }
  };
  for (const auto &[name, bytes] : buffers) {
    uint64_t begin = reinterpret_cast<uint64_t>(bytes.data()), end = begin + bytes.size();
    if (address >= end)
      consider(address - end, " bytes past the end of " + name);
    else
      consider(begin - address, " bytes before " + name);
  }
  return text;
}

std::vector<Comparison> LaunchSession::compare(size_t max) const {
  std::vector<Comparison> results;
  for (size_t i = 0; i < expected.size(); ++i) {
    const ExpectDescription &expectation = launchFile.expectations[i];
    Tensor other;
    if (expectation.contents.kind == Contents::Buffer) {
      const BufferDescription &description = *launchFile.buffer(expectation.contents.buffer);
      std::span<std::byte> bytes = contents(description.name);
      other = {description.type, description.shape, {bytes.begin(), bytes.end()}};
    }
    const bool isBuffer = expectation.contents.kind == Contents::Buffer;
    results.push_back(emulator::compare(expectation, *launchFile.buffer(expectation.buffer),
                                        contents(expectation.buffer), isBuffer ? other : expected[i], max));
  }
  return results;
}

void LaunchSession::writeOutputs() const {
  for (const OutputDescription &output : launchFile.outputs) {
    const BufferDescription &buffer = *launchFile.buffer(output.buffer);
    fs::path path = launchFile.resolve(output.file);
    support::writeFile(path, getFile(path, buffer.type, buffer.shape, contents(output.buffer)));
  }
}

} // namespace nstf::emulator
