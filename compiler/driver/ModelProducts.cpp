#include "compiler/driver/ModelProducts.h"
#include "compiler/catalog/Catalog.h"
#include "mlir/Support/Timing.h"
#include "passes/nstf/WeightFormat.h"
#include "passes/nstf_to_systolic/CodeProduct.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nstf;

std::string ModelProduct::str() const {
  std::string text = request.values.at("n") + " x " + request.values.at("k") + ", " + request.values.at("type");
  for (const std::string &codes : {request.compile.quantize, request.rowCodes})
    text += codes.empty() ? "" : ", " + codes;
  return text;
}

/// As options name it: "bf16", "i8", "e4m3fnuz".
static std::string getName(Type type) {
  if (isa<Float8E4M3FNUZType>(type))
    return "e4m3fnuz";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The kernel of one product.
static KernelRequest makeRequest(LinearOp op) {
  KernelRequest request;
  RankedTensorType matrix = op.getW().getType();
  request.values = {{"n", std::to_string(matrix.getDimSize(0))}, {"k", std::to_string(matrix.getDimSize(1))}};
  Type numbers = getElementTypeOrSelf(op.getX().getType());
  if (std::optional<CodeProduct> codes = findCodeProduct(op))
    request.rowCodes = getName(getElementTypeOrSelf(codes->x.getType()));
  request.values["type"] = getName(numbers);
  if (auto codes = op.getW().getDefiningOp<DequantizeOp>())
    request.compile.quantize = getFormatName(codes.getFormat(), bool(codes.getPlane(Plane::zeros)));
  return request;
}

FailureOr<ModelProducts> nstf::findProducts(CompileOptions options, MLIRContext &context) {
  DefaultTimingManager timing;
  TimingScope scope = timing.getRootScope();
  options.weights = manifest::WeightsMode::None;
  Compilation compilation(context, options, scope);
  if (failed(compilation.run(Stage::Fused)))
    return failure();
  ModelProducts found;
  for (auto [first, last] : getTokenBuckets(compilation.getMaxTokens(), getTemplateFiles(options.overrides)))
    if (last > 1) // one row takes matvec
      found.rows.push_back(last);
  ModuleOp model = compilation.getModel();
  SymbolTable symbols(model);
  for (StepOp step : compilation.getGraph().getBody().getOps<StepOp>())
    for (const KernelOp::Part &part : symbols.lookup<KernelOp>(step.getKernel()).getParts()) {
      auto linears = llvm::map_range(llvm::make_filter_range(part.ops, llvm::IsaPred<LinearOp>),
                                     [](Operation *op) { return cast<LinearOp>(op); });
      if (linears.empty() || !LinearOp(*linears.begin()).getX().getType().isDynamicDim(0)) // one row of each request
        continue;
      if (llvm::hasNItemsOrMore(linears, 2)) {
        ++found.pairs;
        continue;
      }
      KernelRequest request = makeRequest(*linears.begin());
      auto known = llvm::find_if(found.products, [&](const ModelProduct &other) {
        return other.request.values == request.values && other.request.compile.quantize == request.compile.quantize &&
               other.request.rowCodes == request.rowCodes;
      });
      if (known == found.products.end())
        known = found.products.insert(known, {request, 0});
      ++known->count;
    }
  return found;
}
