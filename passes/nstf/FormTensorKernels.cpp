// nstf-form-tensor-kernels: moves tensor code into kernels (Passes.td).
//
//   %a = linalg.generic {exp} %x                       nstf.kernel @tensor_0(%x) { exp, sum, return }
//   %s = linalg.generic {sum over a row} %a     ->     %s = nstf.step @tensor_0(%x)
//   %y = linalg.generic {%a / %s of the row}           nstf.kernel @tensor_1(%x, %s) { exp, quotient, return }
//
// Users are visited before producers, so that all reads of a result are known when its producer is visited. An op is
// copied into every kernel that reads its result; a kernel is therefore a tree over its inputs, which keeps the passes
// that follow simple.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"
#include "passes/nstf/TensorCode.h"
#include "llvm/ADT/SetVector.h"

namespace nstf {
#define GEN_PASS_DEF_FORMTENSORKERNELSPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

/// The max number of ops in the tree of a kernel: code that walks the tree recurses.
constexpr int64_t maxOps = 100;
/// The same max where no op in between has a result that can be stored.
constexpr int64_t maxUnstoredOps = 1000;

/// How the graph uses a tensor.
struct Use {
  bool isStored = false;      ///< a kernel of its own computes and stores it
  bool isReadOften = false;   ///< some element is read more than once
  bool isInReduction = false; ///< it is read in the loop of a reduction
};

struct FormTensorKernelsPass : nstf::impl::FormTensorKernelsPassBase<FormTensorKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> found = getGraph(getOperation());
    if (failed(found))
      return signalPassFailure();
    graph = *found;
    uses.clear();
    tokens = {};
    SmallVector<Operation *> ops = collectTensorOps();
    if (ops.empty())
      return;
    for (Operation *op : ops)
      if (failed(verifyTensorOp(op)))
        return signalPassFailure();
    if (failed(nameTokens(ops)))
      return signalPassFailure();
    ops = collectTensorOps();
    for (Operation *op : llvm::reverse(ops))
      findUses(op);
    if (failed(limitTrees(ops)) || failed(formKernels(ops)))
      return signalPassFailure();
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

  /// The tensor ops of the graph's block that have uses; erases the others.
  SmallVector<Operation *> collectTensorOps() {
    SmallVector<Operation *> ops;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(graph.getBody().front())))
      if (isTensorCode(op)) {
        if (isOpTriviallyDead(&op) && (!tokens || &op != tokens.getDefiningOp()))
          op.erase();
        else
          ops.push_back(&op);
      }
    return SmallVector<Operation *>(llvm::reverse(ops));
  }

  /// Makes all uses of the step's number of tokens one value, and every `outs` that is never read empty, so that no
  /// kernel gets a tensor of which it needs only the shape.
  LogicalResult nameTokens(ArrayRef<Operation *> ops) {
    tokensSource = {};
    for (BlockArgument argument : graph.getBody().getArguments())
      if (!tokensSource && !cast<RankedTensorType>(argument.getType()).hasStaticShape())
        tokensSource = argument;
    SmallVector<Value> sizes;
    graph.walk([&](tensor::DimOp dim) {
      if (isTokens(dim))
        sizes.push_back(dim);
    });
    auto isDynamic = [](Type type) {
      return isa<RankedTensorType>(type) && !cast<RankedTensorType>(type).hasStaticShape();
    };
    for (Operation *op : ops)
      if (!tokensSource && llvm::any_of(op->getResultTypes(), isDynamic))
        return op->emitOpError(
            "expected an input of the graph with a leading `?`, which says how many tokens a step has");
    if (!tokensSource)
      return success();
    OpBuilder builder = OpBuilder::atBlockBegin(&graph.getBody().front());
    tokens = tensor::DimOp::create(builder, graph.getLoc(), tokensSource, 0);
    for (Value size : sizes)
      size.replaceAllUsesWith(tokens);
    graph.walk([&](linalg::GenericOp op) {
      for (OpOperand &init : op.getDpsInitsMutable()) {
        if (isRead(init) || init.get().getDefiningOp<tensor::EmptyOp>())
          continue;
        builder.setInsertionPoint(op);
        auto type = cast<RankedTensorType>(init.get().getType());
        init.set(
            tensor::EmptyOp::create(builder, op.getLoc(), type, SmallVector<Value>(type.getNumDynamicDims(), tokens)));
      }
    });
    return success();
  }

  // What is stored

  Operation *getAncestor(Operation *op) { return graph.getBody().front().findAncestorOpInBlock(*op); }

  void findUses(Operation *op) {
    for (OpResult value : op->getResults()) {
      if (!isa<RankedTensorType>(value.getType()))
        continue;
      Use &use = uses[value];
      bool isElementwise = true;
      SmallVector<OpOperand *> reads;
      for (OpOperand &read : value.getUses())
        if (isRead(read))
          reads.push_back(&read);
      for (OpOperand *read : reads) {
        Operation *user = getAncestor(read->getOwner());
        if (!isTensorCode(*user)) {
          use.isStored = true;
          continue;
        }
        bool isSameRead = llvm::all_of(reads, [&](OpOperand *other) { return other->getOwner() == user; });
        use.isReadOften |= user != read->getOwner() || !readsOnce(*read) || !isSameRead ||
                           (reads.size() > 1 && !isa<linalg::GenericOp>(user));
        use.isInReduction |= isReduction(user);
        isElementwise &= isa<linalg::GenericOp>(user);
        for (Value result : user->getResults())
          if (auto known = uses.find(result); known != uses.end() && !known->second.isStored) {
            use.isReadOften |= known->second.isReadOften;
            use.isInReduction |= known->second.isInReduction;
          }
      }
      // A value that cannot be stored is recomputed by each reader.
      if (!isMovement(op) && isStorable(value.getType()))
        use.isStored |= use.isReadOften || (isReduction(op) && (use.isInReduction || !isElementwise));
    }
  }

  LogicalResult limitTrees(ArrayRef<Operation *> ops) {
    DenseMap<Operation *, int64_t> sizes;
    for (Operation *op : ops) {
      int64_t size = 1;
      // An operand that occurs twice is computed twice, since the two are read at different indices.
      SmallVector<Value> reads(op->getOperands());
      for (Value value : getReads(op))
        if (!llvm::is_contained(op->getOperands(), value))
          reads.push_back(value);
      for (Value operand : reads)
        if (auto producer = sizes.find(operand.getDefiningOp()); producer != sizes.end() && !uses[operand].isStored)
          size += producer->second;
      sizes[op] = size;
      if (size > maxUnstoredOps)
        return op->emitOpError() << "expected at most " << maxUnstoredOps
                                 << " ops behind scalars and tensors that cannot be stored, but got " << size;
      if (size > maxOps)
        for (Value value : op->getResults())
          if (isStorable(value.getType()))
            uses[value].isStored = true;
    }
    return success();
  }

  /// The operands, and the graph's values that the regions use.
  static llvm::SetVector<Value> getReads(Operation *op) {
    llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), values);
    return values;
  }

  // Kernels

  LogicalResult formKernels(ArrayRef<Operation *> ops) {
    SymbolTable symbols(getOperation());
    int64_t number = 0, kernels = 0;
    for (Operation *op : ops)
      for (OpResult value : op->getResults()) {
        if (!uses[value].isStored)
          continue;
        if (!isStorable(value.getType()))
          return op->emitOpError() << "expected what is stored to be f32, f16, bf16 or i32, dynamic in its leading "
                                      "dimension alone, but got "
                                   << value.getType();
        std::string name;
        do
          name = "tensor_" + std::to_string(number++);
        while (symbols.lookup(name));
        outline(value, name, symbols);
        ++kernels;
      }
    remark::passed(graph.getLoc(),
                   remark::RemarkOpts::name("TensorKernels").category(getArgument()).function(graph.getSymName()))
        << "tensor code was grouped into launches" << remark::metric("operations", int64_t(ops.size()))
        << remark::metric("launches", kernels);
    return success();
  }

  void outline(OpResult root, StringRef name, SymbolTable &symbols) {
    llvm::SetVector<Operation *> members;
    llvm::SetVector<Value> inputs;
    bool needsTokens = collect(root.getOwner(), members, inputs);
    auto isDynamic = [](Value value) { return !cast<RankedTensorType>(value.getType()).hasStaticShape(); };
    if (needsTokens && llvm::none_of(inputs, isDynamic))
      inputs.insert(tokensSource);
    SmallVector<Operation *> ordered = members.takeVector();
    llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });

    OpBuilder builder(graph);
    Location location = root.getLoc();
    auto type = FunctionType::get(&getContext(), SmallVector<Type>(ValueRange(inputs.getArrayRef()).getTypes()),
                                  root.getType());
    auto kernel = KernelOp::create(builder, location, name, type);
    symbols.insert(kernel);
    builder.setInsertionPoint(root.getOwner());
    auto step = StepOp::create(builder, location, type.getResults(), name, inputs.getArrayRef(), /*offsets=*/nullptr);

    IRMapping mapping;
    mapping.map(inputs.getArrayRef(), kernel.getBody().getArguments());
    builder.setInsertionPointToStart(&kernel.getBody().front());
    if (needsTokens) {
      auto source = llvm::find_if(kernel.getBody().getArguments(), isDynamic);
      mapping.map(tokens, tensor::DimOp::create(builder, location, *source, 0).getResult());
    }
    for (Operation *op : ordered)
      builder.clone(*op, mapping);
    ReturnOp::create(builder, location, mapping.lookup(Value(root)));
    // Ops that are copied later use the step. Kernels made earlier do not use the root.
    root.replaceUsesWithIf(step->getResult(0), [&](OpOperand &use) { return use.getOwner() != step; });
  }

  /// Collects the ops of the kernel that ends in `op`, and its inputs; returns whether the kernel uses the number of
  /// tokens.
  bool collect(Operation *op, llvm::SetVector<Operation *> &members, llvm::SetVector<Value> &inputs) {
    members.insert(op);
    bool needsTokens = false;
    for (Value value : getReads(op)) {
      Operation *producer = value.getDefiningOp();
      if (value == tokens)
        needsTokens = true;
      else if (!producer || !isTensorCode(*producer))
        inputs.insert(value);
      else if (!members.contains(producer))
        needsTokens |= collect(producer, members, inputs);
    }
    return needsTokens;
  }

  GraphOp graph;
  Value tokensSource, tokens;
  DenseMap<Value, Use> uses;
};

} // namespace
