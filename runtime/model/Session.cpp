// Runs packages on a device.
//
// Order on the stream: copies to the device wait until earlier work is done, a run is submitted without waiting, and
// reading an output waits for the run. A decode loop therefore waits once per token.
#include "nstf/Session.h"
#include "runtime/model/Weights.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <stdexcept>

namespace nstf::runtime {

using manifest::BufferKind;

struct Session::State {
  State(Package package, const SessionOptions &options);
  std::vector<Launch> launchesOf(const manifest::Bucket &bucket) const;
  const manifest::Bucket &bucketFor(int64_t tokens) const;
  /// Waits until all launches are done. Throws the error of a failed launch.
  void wait();
  /// Clears the buffers that launches leave at zero, as a failed launch may not have done so.
  void clearCounters();
  /// Copies the control block to the device, in stream order.
  void writeControl(std::span<const RequestRows> requests, int64_t tokens);

  Package package;
  Backend backend;
  const manifest::Target &target;
  Module module;
  mutable Stream stream; // mutable: waiting for results changes no state
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;                        // in the order of target.kernels
  std::vector<std::optional<HIPGraphRunner>> runners; // in the order of target.buckets; made at first use
  std::vector<std::optional<int64_t>> inputRows; // in the order of manifest.inputs: rows set; 0 if the shape is fixed
  std::vector<uint8_t> control;
  int64_t position = 0, lastTokens = 0;
  bool hasFailed = false; ///< whether a launch has failed since the counters were cleared
};

namespace {

/// The emulator emulates the chip of the package's first target, unless a chip was selected.
Backend openBackend(const Package &package, const SessionOptions &options) {
  if (!options.target.empty())
    return Backend::open(options.device, package.target(options.target).id, 0, options.timing);
  // The emulator selects the chip itself if the environment or the timed chip determines it.
  bool isChosen = !options.timing.empty();
  for (const char *name : {"NSTF_EMU_TARGET", "NSTF_EMU_TIMING"})
    if (const char *value = std::getenv(name))
      isChosen |= *value != 0;
  return Backend::open(options.device, isChosen ? "" : package.manifest().targets.front().id, 0, options.timing);
}

const manifest::Target &chooseTarget(const Package &package, const Backend &backend, const SessionOptions &options) {
  std::vector<std::string> ids = package.targetIds();
  if (!options.target.empty())
    ids = {package.target(options.target).id};
  return package.target(backend.requireTarget(ids, "package " + package.folder().string()));
}

Module loadModule(const Package &package, const Backend &backend, const manifest::Target &target) {
  std::string bytes = package.codeObject(target);
  return Module(backend, bytes.data(), bytes.size(), package.resolve(target.codeObject).string());
}

/// Compares the manifest's numbers with those of the code object, if the driver reports them.
void checkKernel(const manifest::Kernel &expected, const Kernel &got, const Package &package) {
  auto fail = [&](const std::string &message) {
    throw std::runtime_error((package.folder() / "manifest.json").string() + ": kernel \"" +
                             support::escape(expected.symbol) + "\": " + message);
  };
  uint32_t items = expected.block[0] * expected.block[1] * expected.block[2];
  if (got.maxThreadsPerWorkgroup() != 0 && items > got.maxThreadsPerWorkgroup())
    fail("expected a block of at most the " + std::to_string(got.maxThreadsPerWorkgroup()) +
         " work items it was compiled for but got " + std::to_string(items));
  if (got.ldsBytes() != 0 && got.ldsBytes() != expected.lds)
    fail("expected the code object's " + std::to_string(got.ldsBytes()) + " bytes of LDS but got " +
         std::to_string(expected.lds));
}

/// Refuses a package that cannot fit, before anything is allocated; the message gives the sum, not the buffer that
/// failed.
void checkMemory(const Package &package, const Backend &backend) {
  uint64_t needed = package.manifest().deviceMemory().total();
  const DeviceProperties &device = backend.properties();
  if (device.memory != 0 && needed > device.memory)
    throw std::runtime_error("package " + package.folder().string() + " needs " + std::to_string(needed) +
                             " bytes of device memory but " + device.name + " has " + std::to_string(device.memory));
}

std::string describe(const manifest::Port &port) {
  return port.shape.str() + " " + std::string(manifest::nameOf(port.type));
}

} // namespace

Session::State::State(Package given, const SessionOptions &options)
    : package(std::move(given)), backend(openBackend(package, options)),
      target(chooseTarget(package, backend, options)), module(loadModule(package, backend, target)), stream(backend) {
  const manifest::Manifest &manifest = package.manifest();
  for (const manifest::Kernel &kernel : target.kernels) {
    kernels.push_back(module.kernel(kernel.symbol));
    checkKernel(kernel, kernels.back(), package);
  }
  checkMemory(package, backend);
  for (const manifest::Buffer &buffer : manifest.buffers) {
    buffers.emplace_back(backend, buffer.size);
    if (buffer.kind != BufferKind::Weights)
      buffers.back().fill(0); // states start at zero; other buffers too, so that runs are reproducible
  }
  const bool isZero =
      manifest.weights.mode == manifest::WeightsMode::None && options.weights.empty() && backend.predictedTime();
  if (manifest.weights.buffer && !isZero)
    loadWeights(package, {options.weights, options.seed, options.checkHashes}, buffers[*manifest.weights.buffer]);
  runners.resize(target.buckets.size());
  inputRows.resize(manifest.inputs.size());
  control.resize(manifest.control.bytes());
}

void Session::State::wait() {
  try {
    stream.synchronize();
  } catch (...) {
    hasFailed = true;
    throw;
  }
}

void Session::State::clearCounters() {
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (package.manifest().buffers[i].kind == BufferKind::Counters)
      buffers[i].fill(0);
  hasFailed = false;
}

std::vector<Launch> Session::State::launchesOf(const manifest::Bucket &bucket) const {
  std::vector<Launch> launches;
  for (const manifest::Step &step : bucket.steps) {
    const manifest::Kernel &kernel = target.kernels[step.kernel];
    Launch launch;
    launch.kernel = kernels[step.kernel];
    launch.grid = step.grid;
    launch.block = kernel.block;
    // The manifest gives the offset of each address; the driver fills in the compiler's hidden arguments after them.
    std::size_t size = 0;
    for (const manifest::KernelArgument &argument : kernel.arguments)
      size = std::max<std::size_t>(size, argument.offset + argument.size);
    launch.arguments.assign(size, 0);
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
      uint64_t address = buffers[step.arguments[i].buffer].address() + step.arguments[i].offset;
      std::memcpy(launch.arguments.data() + kernel.arguments[i].offset, &address, sizeof(address));
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

const manifest::Bucket &Session::State::bucketFor(int64_t tokens) const {
  if (const manifest::Bucket *bucket = target.bucketFor(tokens))
    return *bucket;
  throw std::runtime_error("expected a step of as many tokens as the package was compiled for (" +
                           target.bucketRanges() + ") but got " + std::to_string(tokens));
}

Session Session::open(const std::filesystem::path &package, const SessionOptions &options) {
  return Session(Package::open(package), options);
}
Session::Session(Package package, const SessionOptions &options) {
  checkOptions(package, {options.weights, options.seed, options.checkHashes}); // before a device is opened
  state = std::make_unique<State>(std::move(package), options);
}
Session::Session(Session &&) noexcept = default;
Session &Session::operator=(Session &&) noexcept = default;
Session::~Session() = default;

const Package &Session::package() const { return state->package; }
const manifest::Target &Session::target() const { return state->target; }
const Backend &Session::backend() const { return state->backend; }
int64_t Session::position() const { return state->position; }

void Session::reset() {
  state->wait();
  for (std::size_t i = 0; i < state->buffers.size(); ++i)
    if (manifest().buffers[i].kind == BufferKind::State)
      state->buffers[i].fill(0);
  state->clearCounters();
  state->position = 0;
}

void Session::seek(int64_t position) {
  int64_t context = manifest().model.context.value_or(0);
  if (position < 0 || position >= context)
    throw std::runtime_error("expected a position from 0 to " + std::to_string(context - 1) +
                             ", inside the model's context, but got " + std::to_string(position));
  state->position = position;
}

/// Index of a state's buffer.
static std::size_t findState(const manifest::Manifest &manifest, std::string_view name) {
  auto found = std::ranges::find_if(manifest.buffers, [&](const manifest::Buffer &buffer) {
    return buffer.kind == BufferKind::State && buffer.name == name;
  });
  if (found == manifest.buffers.end())
    throw std::runtime_error("expected the name of a state of the package but got \"" + support::escape(name) + "\"");
  if (!found->type || !found->shape)
    throw std::runtime_error("state \"" + support::escape(found->name) + "\" has no type and shape in the manifest");
  return found - manifest.buffers.begin();
}

const manifest::Buffer &Session::findSlot(std::string_view name, int64_t slot, std::size_t &index) const {
  index = findState(manifest(), name);
  const manifest::Buffer &buffer = manifest().buffers[index];
  if (slot < 0 || slot >= buffer.slots)
    throw std::runtime_error("expected a slot from 0 to " + std::to_string(buffer.slots - 1) + " of state \"" +
                             support::escape(buffer.name) + "\" but got " + std::to_string(slot));
  return buffer;
}

void Session::setState(std::string_view name, const HostTensor &value, int64_t slot) {
  std::size_t index;
  const manifest::Buffer &buffer = findSlot(name, slot, index);
  if (value.type != *buffer.type || value.shape != buffer.shape->at(0) ||
      value.data.size() != value.elements() * manifest::sizeOf(value.type))
    throw std::runtime_error("expected state \"" + support::escape(buffer.name) + "\" to be " + buffer.shape->str() +
                             " " + std::string(manifest::nameOf(*buffer.type)) + " but got " + value.str());
  const std::size_t size = buffer.size / buffer.slots;
  std::vector<std::byte> packed;
  if (buffer.shape->order) {
    packed.resize(size);
    buffer.shape->order->pack(value.shape[0], value.shape[1], manifest::sizeOf(value.type), value.data.data(),
                              packed.data());
  }
  state->wait();
  state->buffers[index].upload((packed.empty() ? value.data : packed).data(), size, slot * size);
}

HostTensor Session::getState(std::string_view name, int64_t slot) const {
  std::size_t index;
  const manifest::Buffer &buffer = findSlot(name, slot, index);
  return readTensor(index, slot * (buffer.size / buffer.slots), *buffer.type, *buffer.shape, 0);
}

HostTensor Session::readTensor(std::size_t buffer, uint64_t offset, manifest::ElementType type,
                               const manifest::Shape &shape, int64_t rows) const {
  HostTensor tensor{type, shape.at(rows), {}};
  tensor.data.resize(shape.bytes(type, rows));
  readBuffer(buffer, offset, tensor.data);
  if (shape.order) {
    std::vector<std::byte> packed(tensor.elements() * manifest::sizeOf(type));
    packed.swap(tensor.data);
    shape.order->unpack(tensor.shape[0], tensor.shape[1], manifest::sizeOf(type), packed.data(), tensor.data.data());
  }
  return tensor;
}

void Session::setInput(std::string_view name, const HostTensor &value) {
  const manifest::Port *input = manifest().findInput(name);
  if (!input) {
    std::vector<std::string> known;
    for (const manifest::Port &port : manifest().inputs)
      known.push_back(port.name + " " + describe(port));
    throw std::runtime_error("expected one of the package's inputs (" + support::listNames(known) + ") but got \"" +
                             support::escape(name) + "\"");
  }
  int64_t rows = input->shape.hasTokens() && !value.shape.empty() ? value.shape.front() : 0;
  if (value.type != input->type || value.shape != input->shape.at(rows) ||
      value.data.size() != value.elements() * manifest::sizeOf(value.type))
    throw std::runtime_error("expected input \"" + support::escape(input->name) + "\" to be " + describe(*input) +
                             " but got " + value.str());
  if (input->shape.hasTokens())
    state->bucketFor(rows); // also checks that the rows fit into the buffer
  bool isIds = input->name == "ids";
  if (std::optional<int64_t> limit = manifest().limitOf(*input))
    for (std::size_t i = 0; i < value.elements(); ++i)
      if (int32_t id = value.as<int32_t>()[i]; id < 0 || id >= *limit)
        throw std::runtime_error("expected " +
                                 (isIds ? "token ids" : "values of \"" + support::escape(input->name) + "\"") +
                                 " from 0 to " + std::to_string(*limit - 1) + " but got " + std::to_string(id));
  state->wait();
  state->buffers[input->buffer].upload(value.data.data(), value.data.size());
  state->inputRows[input - manifest().inputs.data()] = rows;
}

int64_t Session::begin(std::span<const RequestRows> requests) {
  const manifest::Manifest &manifest = this->manifest();
  if (requests.empty() || int64_t(requests.size()) > maxRequests())
    throw std::runtime_error("expected 1 to " + std::to_string(maxRequests()) +
                             " requests in a step (nstfc --max-batch) but got " + std::to_string(requests.size()));
  int64_t tokens = 0;
  std::set<int64_t> slots;
  for (const RequestRows &request : requests) {
    if (request.slot < 0 || request.slot >= maxRequests() || !slots.insert(request.slot).second)
      throw std::runtime_error("expected a slot from 0 to " + std::to_string(maxRequests() - 1) +
                               " for each request but got " + std::to_string(request.slot) +
                               (slots.contains(request.slot) ? " twice" : ""));
    if (request.rows < 1 && requests.size() > 1)
      throw std::runtime_error("expected at least 1 row of a request but got " + std::to_string(request.rows));
    tokens += request.rows;
  }
  state->bucketFor(tokens);
  // Without a context, nothing depends on the position.
  for (const RequestRows &request : requests)
    if (manifest.model.context && (request.position < 0 || request.rows > *manifest.model.context - request.position))
      throw std::runtime_error("expected at most " + std::to_string(*manifest.model.context) +
                               " positions, the model's context, but " + std::to_string(request.position) + " and " +
                               std::to_string(request.rows) + " more are needed");
  for (std::size_t i = 0; i < manifest.inputs.size(); ++i) {
    const manifest::Port &input = manifest.inputs[i];
    if (!state->inputRows[i])
      throw std::runtime_error("expected a value for input \"" + support::escape(input.name) + "\", " +
                               describe(input) + ", but none was given");
    if (input.shape.hasTokens() && *state->inputRows[i] != tokens)
      throw std::runtime_error("expected input \"" + support::escape(input.name) + "\" to have the step's " +
                               std::to_string(tokens) + " rows but got " + std::to_string(*state->inputRows[i]));
  }
  state->wait(); // afterwards, the previous run no longer reads the control block
  if (state->hasFailed)
    state->clearCounters();
  state->writeControl(requests, tokens);
  return tokens;
}

void Session::State::writeControl(std::span<const RequestRows> requests, int64_t tokens) {
  const manifest::Control &fields = package.manifest().control;
  std::ranges::fill(control, 0);
  auto write = [&](std::size_t block, uint64_t field, int64_t value) {
    const uint32_t word = static_cast<uint32_t>(value);
    std::memcpy(control.data() + block * fields.size + field, &word, sizeof(word));
  };
  write(0, fields.tokens, tokens);
  write(0, fields.position, requests[0].position);
  int64_t first = 0;
  for (std::size_t i = 0; i < requests.size() && fields.requests > 1; ++i) {
    write(1 + i, fields.tokens, requests[i].rows);
    write(1 + i, fields.position, requests[i].position);
    write(1 + i, fields.first, first);
    write(1 + i, fields.slot, requests[i].slot);
    first += requests[i].rows;
  }
  buffers[fields.buffer].upload(stream, control.data(), control.size());
}

void Session::run(int64_t tokens) {
  const RequestRows request{0, state->position, tokens};
  run(std::span(&request, 1));
  state->position += manifest().model.context ? tokens : 0;
}

void Session::run(std::span<const RequestRows> requests) {
  const int64_t tokens = begin(requests);
  const manifest::Bucket &bucket = state->bucketFor(tokens);
  std::optional<HIPGraphRunner> &runner = state->runners[&bucket - state->target.buckets.data()];
  if (!runner)
    runner.emplace(state->backend, state->launchesOf(bucket));
  runner->run(state->stream);
  state->lastTokens = tokens;
}

void Session::runSteps(int64_t tokens, const Observer &observer) {
  const RequestRows request{0, state->position, tokens};
  begin(std::span(&request, 1));
  const manifest::Bucket &bucket = state->bucketFor(tokens);
  std::vector<Launch> launches = state->launchesOf(bucket);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    launch(state->backend, state->stream, launches[i]);
    state->wait();
    observer(LaunchView(*this, bucket, i, tokens, state->position));
  }
  state->lastTokens = tokens;
  state->position += manifest().model.context ? tokens : 0;
}

HostTensor Session::output(std::string_view name) const {
  const manifest::Port *output = manifest().findOutput(name);
  if (!output) {
    std::vector<std::string> known;
    for (const manifest::Port &port : manifest().outputs)
      known.push_back(port.name + " " + describe(port));
    throw std::runtime_error("expected one of the package's outputs (" + support::listNames(known) + ") but got \"" +
                             support::escape(name) + "\"");
  }
  if (state->lastTokens == 0)
    throw std::runtime_error("expected a run before output \"" + support::escape(output->name) +
                             "\" is read but there was none");
  return readTensor(output->buffer, 0, output->type, output->shape, state->lastTokens);
}

void Session::readBuffer(std::size_t buffer, uint64_t offset, std::span<std::byte> destination) const {
  state->wait();
  state->buffers.at(buffer).download(destination.data(), destination.size(), offset);
}

void Session::readBuffer(std::string_view buffer, uint64_t offset, std::span<std::byte> destination) const {
  const std::vector<manifest::Buffer> &buffers = manifest().buffers;
  auto it = std::find_if(buffers.begin(), buffers.end(), [&](const auto &item) { return item.name == buffer; });
  if (it == buffers.end())
    throw std::runtime_error("expected the name of a buffer of the package but got \"" + support::escape(buffer) +
                             "\"");
  readBuffer(it - buffers.begin(), offset, destination);
}

std::string Session::graphState() const {
  bool any = false;
  for (const std::optional<HIPGraphRunner> &runner : state->runners) {
    if (runner && !runner->captured())
      return "launch by launch: " + runner->fallbackReason();
    any |= runner.has_value();
  }
  return any ? "captured graph" : "not run yet";
}

const manifest::Step &LaunchView::step() const { return bucket.steps[stepIndex]; }
const manifest::Kernel &LaunchView::kernel() const { return owner.target().kernels[step().kernel]; }

HostTensor LaunchView::read(std::size_t argument) const {
  const manifest::KernelArgument &parameter = kernel().arguments.at(argument);
  const manifest::StepArgument &place = step().arguments[argument];
  return owner.readTensor(place.buffer, place.offset, parameter.type, parameter.shape, rows);
}

} // namespace nstf::runtime
