// The package against the float64 reference (Verify.h).
#include "compiler/driver/Verify.h"
#include "compiler/reference/ReferenceModel.h"
#include "compiler/reference/Tolerance.h"
#include "nstf/Session.h"

#include <cerrno>
#include <cstring>
#include <iomanip>
#include <random>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace nstf;

namespace {

/// The worst of many comparisons under one name.
struct Worst {
  Comparison comparison;
  int64_t count = 0;
  void add(const Comparison &other) {
    if (count++ == 0 || other.largestError / other.allowed > comparison.largestError / comparison.allowed)
      comparison = other;
  }
};

std::vector<float> toFloats(const runtime::HostTensor &tensor) {
  std::vector<float> values(tensor.elements());
  if (tensor.type == manifest::ElementType::F32)
    std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  else if (tensor.type == manifest::ElementType::I32)
    std::copy_n(tensor.as<int32_t>(), values.size(), values.begin());
  else
    throw std::runtime_error("expected f32 or i32 to compare but got " + tensor.str());
  return values;
}

Tensor toTensor(const runtime::HostTensor &tensor) { return Tensor(tensor.shape, toFloats(tensor)); }

class Verifier {
public:
  Verifier(const Compilation &compilation, const CompiledTarget &target, const std::filesystem::path &package)
      : compilation(compilation), target(target), session(openSession(target, package)),
        reference(compilation.getModel(), getReferenceOptions()) {}

  int run(const VerifyOptions &options, std::ostream &os) {
    int64_t context = GraphOp(compilation.getGraph()).getContext();
    for (int64_t tokens : options.steps) {
      int64_t rows = std::clamp<int64_t>(tokens, 1, std::min(session.target().maxTokens(), context));
      if (session.position() + rows > context) {
        session.reset();
        reference.reset();
      }
      runStep(rows, options);
    }
    return report(os);
  }

private:
  static runtime::Session openSession(const CompiledTarget &target, const std::filesystem::path &package) {
    runtime::SessionOptions options;
    options.device = DeviceKind::Emulator;
    options.target = target.target.name;
    return runtime::Session::open(package, options);
  }

  ReferenceOptions getReferenceOptions() const {
    ReferenceOptions options;
    if (compilation.getOptions().weights == manifest::WeightsMode::Random)
      options.randomSeed = compilation.getOptions().seed;
    else if (compilation.getOptions().weights == manifest::WeightsMode::None)
      throw std::runtime_error("--verify: expected weights to run with but --weights=none leaves none");
    return options;
  }

  /// Ids below the vocabulary, numbers in [-1, 1); the same in every run.
  runtime::HostTensor makeInput(const manifest::Port &port, int64_t tokens) {
    runtime::HostTensor tensor{port.type, port.shape.at(tokens), {}};
    tensor.data.resize(tensor.elements() * manifest::sizeOf(port.type));
    uint32_t vocabulary = uint32_t(session.manifest().model.vocabulary.value_or(2));
    for (uint64_t i = 0; i < tensor.elements(); ++i) {
      if (port.type == manifest::ElementType::I32) {
        int32_t id = random() % vocabulary;
        std::memcpy(tensor.data.data() + i * 4, &id, 4);
      } else if (port.type == manifest::ElementType::F32) {
        float number = float(int32_t(random() & 0xffff) - 0x8000) / 0x8000;
        std::memcpy(tensor.data.data() + i * 4, &number, 4);
      } else {
        throw std::runtime_error("--verify: expected inputs of f32 or i32 but got " + tensor.str());
      }
    }
    return tensor;
  }

  void runStep(int64_t tokens, const VerifyOptions &options) {
    ReferenceModel::Tensors inputs;
    for (const manifest::Port &port : session.manifest().inputs) {
      runtime::HostTensor value = makeInput(port, tokens);
      if (options.changeInput)
        options.changeInput(port.name, value);
      session.setInput(port.name, value);
      inputs[port.name] = toTensor(value);
    }
    int64_t position = session.position();
    session.runSteps(tokens, [&](const runtime::LaunchView &launch) { compareLaunch(launch); });
    ReferenceModel::Tensors wanted = reference.run(inputs, tokens, position);
    for (const manifest::Port &port : session.manifest().outputs) {
      runtime::HostTensor value = session.output(port.name);
      Type type = getType(port.type);
      Tolerance tolerance = port.type == manifest::ElementType::I32 ? Tolerance{0, 0} : modelTolerance(type);
      outputs[port.name].add(compare(toFloats(value), wanted.at(port.name), tolerance));
    }
    for (const manifest::Buffer &buffer : session.manifest().buffers)
      if (buffer.kind == manifest::BufferKind::State)
        compareState(buffer);
  }

  /// All of it: a write outside the rows of the step would show here, and nowhere else.
  void compareState(const manifest::Buffer &buffer) {
    runtime::HostTensor value{*buffer.type, buffer.shape->at(0), std::vector<std::byte>(buffer.size)};
    session.readBuffer(buffer.name, 0, value.data);
    states[buffer.name].add(
        compare(toFloats(value), reference.state(buffer.name), modelTolerance(getType(*buffer.type))));
  }

  Type getType(manifest::ElementType type) {
    MLIRContext *context = GraphOp(compilation.getGraph())->getContext();
    return type == manifest::ElementType::I32 ? Type(IntegerType::get(context, 32)) : Float32Type::get(context);
  }

  /// The kernel's meaning on what the launch read, against what it wrote.
  void compareLaunch(const runtime::LaunchView &launch) {
    const KernelVariant &variant = target.plan.variants.at(launch.step().kernel);
    KernelOp region = variant.region;
    std::vector<Tensor> arguments(region.getNumArguments());
    std::optional<size_t> output;
    for (auto [i, argument] : llvm::enumerate(variant.launch.arguments)) {
      if (argument.access != "read")
        output = i;
      if (argument.kind == LaunchInfo::Argument::Operand)
        arguments[argument.index] = toTensor(launch.read(i));
    }
    std::vector<Tensor> results = evaluateKernel(region, arguments, StepScalars{launch.tokens(), launch.position()});
    auto type = cast<RankedTensorType>(region.getResultTypes().front()).getElementType();
    std::optional<Tolerance> tolerance = kernelTolerance(region, type);
    if (!tolerance)
      throw std::runtime_error("kernel " + variant.symbol + " has no tolerance");
    kernels[variant.symbol].add(compare(toFloats(launch.read(*output)), results.front(), *tolerance));
  }

  int report(std::ostream &os) {
    int failures = 0;
    auto print = [&](const char *kind, const std::string &name, const Worst &worst) {
      const Comparison &comparison = worst.comparison;
      failures += !comparison.passes();
      os << "verify: " << target.target.name << " " << kind << " " << name << ": " << worst.count
         << " compared, largest error " << std::setprecision(3) << comparison.largestError << " of largest value "
         << comparison.largestWant << ", allowed " << comparison.allowed
         << (comparison.passes() ? "" : " PAST TOLERANCE") << "\n";
    };
    for (const auto &[name, worst] : kernels)
      print("kernel", name, worst);
    for (const auto &[name, worst] : outputs)
      print("output", name, worst);
    for (const auto &[name, worst] : states)
      print("state", name, worst);
    return failures ? 1 : 0;
  }

  const Compilation &compilation;
  const CompiledTarget &target;
  runtime::Session session;
  ReferenceModel reference;
  std::mt19937 random{1};
  std::map<std::string, Worst> kernels, outputs, states;
};

} // namespace

/// Runs `body` in a process of its own and appends what it prints: the emulator is one chip for the life of a process.
static int runApart(std::ostream &os, llvm::function_ref<int(std::ostream &)> body) {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error(std::string("--verify: expected a pipe but ") + std::strerror(errno));
  os.flush();
  pid_t child = fork();
  if (child < 0)
    throw std::runtime_error(std::string("--verify: expected a process but ") + std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    std::ostringstream text;
    int status = 1;
    try {
      status = body(text);
    } catch (const std::exception &error) {
      text << "error: " << error.what() << "\n";
    }
    std::string bytes = text.str();
    for (size_t done = 0; done < bytes.size();) {
      ssize_t written = write(ends[1], bytes.data() + done, bytes.size() - done);
      if (written <= 0)
        _exit(1);
      done += written;
    }
    _exit(status);
  }
  close(ends[1]);
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    os.write(buffer, count);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  os << "error: the process that verified was ended by signal " << WTERMSIG(status) << " ("
     << strsignal(WTERMSIG(status)) << ")\n";
  return 1;
}

int nstf::verify(const Compilation &compilation, const std::filesystem::path &package, const VerifyOptions &options,
                 std::ostream &os) {
  int status = 0;
  for (const CompiledTarget &target : compilation.getTargets())
    status |=
        runApart(os, [&](std::ostream &text) { return Verifier(compilation, target, package).run(options, text); });
  return status;
}
