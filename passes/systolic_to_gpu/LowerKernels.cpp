// systolic-to-gpu-lower-kernels: lowers a tile program to a gpu.func on per-lane vectors (Passes.td).
#include "dialects/nstf/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/Loops.h"
#include "passes/systolic/Preconditions.h"
#include "passes/systolic/Scratch.h"
#include "passes/systolic_to_gpu/Passes.h"
#include "passes/systolic_to_gpu/TileLowering.h"
#include "llvm/ADT/SetVector.h"

namespace nstf {
#define GEN_PASS_DEF_LOWERKERNELSPASS
#include "passes/systolic_to_gpu/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// Lowers an arith or math op on a tile to the same op on the vector of its registers.
struct ElementwisePattern : ConversionPattern {
  ElementwisePattern(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>())
      return failure();
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!splat || !getFragment(op.getType()))
      return failure();
    auto type = cast<ShapedType>(getTypeConverter()->convertType(op.getType()));
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
    return success();
  }
};

/// Uses the wave's number that the function computes once, in an SGPR.
struct SubgroupIdPattern : TilePattern<gpu::SubgroupIdOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(gpu::SubgroupIdOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, kernel.wave);
    return success();
  }
};

struct LowerKernelsPass : nstf::impl::LowerKernelsPassBase<LowerKernelsPass> {
  using Base::Base;

  bool canScheduleOn(RegisteredOperationName name) const override { return name.hasTrait<OpTrait::SymbolTable>(); }

  void runOnOperation() override {
    FailureOr<KernelOp> found = requireOneKernel(getOperation());
    if (failed(found))
      return signalPassFailure();
    KernelOp kernel = *found;
    if (failed(checkTileProgram(kernel)))
      return signalPassFailure();
    reportNotRun(kernel);
    if (kernel.getLaunchAttr())
      getOperation()->setAttr(geometryAttributeName, getGeometry(kernel));
    TileTypeConverter converter;
    KernelContext context;
    context.array = *kernel.getArray();
    context.waveSize = *kernel.getWaveSize();
    context.crews = kernel.getCrews();
    markLoopsOfProducts(kernel);
    makeFunction(kernel, converter, context);
    getOperation()->walk([&](Operation *op) {
      if (isa<LoadOp, StageOp, StoreOp>(op))
        for (Value operand : op->getOperands())
          if (isa<IndexType>(operand.getType()))
            context.indices[operand] = KnownIndex::of(operand);
    });
    // The slots are inlined by now.
    for (auto slot : llvm::make_early_inc_range(getOperation()->getRegion(0).getOps<func::FuncOp>()))
      slot.erase();
    if (failed(lowerBody(converter, context)))
      signalPassFailure();
  }

  void reportNotRun(KernelOp kernel) {
    auto options = remark::RemarkOpts::name("Passes").category(getArgument()).function(kernel.getSymName());
    for (StringRef pass : listNotRun(kernel))
      remark::missed(kernel.getLoc(), options) << (pass + " was not run, which makes kernels faster").str();
  }

  static void markLoopsOfProducts(KernelOp kernel) {
    LoopAnalysis loops(kernel);
    for (const ProductLoop &product : loops.getLoops())
      for (scf::ForOp loop = product.loop; loop; loop = loop->getParentOfType<scf::ForOp>())
        loop->setAttr(productsAttributeName, UnitAttr::get(kernel.getContext()));
  }

  /// The facts for a launch that the lowered function does not contain.
  static GeometryAttr getGeometry(KernelOp kernel) {
    Builder builder(kernel.getContext());
    bool readsTokens = false, readsPosition = false;
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      readsTokens |= kernel.getElementsPerToken(i) != 0;
    kernel.walk([&](ControlOp op) { (op.getField() == ControlField::tokens ? readsTokens : readsPosition) = true; });
    if (kernel.getMaxRequests() > 1)
      readsTokens = readsPosition = true;
    SmallVector<Attribute> grid;
    for (const KernelOp::GridAxis &axis : kernel.getGridAxes())
      grid.append({axis.extent, builder.getI64IntegerAttr(axis.tile)});
    return GeometryAttr::get(kernel.getContext(), getSizedLaunch(kernel), builder.getArrayAttr(grid),
                             kernel.getParams(), *kernel.getArray(), kernel.getScheduleAttr(), *kernel.getWaveSize(),
                             readsTokens, readsPosition, kernel.getCrews(), kernel.getMaxRequests());
  }

  /// The kernel's launch, with the sizes of the memory that the kernel owns.
  static LaunchAttr getSizedLaunch(KernelOp kernel) {
    SmallVector<LaunchArgument> arguments(kernel.getLaunchAttr().getArguments());
    for (auto [position, argument] : llvm::zip_equal(kernel.getLaunchedArguments(), arguments))
      if (argument.isOwn())
        argument.memory = cast<MemRefType>(kernel.getArgumentTypes()[position]);
    return LaunchAttr::get(kernel.getContext(), arguments, kernel.getLaunchAttr().getPerToken());
  }

  /// Creates the gpu.func and moves the kernel's body, which still holds tiles, into it.
  void makeFunction(KernelOp kernel, TypeConverter &converter, KernelContext &context) {
    OpBuilder builder(kernel);
    Location loc = kernel.getLoc();
    auto module = gpu::GPUModuleOp::create(builder, loc, "kernels");
    builder.setInsertionPointToStart(module.getBody());
    SmallVector<Type> arguments, workgroupMemory;
    for (Type type : kernel.getArgumentTypes())
      if (isa<MemRefType, ControlType>(type))
        arguments.push_back(converter.convertType(type));
    for (BlockArgument argument : kernel.getBody().getArguments())
      if (auto lds = dyn_cast<LdsType>(argument.getType()))
        workgroupMemory.append(isStaged(argument) ? lds.getBuffers() : 1,
                               hasViews(argument) ? getBytesOf(lds)
                                                  : getLdsMemory(lds, isStaged(argument) ? 1 : lds.getBuffers()));
    auto function = gpu::GPUFuncOp::create(builder, loc, kernel.getSymName(), builder.getFunctionType(arguments, {}),
                                           workgroupMemory, TypeRange());
    function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    if (LaunchAttr launch = kernel.getLaunchAttr())
      function->setAttr(launchAttributeName, launch);
    int32_t workItems = context.waveSize * countWaves(kernel);
    function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr({workItems, 1, 1}));
    if (hasRoomForTwo(kernel))
      function->setAttr("rocdl.waves_per_eu", builder.getI32IntegerAttr(2));
    if (std::optional<int64_t> lastRound = findLastRound(kernel))
      function->setAttr(lastRoundAttributeName, builder.getI64IntegerAttr(*lastRound));

    Block &entry = function.getBody().front();
    builder.setInsertionPointToStart(&entry);
    // The template's line, not the model's.
    if (FileLineColLoc line = kernel.getBody().front().front().getLoc()->findInstanceOf<FileLineColLoc>())
      loc = line;
    IndexBuilder index{builder, loc};
    Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
    context.lane = thread;
    context.wave = context.crew = context.scratchStart = index.constant(0);
    if (countWaves(kernel) > 1) {
      context.lane = index.rem(thread, context.waveSize);
      Value number = index.toI32(index.div(thread, context.waveSize));
      // readfirstlane tells LLVM that the wave's number, and everything computed from it, is scalar.
      number = ROCDL::ReadfirstlaneOp::create(builder, loc, builder.getI32Type(), number);
      (context.crews > 1 ? context.crew : context.wave) =
          arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), number);
    }

    Block &body = kernel.getBody().front();
    Value control, request;
    DenseSet<Value> bySlot;
    unsigned nextArgument = 0, nextMemory = 0;
    for (auto [position, argument] : llvm::enumerate(body.getArguments())) {
      Value value, bytes;
      if (isa<MemRefType, ControlType>(argument.getType())) {
        value = entry.getArgument(nextArgument);
        annotateArgument(kernel, position, function, nextArgument++);
      } else if (isStaged(argument)) {
        auto arrays =
            function.getWorkgroupAttributions().slice(nextMemory, cast<LdsType>(argument.getType()).getBuffers());
        nextMemory += arrays.size();
        value = UnrealizedConversionCastOp::create(builder, loc, argument.getType(), ValueRange(arrays)).getResult(0);
        context.stagedArrays[value] = SmallVector<Value>(arrays.begin(), arrays.end());
      } else if (isa<LdsType>(argument.getType())) {
        value = function.getWorkgroupAttributions()[nextMemory++];
        if (kernel.getArgAttr(position, scratchAttributeName)) {
          context.scratch = hasViews(argument) ? value : dropBufferDim(builder, value);
          int64_t bytes = cast<LdsType>(argument.getType()).getSizeInBytes();
          context.scratchStart = index.mul(context.crew, bytes / context.crews);
        }
        if (hasViews(argument)) {
          bytes = value;
          value = memref::ViewOp::create(builder, loc, cast<MemRefType>(converter.convertType(argument.getType())),
                                         bytes, index.constant(0), ValueRange());
        }
      } else {
        value = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
        if (kernel.getMaxRequests() > 1) {
          request = index.div(value, kernel.getNumWorkItems());
          value = index.rem(value, kernel.getNumWorkItems());
        }
      }
      Value memory = value;
      if (value.getType() != argument.getType())
        value = UnrealizedConversionCastOp::create(builder, loc, argument.getType(), value).getResult(0);
      argument.replaceAllUsesWith(value);
      if (bytes)
        context.ldsBytes[value] = bytes;
      if (isa<ControlType>(argument.getType()))
        control = value;
      if (PackedAttr packing = kernel.getPacking(position))
        context.packings[value] = packing;
      if (int64_t perToken = kernel.getElementsPerToken(position))
        context.ownMemory[value] = {memory, {}, perToken};
      else if (kernel.isOfRequest(position))
        context.ownMemory[value] = {memory, {}, 0};
      if (kernel.getArgAttr(position, perSlotAttributeName))
        bySlot.insert(value);
    }
    placeOwnMemory(index, context, control, request, bySlot);
    entry.getOperations().splice(entry.end(), body.getOperations());
    Operation *terminator = entry.getTerminator();
    builder.setInsertionPoint(terminator);
    gpu::ReturnOp::create(builder, terminator->getLoc());
    terminator->erase();
    kernel.erase();
  }

  /// Whether LDS leaves room for two waves of products on a SIMD. Unless told so, LLVM uses the registers of both for
  /// one.
  static bool hasRoomForTwo(KernelOp kernel) {
    nstf::TargetView target = nstf::TargetView::lookup(kernel);
    if (!target || !kernel.getArray()->hasCell() ||
        (!stagesOperands(kernel) && countLoopRegisters(kernel) >= maxLoopRegistersOfTwo))
      return false;
    return leavesRoomForTwoWaves(kernel, target, getLdsBytes(kernel));
  }

  static bool stagesOperands(KernelOp kernel) {
    return llvm::any_of(kernel.getBody().getArguments(), [](BlockArgument argument) {
      return isa<LdsType>(argument.getType()) && !argument.use_empty();
    });
  }

  /// The max number of VGPRs of a lane for tiles that a loop carries, loads or uses from outside. Two waves on a SIMD
  /// have 256 each, and intermediate values take some of them.
  static constexpr int64_t maxLoopRegistersOfTwo = 224;
  static int64_t countLoopRegisters(KernelOp kernel) {
    int64_t most = 0;
    kernel.walk([&](scf::ForOp loop) {
      llvm::SetVector<Value> tiles;
      for (Value carried : loop.getRegionIterArgs())
        if (!carried.use_empty())
          tiles.insert(carried);
      loop.getBody()->walk([&](Operation *op) {
        // The next round's tile takes the registers of the current one.
        auto load = dyn_cast<LoadOp>(op);
        if (load && !llvm::is_contained(loop.getYieldedValues(), load.getResult()))
          tiles.insert(load.getResult());
        for (Value operand : op->getOperands())
          if (operand.getParentRegion()->isProperAncestor(&loop.getRegion()))
            tiles.insert(operand);
      });
      int64_t registers = 0;
      for (Value tile : tiles)
        if (getTileType(tile))
          registers += llvm::divideCeil(
              getFragment(tile.getType()).getNumRegisters() * getTileType(tile).getElementTypeBitWidth(), 32);
      most = std::max(most, registers);
    });
    return most;
  }

  static int64_t getLdsBytes(KernelOp kernel) {
    int64_t bytes = 0;
    for (Type type : kernel.getArgumentTypes())
      if (auto lds = dyn_cast<LdsType>(type))
        bytes += lds.getSizeInBytes();
    return bytes;
  }

  /// For a kernel with products: the first workgroup that no other one follows on its compute unit. None if a compute
  /// unit holds several workgroups, if all begin at once, or if the launch determines their number.
  static std::optional<int64_t> findLastRound(KernelOp kernel) {
    nstf::TargetView target = nstf::TargetView::lookup(kernel);
    if (!target || !kernel.getArray()->hasCell() || 2 * getLdsBytes(kernel) <= target.ldsBytes() ||
        kernel.getMaxRequests() > 1)
      return std::nullopt;
    for (const KernelOp::GridAxis &axis : kernel.getGridAxes())
      if (kernel.growsWithTokens(axis))
        return std::nullopt;
    int64_t before = kernel.getNumWorkItems() - target.computeUnits();
    return before > 0 ? std::optional(before) : std::nullopt;
  }

  static bool isStaged(Value lds) { return llvm::any_of(lds.getUsers(), llvm::IsaPred<StageOp>); }

  /// Copies the attributes of an argument, except those on its order and extent in memory, which its accesses contain
  /// by now; marks the control block as read-only.
  static void annotateArgument(KernelOp kernel, unsigned from, gpu::GPUFuncOp function, unsigned to) {
    Builder builder(function.getContext());
    if (DictionaryAttr attributes = kernel.getArgAttrDict(from))
      for (NamedAttribute attribute : attributes)
        if (!llvm::is_contained(
                {perTokenAttributeName, perRequestAttributeName, perSlotAttributeName, packedAttributeName},
                attribute.getName()))
          function.setArgAttr(to, attribute.getName(), attribute.getValue());
    if (isa<ControlType>(kernel.getArgumentTypes()[from])) {
      function.setArgAttr(to, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
      function.setArgAttr(to, LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
    }
  }

  /// Whether the array's memory is used again by another one; then it is allocated as bytes, and the array is a view of
  /// them.
  static bool hasViews(BlockArgument array) {
    auto kernel = cast<KernelOp>(array.getOwner()->getParentOp());
    bool isScratch = kernel.getArgAttr(array.getArgNumber(), scratchAttributeName) != nullptr;
    return llvm::any_of(array.getUsers(), llvm::IsaPred<ViewOp>) || (isScratch && !array.use_empty());
  }
  static MemRefType getBytesOf(LdsType lds) {
    Builder builder(lds.getContext());
    return MemRefType::get(lds.getSizeInBytes(), builder.getI8Type(), MemRefLayoutAttrInterface(),
                           gpu::AddressSpaceAttr::get(lds.getContext(), gpu::AddressSpace::Workgroup));
  }

  /// memref.view needs a flat array, and scratch has a single buffer.
  static Value dropBufferDim(OpBuilder &builder, Value memory) {
    ReassociationIndices all = {0, 1};
    return memref::CollapseShapeOp::create(builder, memory.getLoc(), memory, ArrayRef<ReassociationIndices>(all));
  }

  LogicalResult lowerBody(TypeConverter &converter, const KernelContext &context) {
    MLIRContext *mlir = &getContext();
    ConversionTarget target(*mlir);
    RewritePatternSet patterns(mlir);
    target.addIllegalDialect<SystolicDialect>();
    target.addIllegalOp<gpu::SubgroupIdOp>();
    target.addDynamicallyLegalOp<OverlapOp, YieldOp>([&](Operation *op) { return converter.isLegal(op); });
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return converter.isLegal(op) || isa<UnrealizedConversionCastOp>(op); });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
    populateDeviceLowering(context, converter, patterns);
    populateOrderLowering(context, converter, patterns);
    populateMemoryLowering(context, converter, patterns);
    populateStageLowering(context, converter, patterns);
    populateLdsLowering(context, converter, patterns);
    populateComputeLowering(context, converter, patterns);
    populateCodesLowering(converter, patterns);
    populateDotLowering(context, converter, patterns);
    patterns.add<SubgroupIdPattern>(context, converter, mlir);
    patterns.add<ConstantPattern, ElementwisePattern>(converter, mlir);
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }
};

} // namespace
