#include "compiler/driver/MemoryFit.h"
#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/PackageBuild.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <future>
#include <stdexcept>

using namespace nstf;

static std::optional<manifest::Manifest> plan(mlir::MLIRContext &context, CompileOptions options,
                                              PrecisionChoice *precision) {
  mlir::DefaultTimingManager timing;
  mlir::TimingScope scope = timing.getRootScope();
  options.weights = manifest::WeightsMode::None;
  Compilation compilation(context, std::move(options), scope);
  if (failed(compilation.run(Stage::Fused)) || failed(compilation.planLaunches()))
    return std::nullopt;
  if (precision)
    *precision = compilation.getPrecision();
  return planPackage(compilation);
}

std::optional<manifest::Manifest> nstf::planMemory(const CompileOptions &options, PrecisionChoice *precision) {
  mlir::MLIRContext context(makeRegistry());
  printDiagnostics(context);
  return plan(context, options, precision);
}

/// planMemory, or nothing if the options don't fit the model.
static std::optional<manifest::Manifest> tryPlan(const CompileOptions &options) {
  mlir::MLIRContext context(makeRegistry());
  mlir::ScopedDiagnosticHandler silence(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  try {
    return plan(context, options, nullptr);
  } catch (const std::runtime_error &) {
    return std::nullopt;
  }
}

uint64_t nstf::getFittingContext(const CompileOptions &options, const manifest::Manifest &manifest,
                                 uint64_t deviceMemory) {
  manifest::DeviceMemory memory = manifest.deviceMemory();
  uint64_t rest = memory.weights + memory.work;
  if (rest >= deviceMemory || !memory.states || !std::filesystem::is_directory(options.input))
    return 0;
  auto isOrdered = [](const manifest::Buffer &buffer) { return buffer.shape && buffer.shape->order; };
  uint64_t page = llvm::any_of(manifest.buffers, isOrdered) ? support::OperandOrder::pagePositions : 1;
  uint64_t pages = llvm::divideCeil(manifest.model.context.value_or(1), page);
  return (deviceMemory - rest) / llvm::divideCeil(memory.states, pages) * page;
}

/// The largest number of requests whose caches and own launch memory fit beside everything else; 0 if not even one
/// request fits.
static uint64_t getFittingRequests(const manifest::Manifest &plan, uint64_t deviceMemory) {
  using manifest::BufferKind;
  uint64_t ofRequests = 0;
  for (const manifest::Buffer &buffer : plan.buffers)
    if (buffer.kind == BufferKind::State || buffer.kind == BufferKind::Scratch || buffer.kind == BufferKind::Counters)
      ofRequests += buffer.size;
  uint64_t rest = plan.deviceMemory().total() - ofRequests, each = ofRequests / plan.control.requests;
  return rest >= deviceMemory || each == 0 ? 0 : (deviceMemory - rest) / each;
}

std::vector<MemoryOption> nstf::findFittingOptions(const CompileOptions &options, const manifest::Manifest &plan,
                                                   uint64_t deviceMemory) {
  std::vector<std::pair<std::string, CompileOptions>> candidates;
  auto add = [&](std::string text, auto set) { set(candidates.emplace_back(std::move(text), options).second); };
  if (uint64_t context = getFittingContext(options, plan, deviceMemory))
    add("--context=" + std::to_string(context), [&](CompileOptions &with) { with.context = context; });
  if (uint64_t requests = getFittingRequests(plan, deviceMemory); requests && options.maxBatch > 1)
    add("--max-batch=" + std::to_string(requests), [&](CompileOptions &with) { with.maxBatch = int64_t(requests); });
  if (plan.deviceMemory().states && options.kvCache.value_or("none") == "none")
    add("--kv-cache=i8", [](CompileOptions &with) { with.kvCache = "i8"; });
  if (options.quantize.empty())
    for (const char *format : {"int8", "int4_g128"})
      add(std::string("--quantize=") + format, [&](CompileOptions &with) { with.quantize = format; });
  std::vector<std::future<std::optional<manifest::Manifest>>> plans;
  for (const auto &[text, with] : candidates)
    plans.push_back(std::async(std::launch::async, tryPlan, with));
  std::vector<MemoryOption> fitting;
  for (auto [candidate, other] : llvm::zip_equal(candidates, plans))
    if (std::optional<manifest::Manifest> fits = other.get())
      if (uint64_t bytes = fits->deviceMemory().total(); bytes <= deviceMemory)
        fitting.push_back({candidate.first, bytes});
  return fitting;
}
