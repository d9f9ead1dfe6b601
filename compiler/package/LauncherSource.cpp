// Writes model.cpp: the tables, and the code that loads and runs a package (LauncherText.h). Parts that a model does
// not need are omitted, so that the file compiles without warnings.
#include "compiler/package/LauncherChecks.h"
#include "compiler/package/LauncherTables.h"
#include "compiler/package/LauncherText.h"

namespace nstf {

using namespace launcher;
using manifest::BufferKind;
using manifest::Manifest;

static const char helpers[] =
    R"cpp([[noreturn]] void fail(const std::string &message) { throw std::runtime_error(message); }

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

)cpp";

static const char conversion[] = R"cpp(uint32_t halfBits(uint16_t half) {
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

)cpp";

static const char implBegin[] = R"cpp(struct Impl {
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

  /// Until wait(), `from` must stay.
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

)cpp";

static std::string loadStored(bool converted) {
  std::string text = R"cpp(  /// From the files to the device, 16 MiB at a time.
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
)cpp";
  text += converted ? R"cpp(        if (weight.stored == Stored::same) {
          copyIn(weightsBuffer, weight.offset + begin, piece.data(), piece.size());
          wait();
        } else {
          std::size_t width = weight.stored == Stored::f64 ? 8 : 2;
          std::vector<char> numbers = readAsF32(weight.stored, piece.data(), piece.size() / width);
          copyIn(weightsBuffer, weight.offset + begin / width * 4, numbers.data(), numbers.size());
          wait();
        }
)cpp"
                    : R"cpp(        copyIn(weightsBuffer, weight.offset + begin, piece.data(), piece.size());
        wait();
)cpp";
  return text + "      }\n    }\n  }\n\n";
}

static const char loadGiven[] = R"cpp(  void loadGiven(const WeightFunction &weights) {
    for (const GivenWeight &given : givenWeights) {
      const void *bytes = weights(given.weight);
      if (!bytes)
        fail(std::string("expected bytes of the weight ") + given.weight.name + " but got a null pointer");
      copyIn(weightsBuffer, given.offset, bytes, given.weight.size);
      wait();
    }
  }

)cpp";

static const char findBucket[] = R"cpp(  /// The launches for a step of that many rows.
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

)cpp";

static const char checkPositions[] = R"cpp(  void checkPositions(int64_t from, int64_t tokens) const {
    if (from < 0 || tokens > context - from)
      fail("expected at most " + std::to_string(context) + " positions, the model's context, but " +
           std::to_string(from) + " and " + std::to_string(tokens) + " more are needed");
  }

)cpp";

/// A model with a context counts positions and checks their limit.
static std::string beginFunction(bool hasContext) {
  return std::string("  /// The launches for a step of that many rows, which is a step that can be made.\n"
                     "  const Bucket &begin(int tokens) const {\n"
                     "    const Bucket &bucket = find(tokens);\n") +
         (hasContext ? "    checkPositions(position, tokens);\n" : "") + "    use();\n    return bucket;\n  }\n\n";
}

static const char beginRequests[] =
    R"cpp(  /// The launches for a step of these requests, which is a step that can be made; `tokens` are its rows.
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

)cpp";

static std::string runFunction(const Manifest &manifest) {
  const bool batches = manifest.control.requests > 1;
  std::string text = std::string("  void run(const Bucket &bucket, int tokens") +
                     (batches ? ", const Request *requests, int count" : "") + R"cpp() {
    unsigned char control[controlSize] = {};
    auto write = [&](std::size_t place, int64_t value) {
      uint32_t word = uint32_t(value);
      std::memcpy(control + place, &word, sizeof(word));
    };
    write(controlTokens, tokens);
)cpp";
  text += batches ? R"cpp(    std::size_t block = controlBlock;
    int64_t first = 0;
    for (int i = 0; i < count; ++i, block += controlBlock) {
      write(block + controlTokens, requests[i].rows);
      write(block + controlPosition, requests[i].position);
      write(block + controlFirst, first);
      write(block + controlSlot, requests[i].slot);
      first += requests[i].rows;
    }
)cpp"
                  : "    write(controlPosition, position);\n";
  text += R"cpp(    copyIn(controlBuffer, 0, control, sizeof(control));
    wait(); // the caller's inputs are free, and the step before is done
    for (std::size_t i = 0; i < bucket.launchCount; ++i)
      launch(bucket.launches[i], bucket.arguments + bucket.launches[i].firstArgument);
    rows = tokens;
)cpp";
  text += manifest.model.context && !batches ? "    position += tokens;\n" : "";
  return text + "  }\n\n";
}

static std::string runFunctions(const Manifest &manifest) {
  const bool batches = manifest.control.requests > 1, hasContext = manifest.model.context.has_value();
  return std::string(findBucket) + (hasContext ? checkPositions : "") +
         (batches ? beginRequests : beginFunction(hasContext)) + runFunction(manifest) +
         R"cpp(  void launch(const Launch &launch, const Argument *arguments) {
    const Kernel &kernel = target->kernels[launch.kernel];
    alignas(8) unsigned char block[largestArgumentBytes] = {};
    for (unsigned i = 0; i < kernel.argumentCount; ++i) {
      uint64_t address = reinterpret_cast<uintptr_t>(at(arguments[i].buffer)) + arguments[i].offset;
      std::memcpy(block + target->argumentOffsets[kernel.firstOffset + i], &address, sizeof(address));
    }
    std::size_t size = kernel.argumentBytes;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, block, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    hipError_t code = hipModuleLaunchKernel(functions[launch.kernel], launch.grid[0], launch.grid[1], launch.grid[2],
                                            kernel.block[0], kernel.block[1], kernel.block[2], 0, stream, nullptr, extra);
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

)cpp";
}

static const char modelMembers[] = R"cpp(Model::Model(Model &&) noexcept = default;
Model &Model::operator=(Model &&) noexcept = default;
Model::~Model() = default;

void Model::reset() { impl->reset(); }
int64_t Model::position() const { return impl->position; }
int Model::maxTokens() const { return impl->target->buckets[impl->target->bucketCount - 1].maxTokens; }
const char *Model::target() const { return impl->target->id; }
hipStream_t Model::stream() const { return impl->stream; }
void *Model::address(Buffer buffer) const { return impl->at(buffer); }

)cpp";

static std::string constructor(const Contents &contents) {
  std::string text = "Model::Model(const std::string &packageFolder, ";
  text += contents.given ? "const WeightFunction &weights, " : "";
  text += "int device) : impl(std::make_unique<Impl>()) {\n  impl->open(packageFolder, device);\n";
  text += contents.stored ? "  impl->loadStored(packageFolder);\n" : "";
  text += contents.given ? "  impl->loadGiven(weights);\n" : "";
  return text + "}\n";
}

/// The number of elements of a port, as a C++ expression: "std::uint64_t(tokens) * 20".
static std::string elements(const manifest::Port &port, const std::string &tokens) {
  std::string fixed = std::to_string(port.shape.elements(1));
  return port.shape.hasTokens() ? "std::uint64_t(" + tokens + ") * " + fixed : fixed;
}

static std::string ports(const Manifest &manifest, const Names &names) {
  std::string parameters, copies;
  for (std::size_t i = 0; i < manifest.inputs.size(); ++i) {
    const manifest::Port &port = manifest.inputs[i];
    parameters += "const " + cppType(port.type) + " *" + names.inputs[i] + ", ";
    if (isIds(manifest, port))
      copies += "  impl->checkIds(" + names.inputs[i] + ", " + elements(port, "tokens") + ");\n";
    copies += "  impl->copyIn(Buffer::" + names.buffers[port.buffer] + ", 0, " + names.inputs[i] + ", " +
              elements(port, "tokens") + " * " + std::to_string(sizeOf(port.type)) + ");\n";
  }
  std::string text;
  if (manifest.control.requests > 1) {
    std::string inputs;
    for (const std::string &name : names.inputs)
      inputs += name + ", ";
    text = "void Model::step(" + parameters +
           "int tokens) {\n  const Request request = {0, impl->position, tokens};\n  step(" + inputs +
           "&request, 1);\n  impl->position += tokens;\n}\n\nvoid Model::step(" + parameters +
           "const Request *requests, int count) {\n  int tokens = 0;\n"
           "  const auto &launches = impl->begin(requests, count, tokens);\n" +
           copies + "  impl->run(launches, tokens, requests, count);\n}\n";
  } else {
    text = "void Model::step(" + parameters + "int tokens) {\n  const auto &launches = impl->begin(tokens);\n" +
           copies + "  impl->run(launches, tokens);\n}\n";
  }
  for (std::size_t i = 0; i < manifest.outputs.size(); ++i) {
    const manifest::Port &port = manifest.outputs[i];
    std::string type = "std::vector<" + cppType(port.type) + ">";
    std::optional<std::size_t> logits = logitsBehind(manifest, i);
    text += "\n" + type + " Model::" + names.outputs[i] + "() const {\n" +
            (logits ? "  impl->checkLogits(" + names.outputs[*logits] + "());\n" : "") + "  " + type + " values(" +
            elements(port, "impl->rows") + ");\n  impl->copyOut(Buffer::" + names.buffers[port.buffer] +
            ", values.data(), values.size() * " + std::to_string(sizeOf(port.type)) + ");\n  return values;\n}\n";
  }
  return text;
}

std::string launcherSourceText(const Manifest &manifest, std::string_view digest) {
  Names names = makeNames(manifest);
  Contents contents = contentsOf(manifest);
  std::string text = "// The launcher of the model " + comment(manifest.model.name) +
                     ": see model.h. First what the compiler decided, then what is the\n"
                     "// same for every model: load, launch, read.\n#include \"model.h\"\n\n";
  text += contents.stored ? "#include <algorithm>\n" : "";
  text += "#include <cstring>\n#include <filesystem>\n#include <fstream>\n#include <iterator>\n#include "
          "<limits>\n#include <stdexcept>\n\nnamespace " +
          names.space + " {\nnamespace {\n\nconstexpr char digest[] = " + literal(digest) + ";\n\n";
  text += launchTables(manifest, names);
  std::string states;
  std::size_t stateCount = 0;
  for (std::size_t i = 0; i < manifest.buffers.size(); ++i)
    if (manifest.buffers[i].kind == BufferKind::State || manifest.buffers[i].kind == BufferKind::Counters)
      states += (stateCount++ ? ", Buffer::" : "Buffer::") + names.buffers[i];
  text += "/// What lives from step to step.\nconstexpr std::array<Buffer, " + std::to_string(stateCount) +
          "> states = {" + states + "};\n\n";
  if (manifest.weights.buffer)
    text += "constexpr Buffer weightsBuffer = Buffer::" + names.buffers[*manifest.weights.buffer] + ";\n\n";
  text += weightTables(manifest) + helpers;
  text += contents.converted ? conversion : "";
  text += std::string("} // namespace\n\n") + implBegin;
  text += contents.stored ? loadStored(contents.converted) : "";
  text += contents.given ? loadGiven : "";
  text += checkFunctions(manifest);
  text += runFunctions(manifest);
  text += constructor(contents) + modelMembers + ports(manifest, names);
  return text + "\n} // namespace " + names.space + "\n";
}

} // namespace nstf
