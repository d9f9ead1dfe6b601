// nstf-form-kernels: groups operations, then moves each group into a kernel and replaces it by a step (Passes.td).
//
//   %y = nstf.linear %x, %w                            nstf.kernel @linear_add_0(%x, %w, %r) {
//   %z = nstf.add %r, %y                     ->          linear, add, return }
//                                                      %z = nstf.step @linear_add_0(%x, %w, %r)
//
// A step can stand in the place of its group's last op: a value inside the group, unless it is a result, is used inside
// the group only. So no op between two ops of the group depends on the group, and every value that the group reads from
// outside is defined by then.
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace nstf {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

// Whether the anchor's kernel can apply an elementwise op to its result. An operand that is a table is indexed by
// position, and a kernel that computes a part of the step's rows does not know the position of its rows.
bool takes(Operation *anchor, ElementwiseOp op) {
  auto epilogue = dyn_cast<EpilogueOp>(anchor);
  bool readsTable = llvm::any_of(llvm::seq(op->getNumOperands()), [&](unsigned i) { return !op.isByElement(i); });
  return epilogue && (!readsTable || epilogue.computesStepRows());
}

// The ops of one kernel: those that decode operands of the anchor, the anchor, then the others in graph order.
struct Group {
  SmallVector<Operation *> ops;
  size_t decoders = 0;
  Operation *anchor() const { return ops[decoders]; }
  Operation *last() const { return ops.back(); }
  /// The values that no op of the group uses.
  SmallVector<Value> getResults() const {
    SmallVector<Value> results;
    for (Operation *op : ops)
      if (llvm::none_of(op->getUsers(), [&](Operation *user) { return llvm::is_contained(ops, user); }))
        llvm::append_range(results, op->getResults());
    return results;
  }
  bool isElementwise() const { return isa<ElementwiseOp>(anchor()); }
};

struct FormKernelsPass : nstf::impl::FormKernelsPassBase<FormKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> graph = getGraph(getOperation());
    if (failed(graph) || failed(verifyPrecondition(*graph)))
      return signalPassFailure();
    copyDecoders(*graph);
    const int64_t operations = llvm::count_if(graph->getBody().front().without_terminator(), isGrouped);
    std::vector<Group> groups = formGroups(*graph);
    SymbolTable symbols(getOperation());
    llvm::StringMap<int64_t> numbers; // number of the next kernel of each stem
    for (const Group &group : groups)
      moveToKernel(group, *graph, symbols, numbers);
    if (failed(verifyFormed(*graph)))
      return signalPassFailure();
    remark::passed(graph->getLoc(),
                   remark::RemarkOpts::name("Kernels").category(getArgument()).function(graph->getSymName()))
        << "operations were grouped into launches" << remark::metric("operations", operations)
        << remark::metric("launches", int64_t(groups.size()));
  }

  LogicalResult verifyPrecondition(GraphOp graph) {
    for (Operation &op : graph.getBody().front()) {
      if (!isa<NSTFDialect>(op.getDialect()))
        return op.emitOpError() << "expected operations of the nstf dialect only in a graph "
                                   "(nstf-form-tensor-kernels takes others)";
    }
    return success();
  }

  // Grouping

  /// Clones decoders, so that each reader of a compressed tensor has its own and decodes the tensor as it loads.
  static void copyDecoders(GraphOp graph) {
    for (DecodeOp op : llvm::make_early_inc_range(graph.getBody().getOps<DecodeOp>()))
      for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(op->getUses())))
        use.set(OpBuilder(op).clone(*op)->getResult(0));
  }

  /// A launch of tensor code is a group already.
  static bool isGrouped(Operation &op) { return !isa<GetOp, StepOp>(op); }

  std::vector<Group> formGroups(GraphOp graph) {
    std::vector<Group> groups;
    DenseMap<Operation *, size_t> groupOf;
    for (Operation &op : graph.getBody().front().without_terminator()) {
      if (!isGrouped(op))
        continue;
      if (isa<DecodeOp>(op)) // goes with its reader
        continue;
      std::optional<size_t> joined;
      if (auto convert = dyn_cast<ConvertOp>(op))
        joined = joinStore(convert, groupOf);
      if (auto elementwise = dyn_cast<ElementwiseOp>(op); elementwise && !joined)
        joined = joinEpilogue(elementwise, groups, groupOf);
      else if (auto append = dyn_cast<KvAppendOp>(op))
        joined = joinRows(append, groups, groupOf);
      else if (auto quantize = dyn_cast<QuantizeOp>(op))
        joined = joinNorm(quantize, groupOf);
      if (!joined) {
        joined = groups.size();
        groups.emplace_back();
        for (Value operand : op.getOperands())
          if (operand.getDefiningOp<DecodeOp>())
            groups.back().ops.push_back(operand.getDefiningOp());
        groups.back().decoders = groups.back().ops.size();
      }
      groups[*joined].ops.push_back(&op);
      groupOf[&op] = *joined;
    }
    llvm::erase_if(groups, [](const Group &group) { return group.ops.empty(); }); // groups that were merged into others
    // Steps stand where the last op of their group stood; kernels keep the order of their steps.
    llvm::sort(groups, [](const Group &a, const Group &b) { return a.last()->isBeforeInBlock(b.last()); });
    return groups;
  }

  // The group whose epilogue takes this elementwise op, if there is one. Chains of elementwise ops that end in this op
  // join that group too.
  std::optional<size_t> joinEpilogue(ElementwiseOp op, std::vector<Group> &groups,
                                     DenseMap<Operation *, size_t> &groupOf) {
    llvm::SmallSetVector<size_t, 2> candidates;
    bool isShared = false;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (Operation *producer = operand.getDefiningOp(); producer && groupOf.contains(producer) && op.isByElement(i)) {
        size_t group = groupOf[producer];
        if (!takes(groups[group].anchor(), op))
          continue;
        if (isOnlyUsedBy(operand, *op))
          candidates.insert(group);
        else
          isShared = true;
      }
    if (candidates.empty()) {
      if (isShared)
        remark::missed(op.getLoc(), remark::RemarkOpts::name("Epilogue").category(getArgument()))
            << "every operand has other uses, so its kernel must store it";
      return std::nullopt;
    }
    // The last anchor that is not a chain of elementwise ops, else the last.
    size_t target = *llvm::max_element(candidates, [&](size_t a, size_t b) {
      if (groups[a].isElementwise() != groups[b].isElementwise())
        return groups[a].isElementwise();
      return groups[a].last()->isBeforeInBlock(groups[b].last());
    });
    for (size_t other : candidates) {
      if (other == target)
        continue;
      if (groups[other].isElementwise())
        merge(groups, other, target, groupOf);
      else if (pairs && canPair(groups[other], groups[target]))
        pair(groups, other, target, groupOf);
    }
    return target;
  }

  /// Moves a chain of elementwise ops into another group.
  static void merge(std::vector<Group> &groups, size_t from, size_t to, DenseMap<Operation *, size_t> &groupOf) {
    for (Operation *member : groups[from].ops) {
      groups[to].ops.push_back(member);
      groupOf[member] = to;
    }
    groups[from].ops.clear();
    // The anchor stays in front; the others keep graph order, which suits any chain.
    auto rest = llvm::drop_begin(groups[to].ops, groups[to].isElementwise() ? 0 : groups[to].decoders + 1);
    std::sort(rest.begin(), rest.end(), [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  }

  /// Whether one kernel can compute both products tile by tile: they share x, and their matrices have the same type and
  /// format.
  static bool canPair(const Group &first, const Group &second) {
    auto one = dyn_cast<LinearOp>(first.anchor()), other = dyn_cast<LinearOp>(second.anchor());
    if (!one || !other || one.getX() != other.getX() || one.getW().getType() != other.getW().getType() ||
        one.getBias() || other.getBias() || llvm::count_if(first.ops, llvm::IsaPred<LinearOp>) > 1 ||
        llvm::count_if(second.ops, llvm::IsaPred<LinearOp>) > 1)
      return false;
    auto codes = one.getW().getDefiningOp<DequantizeOp>(), otherCodes = other.getW().getDefiningOp<DequantizeOp>();
    return bool(codes) == bool(otherCodes) && (!codes || (codes.getFormat() == otherCodes.getFormat() &&
                                                          codes->getOperandTypes() == otherCodes->getOperandTypes()));
  }

  void pair(std::vector<Group> &groups, size_t from, size_t to, DenseMap<Operation *, size_t> &groupOf) {
    Group both;
    for (const Group &group : {groups[from], groups[to]})
      both.ops.append(group.ops.begin(), group.ops.begin() + group.decoders);
    both.decoders = both.ops.size();
    for (const Group &group : {groups[from], groups[to]})
      both.ops.append(group.ops.begin() + group.decoders, group.ops.end());
    auto rest = llvm::drop_begin(both.ops, both.decoders);
    std::sort(rest.begin(), rest.end(), [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *member : groups[from].ops)
      groupOf[member] = to;
    groups[from].ops.clear();
    groups[to] = std::move(both);
    remark::passed(groups[to].anchor()->getLoc(), remark::RemarkOpts::name("Pair").category(getArgument()))
        << "two products of one x, with matrices that are alike, are made tile by tile";
  }

  /// The group whose value is used by the conversion alone. Every kernel can take the conversion, because its store
  /// converts.
  std::optional<size_t> joinStore(ConvertOp convert, DenseMap<Operation *, size_t> &groupOf) {
    Operation *producer = convert.getX().getDefiningOp();
    if (!producer || producer->getNumResults() != 1 || !groupOf.contains(producer) ||
        !isOnlyUsedBy(convert.getX(), *convert))
      return std::nullopt;
    return groupOf[producer];
  }

  /// The group that computes the rows, if its kernel can write them directly to the cache.
  std::optional<size_t> joinRows(KvAppendOp append, const std::vector<Group> &groups,
                                 DenseMap<Operation *, size_t> &groupOf) {
    Operation *producer = append.getRows().getDefiningOp();
    if (!producer || !groupOf.contains(producer))
      return std::nullopt;
    auto quantize = dyn_cast<QuantizeOp>(producer);
    bool takes = quantize ? hasOnlyAppends(quantize)
                          : isOnlyUsedBy(append.getRows(), *append) && isa<RopeOp>(groups[groupOf[producer]].anchor());
    return takes ? std::optional(groupOf[producer]) : std::nullopt;
  }

  /// Whether the codes and then the scales are only appended to caches, and no op reads either cache before both are
  /// written.
  static bool hasOnlyAppends(QuantizeOp op) {
    KvAppendOp codes = getOnlyAppend(op.getCodes()), scales = getOnlyAppend(op.getScales());
    return codes && scales && codes->isBeforeInBlock(scales) &&
           llvm::all_of(codes->getUsers(), [&](Operation *user) { return scales->isBeforeInBlock(user); });
  }

  static KvAppendOp getOnlyAppend(Value rows) {
    auto append = rows.hasOneUse() ? dyn_cast<KvAppendOp>(*rows.getUsers().begin()) : KvAppendOp();
    return append && append.getRows() == rows ? append : KvAppendOp();
  }

  /// The group of the norm whose rows are used by this op alone. The norm's kernel holds whole rows, so it can compute
  /// the max of a row.
  std::optional<size_t> joinNorm(QuantizeOp quantize, DenseMap<Operation *, size_t> &groupOf) {
    Value rows = quantize.getX();
    Operation *producer = rows.getDefiningOp();
    int64_t columns = quantize.getX().getType().getDimSize(1);
    auto ofHeads = dyn_cast_or_null<RmsNormOp>(producer);
    if (!producer || !isa<RmsNormOp, LayerNormOp, L2NormalizeOp>(producer) || quantize.getGroup() != columns ||
        hasOnlyAppends(quantize) || (ofHeads && ofHeads.getWeight().getType().getDimSize(0) != columns))
      return std::nullopt;
    if (!isOnlyUsedBy(rows, *quantize)) {
      remark::missed(quantize.getLoc(), remark::RemarkOpts::name("Codes").category(getArgument()))
          << "the rows have other uses, so the norm's kernel must store them";
      return std::nullopt;
    }
    return groupOf.lookup(producer);
  }

  static bool isOnlyUsedBy(Value value, Operation &user) {
    return llvm::all_of(value.getUsers(), [&](Operation *other) { return other == &user; });
  }

  // Kernels

  void moveToKernel(const Group &group, GraphOp graph, SymbolTable &symbols, llvm::StringMap<int64_t> &numbers) {
    llvm::SetVector<Value> inputs;
    std::string stem;
    llvm::SmallPtrSet<Operation *, 4> members(llvm::from_range, group.ops);
    for (Operation *op : group.ops) {
      stem += op->getName().stripDialect().str() + "_";
      for (Value operand : op->getOperands())
        if (!members.contains(operand.getDefiningOp()))
          inputs.insert(operand);
    }
    std::string name;
    do
      name = stem + std::to_string(numbers[stem]++);
    while (symbols.lookup(name));

    OpBuilder builder(graph);
    SmallVector<Type> inputTypes(ValueRange(inputs.getArrayRef()).getTypes());
    SmallVector<Value> made = group.getResults();
    auto type = FunctionType::get(&getContext(), inputTypes, TypeRange(ValueRange(made)));
    Location location = group.anchor()->getLoc();
    auto kernel = KernelOp::create(builder, location, name, type);
    symbols.insert(kernel);
    builder.setInsertionPoint(group.last());
    auto step = StepOp::create(builder, location, type.getResults(), name, inputs.getArrayRef(),
                               /*offsets=*/nullptr);
    for (auto [value, result] : llvm::zip_equal(made, step.getResults()))
      value.replaceAllUsesWith(result);

    IRMapping mapping;
    mapping.map(inputs.getArrayRef(), kernel.getBody().getArguments());
    builder.setInsertionPointToStart(&kernel.getBody().front());
    for (Operation *op : group.ops)
      builder.clone(*op, mapping);
    SmallVector<Value> results;
    for (Value value : made)
      results.push_back(mapping.lookup(value));
    ReturnOp::create(builder, location, results);
    for (Operation *op : llvm::reverse(group.ops))
      op->erase();
  }
};

} // namespace
