#include "tools/nstfc/RowTimes.h"

#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/KernelCommand.h"
#include "compiler/driver/KernelFacts.h"
#include "nstf/EmulatorStatistics.h"

#include "mlir/IR/MLIRContext.h"

#include <cstring>
#include <stdexcept>

using namespace nstf;
using compress::ProductShape;

double RowTimes::predict(const ProductShape &product) {
  auto [time, isNew] = known.try_emplace(product);
  if (isNew)
    time->second = run(product);
  return time->second;
}

/// The request of `nstfc kernel matvec` for a product.
static KernelRequest makeRequest(const ProductShape &product, const Target &target) {
  KernelRequest request;
  request.values = {{"n", std::to_string(product.rows)},
                    {"k", std::to_string(product.columns)},
                    {"type", std::string(support::nameOf(product.operands))}};
  request.compile.input = "kernel matvec";
  request.compile.targets = {target.name};
  request.compile.quantize = product.codes;
  return request;
}

double RowTimes::run(const ProductShape &product) {
  mlir::MLIRContext context(makeRegistry());
  printDiagnostics(context);
  mlir::DefaultTimingManager timing;
  mlir::TimingScope root = timing.getRootScope();
  KernelDescription matvec = KernelDescription::find("matvec");
  KernelCompilation compilation(context, matvec, makeRequest(product, target), root);
  if (failed(compilation.run(Stage::Hsaco)))
    throw std::runtime_error("--cost=time: expected a kernel of each format");
  const CompiledTarget &compiled = compilation.getCompilation().getTargets().front();
  const KernelVariant &variant = compiled.plan.variants.front();
  manifest::Kernel kernel = describeKernel(variant, compiled.target);

  if (!emulator)
    emulator = Backend::open(DeviceKind::Emulator, "", 0, getChip());
  Module module(*emulator, compiled.codeObject.data(), compiled.codeObject.size(), kernel.symbol);
  Launch launch{module.kernel(kernel.symbol), {uint32_t(variant.launch.getWorkItems(1)), 1, 1}, kernel.block};
  launch.arguments.resize(kernel.kernargSize);
  std::vector<Buffer> buffers;
  for (const manifest::KernelArgument &argument : kernel.arguments) {
    uint64_t bytes = argument.shape.elements(1) * manifest::sizeOf(argument.type);
    Buffer &buffer = buffers.emplace_back(*emulator, bytes);
    buffer.fill(0);
    uint64_t address = buffer.address();
    std::memcpy(launch.arguments.data() + argument.offset, &address, sizeof address);
  }
  Stream stream(*emulator);
  double before = emulator->predictedTime()->nanoseconds;
  nstf::launch(*emulator, stream, launch);
  stream.synchronize();
  return (emulator->predictedTime()->nanoseconds - before) / 1e3;
}
