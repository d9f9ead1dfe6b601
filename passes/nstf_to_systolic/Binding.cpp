// How a kernel region fits a template (Binding.h). Each operation that has a kernel of its own has one function here:
// it names the template's buffers and gives the extents and switches that the template's header explains.
#include "passes/nstf_to_systolic/Binding.h"
#include "passes/nstf_to_systolic/TensorSlot.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace nstf;

namespace {

RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The bits of a number as an f32, which is how a template's parameters carry one.
int64_t getBits(const llvm::APFloat &number) { return llvm::bit_cast<uint32_t>(float(number.convertToDouble())); }

int64_t nextPowerOfTwo(int64_t value) { return llvm::PowerOf2Ceil(value); }

class Binder {
public:
  Binder(int64_t maxTokens, StringRef templateName) : maxTokens(maxTokens), templateName(templateName) {}
  TemplateBinding binding;

  void bind(LinearOp op) {
    buffer("x", op.getX());
    buffer("w", op.getW());
    binding.operandType = getType(op.getX()).getElementType();
    parameter("N", getType(op.getW()).getDimSize(0));
    parameter("K", getType(op.getW()).getDimSize(1));
    if (templateName == "matmul")
      rows("M", op.getResult());
  }

  void bind(RmsNormOp op) {
    buffer("x", op.getX());
    buffer("weight", op.getWeight());
    // Every group of a row is a row of the template.
    int64_t features = getType(op.getX()).getDimSize(1), group = getType(op.getWeight()).getDimSize(0);
    rows("M", op.getX(), features / group);
    parameter("G", features / group);
    parameter("N", group);
    parameter("EPS", getBits(op.getEps()));
  }

  void bind(LayerNormOp op) {
    bindRows(op.getX());
    buffer("weight", op.getWeight());
    parameter("EPS", getBits(op.getEps()));
  }

  void bind(L2NormalizeOp op) {
    bindRows(op.getX());
    parameter("EPS", getBits(op.getEps()));
  }

  void bind(EmbeddingOp op) {
    buffer("ids", op.getIds());
    buffer("table", op.getTable());
    rows("M", op.getIds());
    parameter("V", getType(op.getTable()).getDimSize(0));
    parameter("N", getType(op.getTable()).getDimSize(1));
  }

  void bind(RopeOp op) {
    int64_t headSize = op.getHeadSize(), heads = getType(op.getX()).getDimSize(1) / headSize;
    buffer("x", op.getX());
    buffer("table", op.getTable());
    rows("R", op.getX(), heads);
    parameter("H", heads);
    parameter("D", headSize);
    parameter("BD", nextPowerOfTwo(headSize));
    parameter("RD", getType(op.getTable()).getDimSize(1));
    parameter("CTX", getType(op.getTable()).getDimSize(0));
    parameter("INTERLEAVED", op.getInterleaved());
    // What follows is a conversion, an append or both; the store does them.
    Value target = op.getResult();
    KvAppendOp append;
    while (target.hasOneUse() && isa<ConvertOp, KvAppendOp>(*target.getUsers().begin())) {
      Operation *next = *target.getUsers().begin();
      append = dyn_cast<KvAppendOp>(next);
      target = next->getResult(0);
    }
    parameter("APPEND", bool(append));
    parameter("RY", getRows(target) * heads);
    binding.tile = target;
  }

  void bind(AttentionOp op) {
    int64_t heads = op.getHeads(), kvHeads = op.getKvHeads(), headSize = getType(op.getQ()).getDimSize(1) / heads;
    bool isCached = op.readsCache();
    buffer("q", op.getQ());
    buffer("k", op.getK());
    buffer("v", op.getV());
    binding.operandType = getType(op.getQ()).getElementType();
    // Cells are 16 wide; 32-wide ones divide no more than they do.
    parameter("DP", llvm::alignTo(headSize, 16));
    rows("RG", op.getQ(), heads / kvHeads);
    rows("RQ", op.getQ(), heads);
    parameter("L", getRows(op.getK()));
    parameter("F", getType(op.getK()).getDimSize(1));
    parameter("H", heads);
    parameter("HK", kvHeads);
    parameter("G", heads / kvHeads);
    parameter("D", headSize);
    parameter("CAUSAL", op.getCausal());
    parameter("CACHED", isCached);
    parameter("SCALE", getBits(op.getScale()));
    // A window as long as the keys hides none.
    int64_t window = op.getWindow().value_or(0);
    parameter("WINDOW", window < getRows(op.getK()) ? window : 0);
  }

  void bind(SoftmaxOp op) { bindRows(op.getX()); }
  void bind(ArgmaxOp op) { bindRows(op.getX()); }
  void bind(MeanRowsOp op) { bindRows(op.getX()); }

  void bind(KvAppendOp op) {
    copy(op.getRows(), op.getResult());
    parameter("APPEND", 1);
  }

  void bind(LastRowOp op) {
    copy(op.getX(), op.getResult());
    parameter("LAST", 1);
  }

  void bind(FirstRowOp op) { copy(op.getX(), op.getResult()); }

  void bindElementwise(Operation *op) {
    Value input = *llvm::find_if(op->getOperands(), [](Value value) { return isa<BlockArgument>(value); });
    copy(input, op->getResult(0));
    binding.anchor = nullptr;
    binding.tile = input;
  }

private:
  void buffer(StringRef name, Value value) { binding.buffers.push_back({name, value}); }
  void parameter(StringRef name, int64_t value) { binding.parameters.push_back({name, value}); }

  int64_t getRows(Value value) { return getType(value).isDynamicDim(0) ? maxTokens : getType(value).getDimSize(0); }

  /// The extent along the rows, which decides the launch, and with it ROWS: 0 for one row a token, else how many. Only
  /// the first extent of a template does.
  void rows(StringRef name, Value value, int64_t factor = 1) {
    bool isStep = getType(value).isDynamicDim(0);
    binding.parameters.push_back({name, getRows(value) * factor, isStep ? factor : 0});
    if (llvm::none_of(binding.parameters, [](const auto &parameter) { return parameter.name == "ROWS"; }))
      parameter("ROWS", isStep ? 0 : getRows(value));
  }

  void bindRows(Value x) {
    buffer("x", x);
    rows("M", x);
    parameter("N", getType(x).getDimSize(1));
  }

  void copy(Value from, Value to) {
    buffer("x", from);
    // A cache is as long as the context, but no more rows are written than come in; a last row is one.
    bool isAppend = to.getDefiningOp<KvAppendOp>();
    rows("M", isAppend ? from : to);
    // A step may have no row behind the first, which is all that is read.
    bool isFirst = to.getDefiningOp<FirstRowOp>() && getType(from).isDynamicDim(0);
    parameter("MX", isFirst ? 1 : getRows(from));
    parameter("MY", getRows(to));
    parameter("N", getType(from).getDimSize(1));
  }

  int64_t maxTokens;
  StringRef templateName;
};

} // namespace

SmallVector<StringRef> nstf::getTemplateNames(KernelOp kernel) {
  if (isTensorKernel(kernel))
    return {"generic"};
  Operation *anchor = &kernel.getBody().front().front();
  if (isa<LinearOp>(anchor))
    return {"matvec", "matmul"};
  if (isa<ElementwiseOp, KvAppendOp, LastRowOp, FirstRowOp>(anchor))
    return {"elementwise"};
  return {anchor->getName().stripDialect()};
}

void nstf::setElementsPerToken(systolic::KernelOp program, unsigned argument, RankedTensorType tensor) {
  if (tensor.hasStaticShape())
    return;
  int64_t elements = ShapedType::getNumElements(tensor.getShape().drop_front());
  program.setArgAttr(argument, systolic::perTokenAttributeName,
                     Builder(program.getContext()).getI64IntegerAttr(elements));
}

FailureOr<TemplateBinding> nstf::bindTemplate(KernelOp kernel, StringRef templateName, int64_t maxTokens) {
  if (isTensorKernel(kernel))
    return bindTensorKernel(kernel, maxTokens);
  Operation *anchor = &kernel.getBody().front().front();
  Binder binder(maxTokens, templateName);
  binder.binding.anchor = anchor;
  if (anchor->getNumResults() == 1)
    binder.binding.tile = anchor->getResult(0);
  if (auto rope = dyn_cast<RopeOp>(anchor); rope && !rope.getTable())
    return rope.emitOpError("expected a table (nstf-materialize-rope-tables) but got none");
  bool isBound = llvm::TypeSwitch<Operation *, bool>(anchor)
                     .Case<LinearOp, RmsNormOp, LayerNormOp, L2NormalizeOp, EmbeddingOp, RopeOp, AttentionOp, SoftmaxOp,
                           ArgmaxOp, KvAppendOp, LastRowOp, FirstRowOp, MeanRowsOp>([&](auto op) {
                       binder.bind(op);
                       return true;
                     })
                     .Default([&](Operation *op) {
                       if (isa<ElementwiseOp>(op))
                         binder.bindElementwise(op);
                       return isa<ElementwiseOp>(op);
                     });
  if (!isBound)
    return kernel.emitError() << "expected an operation with a kernel template but got " << anchor->getName();
  return std::move(binder.binding);
}
