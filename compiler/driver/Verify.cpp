// Compares the package with the float64 reference (Verify.h).
#include "compiler/driver/Verify.h"
#include "compiler/driver/RunApart.h"
#include "compiler/driver/VerifyReport.h"
#include "compiler/reference/HostTensors.h"
#include "compiler/reference/ReferenceModel.h"
#include "compiler/reference/Tolerance.h"
#include "nstf/FloatTypes.h"
#include "nstf/Session.h"
#include "passes/nstf_to_systolic/QuantizeRows.h"
#include "support/Progress.h"
#include "support/WriteFile.h"

#include <algorithm>
#include <random>
#include <sstream>
#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::reference;
using Json = nlohmann::ordered_json;

namespace {

class Verifier {
public:
  Verifier(const Compilation &compilation, const CompiledTarget &target, const std::filesystem::path &package)
      : compilation(compilation), target(target), session(openSession(target, package)),
        reference(compilation.getModel(), getReferenceOptions()), precision(findPrecision()), codes(findCodes()),
        steps(compilation.getGraph().getBody().getOps<StepOp>()) {
    findCodeStates();
  }

  void run(const VerifyOptions &options, VerifyReport &into) {
    report = &into;
    report->countLaunches(session.backend().libraryPath());
    int64_t context = GraphOp(compilation.getGraph()).getContext();
    auto countRows = [&](const VerifyStep &step) {
      return std::clamp<int64_t>(step.tokens, 1, std::min(session.target().maxTokens(), context));
    };
    uint64_t launches = 0;
    for (const VerifyStep &step : options.steps)
      if (const manifest::Bucket *bucket = session.target().bucketFor(countRows(step)))
        launches += bucket->steps.size();
    support::Progress shown("verifying on " + target.target.name, "launches", launches);
    progress = &shown;
    for (const VerifyStep &step : options.steps) {
      int64_t rows = countRows(step);
      if (step.position) {
        startAt(*step.position);
      } else if (session.position() + rows > context) {
        session.reset();
        reference.reset();
      }
      runStep(rows, options);
    }
  }

private:
  static runtime::Session openSession(const CompiledTarget &target, const std::filesystem::path &package) {
    runtime::SessionOptions options;
    options.device = DeviceKind::Emulator;
    options.target = target.target.chip;
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

  /// Starts a sequence at `position`, with random numbers as its earlier rows.
  void startAt(int64_t position) {
    session.seek(position);
    for (const manifest::Buffer &buffer : session.manifest().buffers)
      if (buffer.kind == manifest::BufferKind::State) {
        runtime::HostTensor value = makeNumbers(*buffer.type, buffer.shape->at(0));
        session.setState(buffer.name, value);
        reference.setState(buffer.name, toTensor(value));
      }
  }

  runtime::HostTensor makeInput(const manifest::Port &port, int64_t tokens) {
    return makeNumbers(port.type, port.shape.at(tokens), session.manifest().limitOf(port).value_or(2));
  }

  /// Random values, the same in every run: indices below `limit`, codes, or numbers in [-1, 1).
  runtime::HostTensor makeNumbers(manifest::ElementType type, std::vector<int64_t> shape, int64_t limit = 2) {
    runtime::HostTensor tensor{type, std::move(shape), {}};
    tensor.data.resize(tensor.elements() * manifest::sizeOf(type));
    for (uint64_t i = 0; i < tensor.elements(); ++i) {
      if (type == manifest::ElementType::I32) {
        int32_t id = random() % uint32_t(limit);
        std::memcpy(tensor.data.data() + i * 4, &id, 4);
      } else if (manifest::sizeOf(type) == 1) { // codes, without the byte 0x80, which is NaN in e4m3fnuz
        tensor.data[i] = std::byte(int8_t(int32_t(random() % 255) - 127));
      } else {
        float number = float(int32_t(random() & 0xffff) - 0x8000) / 0x8000;
        uint64_t size = manifest::sizeOf(type);
        convertNumbers(reinterpret_cast<const std::byte *>(&number), manifest::ElementType::F32,
                       tensor.data.data() + i * size, type, 1);
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
    made.clear();
    session.runSteps(tokens, [&](const runtime::LaunchView &launch) {
      if (options.changeMemory)
        options.changeMemory(session, launch);
      compareLaunch(launch);
    });
    if (productsReadCodes)
      return compareWithTwin(inputs, tokens, position);
    ReferenceModel::Tensors wanted = reference.run(inputs, tokens, position);
    for (const manifest::Port &port : session.manifest().outputs) {
      runtime::HostTensor value = session.output(port.name);
      // Rounding may legitimately change which index is chosen.
      bool isIndex = port.type == manifest::ElementType::I32;
      if (isIndex && (codes || !precision.isF32()))
        continue;
      Tolerance tolerance = isIndex ? Tolerance{0, 0} : modelTolerance(precision, codes);
      bool areCodes = codes && manifest::sizeOf(port.type) == 1 && precision.isF32();
      std::vector<float> got = toFloats(value);
      const Tensor &want = wanted.at(port.name);
      report->add("output", port.name, areCodes ? compareCodes(got, want, codes) : compare(got, want, tolerance));
    }
    for (const manifest::Buffer &buffer : session.manifest().buffers)
      if (buffer.kind == manifest::BufferKind::State)
        compareState(buffer);
  }

  /// Compares the step if products read codes. A number between two codes may round to either; neither is an error, but
  /// the difference in later results exceeds any tolerance. So the reference continues with the package's codes where
  /// these are legitimate.
  void compareWithTwin(const ReferenceModel::Tensors &inputs, int64_t tokens, int64_t position) {
    auto wanted = reference.runBeside(inputs, tokens, position, [&](StepOp step, unsigned result) {
      auto found = made.find({step, result});
      return found == made.end() ? nullptr : &found->second;
    });
    for (const manifest::Port &port : session.manifest().outputs) {
      if (port.type == manifest::ElementType::I32)
        continue; // rounding may change the index
      const TwinValue &want = wanted.at(port.name);
      RowBounds bounds = want.getBounds();
      if (manifest::sizeOf(port.type) == 1)
        bounds.setZero();
      report->add("output", port.name, compareRows(toTensor(session.output(port.name)), *want.exact, bounds));
    }
    for (const manifest::Buffer &buffer : session.manifest().buffers) {
      if (buffer.kind != manifest::BufferKind::State)
        continue;
      // Compares the whole state: only here does a write outside the step's rows show.
      Tensor got = toTensor(session.getState(buffer.name)), want = reference.state(buffer.name);
      RowBounds bounds = reference.stateBounds(buffer.name);
      if (auto scales = scalesOf.find(buffer.name); scales != scalesOf.end()) {
        Comparison codes = compareRows(got, want, RowBounds::Zero(bounds.size()));
        if (!codes.passes()) { // also compares rows that have no scales yet
          report->add("state", buffer.name, codes);
          continue;
        }
        got.values = decodeRows(got.values, toTensor(session.getState(scales->second)).values);
        want.values = decodeRows(want.values, reference.state(scales->second).values);
      }
      report->add("state", buffer.name, compareRows(got, want, bounds));
    }
  }

  void compareState(const manifest::Buffer &buffer) {
    Tolerance tolerance = modelTolerance(precision, codes);
    // A value between two codes may round to either one. Codes are 1 apart in i8, and at most 16 in e4m3fnuz.
    if (*buffer.type == manifest::ElementType::I8)
      tolerance.absolute += 1;
    else if (*buffer.type == manifest::ElementType::F8E4M3FNUZ)
      tolerance.absolute += 16;
    report->add("state", buffer.name,
                compare(toFloats(session.getState(buffer.name)), reference.state(buffer.name), tolerance));
  }

  /// The precision of the compilation, or of a model with explicit types: the narrowest type of any weight or state.
  Type findPrecision() {
    MLIRContext *context = compilation.getModel().getContext();
    Type narrowest = Float32Type::get(context);
    auto take = [&](Type tensor) {
      Type element = cast<RankedTensorType>(tensor).getElementType();
      if (element.isBF16() || (element.isF16() && narrowest.isF32()))
        narrowest = element;
    };
    for (StateOp state : compilation.getModel().getOps<StateOp>())
      take(state.getType());
    compilation.getModel().walk([&](KernelOp kernel) {
      for (Type type : kernel.getArgumentTypes())
        take(type);
    });
    return narrowest;
  }

  /// The type to which rows are quantised; null if none are.
  Type findCodes() {
    Type codes;
    compilation.getModel().walk([&](QuantizeOp op) { codes = op.getType(); });
    return codes;
  }

  /// Finds the states to which rows are appended as codes, and whether products read codes.
  void findCodeStates() {
    auto findState = [](StepOp step, Value rows) -> GetOp {
      for (Operation *user : rows.getUsers())
        if (auto append = dyn_cast<KvAppendOp>(user); append && append.getRows() == rows)
          if (auto cache = dyn_cast<BlockArgument>(append.getCache()))
            return step.getInputs()[cache.getArgNumber()].getDefiningOp<GetOp>();
      return {};
    };
    for (StepOp step : steps)
      SymbolTable::lookupNearestSymbolFrom<KernelOp>(step, step.getKernelAttr()).walk([&](Operation *op) {
        productsReadCodes |= isa<DequantizeRowsOp>(op);
        auto quantize = dyn_cast<QuantizeOp>(op);
        GetOp codes = quantize ? findState(step, quantize.getCodes()) : GetOp();
        if (GetOp scales = codes ? findState(step, quantize.getScales()) : GetOp())
          scalesOf[codes.getSymbol().str()] = scales.getSymbol().str();
      });
  }

  /// Whether the part quantises rows that it computes itself.
  static bool quantizesRows(const KernelOp::Part &part) {
    return llvm::any_of(part.ops, [](Operation *op) {
      auto quantize = dyn_cast<QuantizeOp>(op);
      return quantize && !isa<BlockArgument>(quantize.getX());
    });
  }

  static size_t findResult(KernelOp region, const LaunchInfo::Argument &argument) {
    if (argument.kind == LaunchInfo::Argument::Result)
      return argument.index;
    return *llvm::find_if(llvm::seq<size_t>(region.getNumResults()),
                          [&](size_t result) { return region.getInPlaceArgument(result) == argument.index; });
  }

  /// Evaluates the kernel's reference on the launch's inputs and compares it with the launch's outputs.
  void compareLaunch(const runtime::LaunchView &launch) {
    const KernelVariant &variant = target.plan.variants.at(launch.step().kernel);
    KernelOp region = variant.region;
    std::vector<Tensor> arguments(region.getNumArguments());
    std::vector<std::pair<size_t, size_t>> written; // arguments, with the index of the result in each
    for (auto [i, argument] : llvm::enumerate(variant.launch.arguments)) {
      if (argument.access != "read" && !argument.isOwn())
        written.push_back({i, findResult(region, argument)});
      if (argument.kind == LaunchInfo::Argument::Operand)
        arguments[argument.index] = toTensor(launch.read(i));
    }
    std::vector<Tensor> results = evaluateKernel(region, arguments, StepScalars{launch.tokens(), launch.position()});
    progress->add();
    std::vector<KernelOp::Part> parts = region.getParts();
    for (auto [argument, result] : written) {
      const KernelOp::Part &part =
          *llvm::find_if(parts, [&](const auto &one) { return llvm::is_contained(one.results, result); });
      std::optional<Tolerance> tolerance = kernelTolerance(part, arguments);
      if (!tolerance)
        throw std::runtime_error("kernel " + variant.symbol + " has no tolerance");
      bool makesCodes = llvm::any_of(part.ops, llvm::IsaPred<QuantizeOp>), fromRows = quantizesRows(part);
      runtime::HostTensor value = launch.read(argument);
      std::vector<float> got = toFloats(value);
      Type type = getElementTypeOrSelf(region.getResultTypes()[result]);
      if (productsReadCodes && makesCodes)
        made[{steps[launch.index()], result}] = toTensor(value);
      bool areCodes = fromRows && type.getIntOrFloatBitWidth() == 8;
      report->add("kernel", variant.symbol,
                  areCodes ? compareCodes(got, results[result], type) : compare(got, results[result], *tolerance));
    }
  }

  const Compilation &compilation;
  const CompiledTarget &target;
  runtime::Session session;
  ReferenceModel reference;
  Type precision, codes;
  SmallVector<StepOp> steps; // launch i of a bucket is step i of the graph
  bool productsReadCodes = false;
  std::map<std::string, std::string> scalesOf;             // the scales' state for each state of codes
  std::map<std::pair<Operation *, unsigned>, Tensor> made; // codes and scales from launches of this step
  std::mt19937 random{1};
  VerifyReport *report = nullptr;
  support::Progress *progress = nullptr;
};

} // namespace

void nstf::checkSteps(const Compilation &compilation, const std::vector<VerifyStep> &steps) {
  int64_t context = compilation.getGraph().getContext(), largest = compilation.getMaxTokens();
  for (const VerifyStep &step : steps) {
    if (step.tokens > largest)
      throw std::runtime_error("--verify: expected steps of at most " + std::to_string(largest) +
                               (largest < context ? " tokens (--max-tokens)" : " tokens, the context,") + " but got " +
                               std::to_string(step.tokens));
    if (step.position.value_or(0) > context - step.tokens)
      throw std::runtime_error("--verify: expected steps inside the context of " + std::to_string(context) +
                               " positions but got " + std::to_string(step.tokens) + " at " +
                               std::to_string(*step.position));
  }
}

int nstf::verify(const Compilation &compilation, const std::filesystem::path &package, const VerifyOptions &options,
                 std::ostream &os) {
  int failures = 0;
  std::string error;
  Json all = Json::array();
  for (const CompiledTarget &target : compilation.getTargets()) {
    os.flush();
    Json report = runApart("verified", [&] {
      VerifyReport report;
      Verifier(compilation, target, package).run(options, report);
      return report.toJson();
    });
    if (!report.contains("error"))
      failures += printReport(target.target.name, report, os);
    else if (error.empty())
      error = report.at("error").get<std::string>();
    Json entry{{"target", target.target.name}};
    entry.update(report);
    all.push_back(std::move(entry));
  }
  if (!options.reportFile.empty())
    support::writeFile(options.reportFile, all.dump(1) + "\n");
  if (!error.empty())
    throw std::runtime_error(error);
  return failures ? 1 : 0;
}
