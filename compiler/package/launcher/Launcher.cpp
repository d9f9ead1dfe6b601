// The code of a launcher behind its tables. It is the same for every model, but for lines that `#if` chooses by what
// the model has. LauncherCode.h copies it from here by parts; a part begins at a line //--- NAME. The lines before the
// first part are there so that this file compiles.
#include <model.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace launcher_model {
namespace {

#include "compiler/package/launcher/Types.h"
#include <tables.h>

//--- code
[[noreturn]] void fail(const std::string &message) { throw std::runtime_error(message); }

void check(hipError_t code, const char *action, const std::string &object) {
  if (code != hipSuccess)
    fail(std::string(action) + " " + object + ": " + hipGetErrorName(code) + " (" + hipGetErrorString(code) + ")");
}

/// The package was compiled together with this file: its manifest has this digest.
void checkPackage(const std::string &folder) {
  std::string path = folder + "/manifest.json";
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    std::error_code unknown; // no working directory
    fail(path + ": cannot read it" +
         (path[0] == '/' ? "" : ", sought from the folder " + std::filesystem::current_path(unknown).string()));
  }
  if (text.find(digest) == std::string::npos)
    fail(path + ": expected the package that this launcher came with, but it is another one or was edited: compile the "
                "application with that package's model.h and model.cpp");
}

/// Whether code for the target `code` runs on `device`: of the same chip, and no feature ("xnack-") is the other way.
bool runsOn(std::string code, const std::string &device) {
  if (code.substr(0, code.find(':')) != device.substr(0, device.find(':')))
    return false;
  while (code.find(':') != std::string::npos) {
    code.erase(0, code.find(':') + 1);
    std::string other = ":" + code.substr(0, code.find(':'));
    other.back() = other.back() == '+' ? '-' : '+';
    if (device.find(other) != std::string::npos)
      return false;
  }
  return true;
}

const Target &chooseTarget(int device) {
  hipDeviceProp_t properties;
  check(hipGetDeviceProperties(&properties, device), "cannot read the properties of device", std::to_string(device));
  std::string all;
  for (const Target &target : targets) {
    if (runsOn(target.id, properties.gcnArchName))
      return target;
    all += (all.empty() ? "" : ", ") + std::string(target.id);
  }
  fail("the package holds code for " + all + ", but device " + std::to_string(device) + " is a " +
       properties.gcnArchName);
}

#if CONVERTED
uint32_t halfBits(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
  if (exponent == 0) { // zero and subnormals: fraction * 2^-24, exact in f32
    float value = float(fraction) * (1.0f / 16777216.0f);
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return sign | bits;
  }
  return sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13;
}

/// f32 numbers of `count` numbers of another type.
std::vector<char> readAsF32(Stored stored, const char *from, std::size_t count) {
  std::vector<char> to(count * 4);
  for (std::size_t i = 0; i < count; ++i) {
    if (stored == Stored::f64) {
      double value;
      std::memcpy(&value, from + 8 * i, 8);
      float rounded = float(value);
      std::memcpy(&to[4 * i], &rounded, 4);
    } else {
      uint16_t bits;
      std::memcpy(&bits, from + 2 * i, 2);
      uint32_t wide = stored == Stored::f16 ? halfBits(bits) : uint32_t(bits) << 16;
      std::memcpy(&to[4 * i], &wide, 4);
    }
  }
  return to;
}

#endif
} // namespace

struct Impl {
  Impl() = default;
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;
  ~Impl() {
    (void)hipSetDevice(device);
    if (stream)
      (void)hipStreamSynchronize(stream);
    for (void *address : addresses)
      (void)hipFree(address);
    if (stream)
      (void)hipStreamDestroy(stream);
    if (module)
      (void)hipModuleUnload(module);
  }

  void *at(Buffer buffer) const { return addresses.at(std::size_t(buffer)); }
  void use() const { check(hipSetDevice(device), "cannot use device", std::to_string(device)); }
  void wait() const { check(hipStreamSynchronize(stream), "failed on", std::string("a ") + target->id); }

  void open(const std::string &folder, int number) {
    device = number;
    checkPackage(folder);
    use();
    target = &chooseTarget(device);
    std::string code = folder + "/" + target->codeObject;
    check(hipModuleLoad(&module, code.c_str()), "cannot load", code);
    functions.resize(target->kernelCount);
    for (std::size_t i = 0; i < target->kernelCount; ++i)
      check(hipModuleGetFunction(&functions[i], module, target->kernels[i].symbol), "cannot find the kernel",
            target->kernels[i].symbol);
    check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "cannot make", "a stream");
    for (const BufferInfo &buffer : buffers) {
      std::string what = std::to_string(buffer.size) + " bytes for " + buffer.name;
      void *address = nullptr;
      check(hipMalloc(&address, buffer.size), "cannot allocate", what);
      addresses.push_back(address);
      check(hipMemsetAsync(address, 0, buffer.size, stream), "cannot clear", what);
    }
    wait();
  }

  /// The caller keeps `from` valid and unchanged until wait().
  void copyIn(Buffer buffer, uint64_t offset, const void *from, uint64_t size) {
    if (!from) {
      wait();
      fail(std::string("expected a value for ") + buffers[std::size_t(buffer)].name + " but got a null pointer");
    }
    check(hipMemcpyAsync(static_cast<char *>(at(buffer)) + offset, from, size, hipMemcpyHostToDevice, stream),
          "cannot copy to", buffers[std::size_t(buffer)].name);
  }

  void copyOut(Buffer buffer, void *to, uint64_t size) const {
    if (rows == 0)
      fail(std::string("expected a step before ") + buffers[std::size_t(buffer)].name + " is read but there was none");
    use();
    check(hipMemcpyAsync(to, at(buffer), size, hipMemcpyDeviceToHost, stream), "cannot copy from",
          buffers[std::size_t(buffer)].name);
    wait();
  }

#if STORED
  /// Copies the stored weights from the files to the device, 16 MiB at a time.
  void loadStored(const std::string &folder) {
    std::vector<char> piece;
    std::ifstream file;
    std::string path;
    for (const StoredWeight &weight : storedWeights) {
      std::string next = (std::filesystem::path(folder) / weight.file).string();
      if (next != path) {
        path = next;
        file.close();
        file.clear();
        file.open(path, std::ios::binary);
      }
      file.seekg(std::streamoff(weight.fileOffset));
      for (uint64_t begin = 0; begin < weight.size; begin += piece.size()) {
        piece.resize(std::size_t(std::min<uint64_t>(1 << 24, weight.size - begin)));
        if (!file.read(piece.data(), std::streamsize(piece.size())))
          fail(path + ": expected " + std::to_string(weight.size) + " bytes of " + weight.name + " at offset " +
               std::to_string(weight.fileOffset) + " but they cannot be read");
#if CONVERTED
        if (weight.stored == Stored::same) {
          copyIn(weightsBuffer, weight.offset + begin, piece.data(), piece.size());
          wait();
        } else {
          std::size_t width = weight.stored == Stored::f64 ? 8 : 2;
          std::vector<char> numbers = readAsF32(weight.stored, piece.data(), piece.size() / width);
          copyIn(weightsBuffer, weight.offset + begin / width * 4, numbers.data(), numbers.size());
          wait();
        }
#else
        copyIn(weightsBuffer, weight.offset + begin, piece.data(), piece.size());
        wait();
#endif
      }
    }
  }

#endif
#if GIVEN
  void loadGiven(const WeightFunction &weights) {
    for (const GivenWeight &given : givenWeights) {
      const void *bytes = weights(given.weight);
      if (!bytes)
        fail(std::string("expected bytes of the weight ") + given.weight.name + " but got a null pointer");
      copyIn(weightsBuffer, given.offset, bytes, given.weight.size);
      wait();
    }
  }

#endif
#if IDS
  void checkIds(const int32_t *ids, uint64_t count) const {
    for (uint64_t i = 0; ids && i < count; ++i)
      if (ids[i] < 0 || ids[i] >= vocabulary)
        fail("expected token ids from 0 to " + std::to_string(vocabulary - 1) + " but got " + std::to_string(ids[i]));
  }

#endif
#if LOGITS
  /// The device's choice passes over NaN, so that a token says nothing of the logits it was chosen from.
  void checkLogits(const std::vector<float> &logits) const {
    const float infinity = std::numeric_limits<float>::infinity();
    const std::string place = "for the token at position " + std::to_string(position) + ": expected ";
    bool anyFinite = false;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      if (!(logits[i] < infinity))
        fail(place + "logits to be finite or -inf but the one of token " + std::to_string(i) + " is " +
             (logits[i] == infinity ? "+inf" : "NaN"));
      anyFinite = anyFinite || logits[i] > -infinity;
    }
    if (!anyFinite)
      fail(place + "a finite logit but all " + std::to_string(logits.size()) + " are -inf");
  }

#endif
  /// The launches for a step of that many rows.
  const Bucket &find(int64_t tokens) const {
    const Bucket *found = nullptr;
    std::string ranges;
    for (std::size_t i = 0; i < target->bucketCount; ++i) {
      const Bucket &bucket = target->buckets[i];
      if (tokens >= bucket.minTokens && tokens <= bucket.maxTokens)
        found = &bucket;
      ranges += (i ? ", " : "") + std::to_string(bucket.minTokens);
      if (bucket.maxTokens != bucket.minTokens)
        ranges += "-" + std::to_string(bucket.maxTokens);
    }
    if (!found)
      fail("expected a step of as many tokens as the package was compiled for (" + ranges + ") but got " +
           std::to_string(tokens));
    return *found;
  }

#if CONTEXT
  void checkPositions(int64_t from, int64_t tokens) const {
    if (from < 0 || tokens > context - from)
      fail("expected at most " + std::to_string(context) + " positions, the model's context, but " +
           std::to_string(from) + " and " + std::to_string(tokens) + " more are needed");
  }

#endif
#if REQUESTS
  /// The launches for a step of these requests, which is a step that can be made; `tokens` are its rows.
  const Bucket &begin(const Request *requests, int count, int &tokens) const {
    if (!requests || count < 1 || count > maxRequests)
      fail("expected 1 to " + std::to_string(maxRequests) + " requests in a step but got " +
           std::to_string(requests ? count : 0));
    bool taken[maxRequests] = {};
    int64_t all = 0;
    for (int i = 0; i < count; ++i) {
      const Request &request = requests[i];
      if (request.slot < 0 || request.slot >= maxRequests || taken[request.slot])
        fail("expected a slot of its own for each request, 0 to " + std::to_string(maxRequests - 1) + ", but got " +
             std::to_string(request.slot));
      taken[request.slot] = true;
      if (request.rows < 1)
        fail("expected at least 1 row of a request but got " + std::to_string(request.rows));
      checkPositions(request.position, request.rows);
      all += request.rows;
    }
    const Bucket &bucket = find(all);
    tokens = int(all);
    use();
    return bucket;
  }

#else
  /// The launches for a step of that many rows, which is a step that can be made.
  const Bucket &begin(int tokens) const {
    const Bucket &bucket = find(tokens);
#if CONTEXT
    checkPositions(position, tokens);
#endif
    use();
    return bucket;
  }

#endif
#if REQUESTS
  void run(const Bucket &bucket, int tokens, const Request *requests, int count) {
#else
  void run(const Bucket &bucket, int tokens) {
#endif
    unsigned char control[controlSize] = {};
    auto write = [&](std::size_t place, int64_t value) {
      uint32_t word = uint32_t(value);
      std::memcpy(control + place, &word, sizeof(word));
    };
    write(controlTokens, tokens);
#if REQUESTS
    std::size_t block = controlBlock;
    int64_t first = 0;
    for (int i = 0; i < count; ++i, block += controlBlock) {
      write(block + controlTokens, requests[i].rows);
      write(block + controlPosition, requests[i].position);
      write(block + controlFirst, first);
      write(block + controlSlot, requests[i].slot);
      first += requests[i].rows;
    }
#else
    write(controlPosition, position);
#endif
    copyIn(controlBuffer, 0, control, sizeof(control));
    wait(); // the caller's inputs are free, and the step before is done
    for (std::size_t i = 0; i < bucket.launchCount; ++i)
      launch(bucket.launches[i], bucket.arguments + bucket.launches[i].firstArgument);
    rows = tokens;
#if COUNTS_POSITIONS
    position += tokens;
#endif
  }

  void launch(const Launch &launch, const Argument *arguments) {
    const Kernel &kernel = target->kernels[launch.kernel];
    alignas(8) unsigned char block[largestArgumentBytes] = {};
    for (unsigned i = 0; i < kernel.argumentCount; ++i) {
      uint64_t address = reinterpret_cast<uintptr_t>(at(arguments[i].buffer)) + arguments[i].offset;
      std::memcpy(block + target->argumentOffsets[kernel.firstOffset + i], &address, sizeof(address));
    }
    std::size_t size = kernel.argumentBytes;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, block, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    // clang-format off
    hipError_t code = hipModuleLaunchKernel(functions[launch.kernel], launch.grid[0], launch.grid[1], launch.grid[2],
                                            kernel.block[0], kernel.block[1], kernel.block[2], 0, stream, nullptr, extra);
    // clang-format on
    if (code != hipSuccess)
      check(code, "cannot launch", kernel.symbol);
  }

  void reset() {
    use();
    for (Buffer state : states)
      check(hipMemsetAsync(at(state), 0, buffers[std::size_t(state)].size, stream), "cannot clear",
            buffers[std::size_t(state)].name);
    wait();
    position = 0;
  }

  int device = 0;
  hipModule_t module = nullptr;
  hipStream_t stream = nullptr;
  const Target *target = nullptr;
  std::vector<hipFunction_t> functions; // as target->kernels
  std::vector<void *> addresses;        // by Buffer
  int64_t position = 0;
  int rows = 0; // of the last step
};

//--- members
Model::Model(Model &&) noexcept = default;
Model &Model::operator=(Model &&) noexcept = default;
Model::~Model() = default;

void Model::reset() { impl->reset(); }
int64_t Model::position() const { return impl->position; }
int Model::maxTokens() const { return impl->target->buckets[impl->target->bucketCount - 1].maxTokens; }
const char *Model::target() const { return impl->target->id; }
hipStream_t Model::stream() const { return impl->stream; }
void *Model::address(Buffer buffer) const { return impl->at(buffer); }

//--- end
} // namespace launcher_model
