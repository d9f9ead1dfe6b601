// systolic-to-gpu-convert-gpu-to-rocdl: converts a gpu.module to the LLVM and ROCDL dialects, without ROCm libraries.
//
// The pass uses upstream's patterns. Those from math functions to LLVM intrinsics (benefit 10) precede those to calls
// of `__ocml_*`. The back end aborts the process on ops that it cannot select ("Cannot select"), so two checks surround
// the conversion: the first one compares matrix instructions with the chip's row and math functions with the table
// below, the second one rejects any remaining op.
#include "passes/systolic_to_gpu/Passes.h"

#include "dialects/nstf/Target.h"
#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace nstf {
#define GEN_PASS_DEF_CONVERTGPUTOROCDLPASS
#include "passes/systolic_to_gpu/Passes.h.inc"
} // namespace nstf

using namespace nstf;

// What the back end can select

/// The float types for which the AMDGPU back end computes a math function without a library.
enum class MathSupport { None, F32, F16AndF32, AllFloats };

static MathSupport mathSupport(StringRef function) {
  return llvm::StringSwitch<MathSupport>(function)
      .Cases({"absf", "ceil", "copysign", "floor", "fma", "round", "roundeven", "rsqrt", "sqrt", "trunc"},
             MathSupport::AllFloats)
      .Cases({"isfinite", "isinf", "isnan", "isnormal"}, MathSupport::AllFloats)
      .Cases({"absi", "ctlz", "cttz", "ctpop"}, MathSupport::AllFloats) // on integers
      .Cases({"cos", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "sin"}, MathSupport::F16AndF32)
      .Case("powf", MathSupport::F32)
      .Default(MathSupport::None);
}

static LogicalResult checkMath(Operation *op) {
  StringRef function = op->getName().stripDialect();
  Type type = getElementTypeOrSelf(op->getOperand(0).getType());
  MathSupport support = mathSupport(function);
  if (support == MathSupport::None)
    return op->emitOpError("expected a function that instructions compute but got '")
           << function << "'; expand it before (math-expand-ops)";
  bool legal = support == MathSupport::AllFloats || type.isF32() || (support == MathSupport::F16AndF32 && type.isF16());
  if (!legal)
    return op->emitOpError("expected an element type of ")
           << (support == MathSupport::F32 ? "f32" : "f16 or f32") << " but got " << type;
  return success();
}

static std::string typeName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << getElementTypeOrSelf(type);
  return text;
}

static LogicalResult checkMatrixInstruction(amdgpu::MFMAOp op, const TargetView &target) {
  std::string a = op.getReducePrecision() ? "xf32" : typeName(op.getSourceA().getType());
  std::string b = op.getReducePrecision() ? "xf32" : typeName(op.getSourceB().getType());
  std::string c = typeName(op.getDestC().getType());
  auto instructions = target.matrixInstructions();
  for (const MatrixInstruction &i : instructions)
    if (i.m == op.getM() && i.n == op.getN() && i.k == op.getK() && i.blocks == op.getBlocks() && i.a == a &&
        i.b == b && i.c == c)
      return success();
  InFlightDiagnostic error = op.emitOpError("expected a matrix instruction of ")
                             << target.chip() << " but got " << op.getM() << "x" << op.getN() << "x" << op.getK()
                             << " with " << op.getBlocks() << " blocks of " << a << " times " << b << " plus " << c;
  std::string known;
  for (const MatrixInstruction &i : instructions)
    if (i.a == a && i.b == b && i.c == c)
      known += " " + i.name.str();
  if (!known.empty())
    error.attachNote() << "for these types it has" << known;
  return error;
}

/// Rejects ops on which LLVM would abort or which need a library.
static LogicalResult checkBefore(gpu::GPUModuleOp module, const TargetView &target, unsigned indexBitwidth) {
  bool failed = false;
  module.walk([&](Operation *op) {
    LogicalResult ok = success();
    if (isa<math::MathDialect>(op->getDialect()))
      ok = checkMath(op);
    else if (auto mfma = dyn_cast<amdgpu::MFMAOp>(op))
      ok = checkMatrixInstruction(mfma, target);
    else if (isa<amdgpu::WMMAOp, amdgpu::ScaledMFMAOp, amdgpu::SparseMFMAOp>(op))
      ok = op->emitOpError("expected a dense matrix instruction of ") << target.chip() << " but got another";
    else if (isa<gpu::GridDimOp, gpu::BlockDimOp, gpu::SubgroupIdOp, gpu::SubgroupReduceOp, gpu::AllReduceOp>(op))
      ok = op->emitOpError("expected an operation that needs no device library; known sizes are constants");
    else if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op)) {
      for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
        auto memref = dyn_cast<MemRefType>(type);
        if (memref && !memref.hasStaticShape())
          ok = kernel.emitOpError("expected argument ") << index << " to be a memref of static shape but got " << type;
        else if (memref && indexBitwidth == 32 && memref.getNumElements() >= int64_t(1) << 31)
          ok = kernel.emitOpError("expected argument ")
               << index << " to have less than 2^31 elements with 32-bit indices but got " << type;
      }
      if (kernel.isKernel() && !kernel.getKnownBlockSize())
        ok = kernel.emitOpError("expected a kernel to have 'known_block_size' but got none");
    }
    failed |= mlir::failed(ok);
  });
  return failure(failed);
}

/// Rejects ops that cannot be translated to LLVM IR, and calls of functions that nothing links.
static LogicalResult checkAfter(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    Dialect *dialect = op->getDialect();
    if (op != module && !isa_and_present<LLVM::LLVMDialect, ROCDL::ROCDLDialect>(dialect) &&
        !isa<UnrealizedConversionCastOp>(op))
      return op->emitOpError("was left over by the conversion to the ROCDL dialect"), WalkResult::interrupt();
    if (auto call = dyn_cast<LLVM::CallOp>(op))
      if (auto callee = call.getCallee()) {
        auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(*callee);
        if (!function || function.isExternal())
          return call.emitOpError("expected to need no device library but it calls '") << *callee << "'",
                 WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

// The conversion

/// An approximate exp2 is one instruction, which flushes denormal results to 0.
struct Exp2Pattern : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Exp2Op op, PatternRewriter &rewriter) const override {
    bool isApproximate = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    if (!isApproximate || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      rewriter.replaceOpWithNewOp<ROCDL::ROCDLExp2>(op, op.getType(), op.getOperand());
      return success();
    }
    if (vector.getRank() != 1)
      return failure();
    SmallVector<Value> elements;
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value element = vector::ExtractOp::create(rewriter, op.getLoc(), op.getOperand(), i);
      elements.push_back(ROCDL::ROCDLExp2::create(rewriter, op.getLoc(), element.getType(), element));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, vector, elements);
    return success();
  }
};

/// Rounds f32 to the nearest bf16, ties to even. No chip has an instruction for it, and LLVM emits two more
/// instructions to preserve every NaN. The NaNs that arithmetic produces (0x7fc00000) survive without them.
struct TruncateToBF16Pattern : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    auto vector = dyn_cast<VectorType>(op.getType());
    bool isNumber =
        bitEnumContainsAll(op.getFastmath().value_or(arith::FastMathFlags::none), arith::FastMathFlags::nnan);
    if (!vector || !isNumber || !vector.getElementType().isBF16() || !getElementTypeOrSelf(op.getIn()).isF32())
      return failure();
    Location loc = op.getLoc();
    auto words = VectorType::get(vector.getShape(), rewriter.getI32Type());
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(rewriter, loc, DenseElementsAttr::get(words, int32_t(value)));
    };
    Value bits = arith::BitcastOp::create(rewriter, loc, words, op.getIn());
    Value odd =
        arith::AndIOp::create(rewriter, loc, arith::ShRUIOp::create(rewriter, loc, bits, constant(16)), constant(1));
    Value half = arith::AddIOp::create(rewriter, loc, odd, constant(0x7fff));
    Value rounded = arith::AddIOp::create(rewriter, loc, bits, half);
    Value upper = arith::ShRUIOp::create(rewriter, loc, rounded, constant(16));
    upper = arith::TruncIOp::create(rewriter, loc, VectorType::get(vector.getShape(), rewriter.getI16Type()), upper);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, vector, upper);
    return success();
  }
};

/// Splits an fma of vectors into scalar ones, since LLVM packs those of vectors: beside matrix instructions two packed
/// fmas take longer than four scalar ones.
struct ScalarFmaPattern : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector || vector.getRank() != 1 || !vector.getElementType().isF32())
      return failure();
    SmallVector<Value> elements;
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      SmallVector<Value, 3> operands;
      for (Value operand : op->getOperands())
        operands.push_back(vector::ExtractOp::create(rewriter, op.getLoc(), operand, i));
      elements.push_back(math::FmaOp::create(rewriter, op.getLoc(), operands[0], operands[1], operands[2]));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, vector, elements);
    return success();
  }
};

/// Atomics order the workgroups of a device; fences beside them order other accesses.
struct AtomicPattern : ConvertOpToLLVMPattern<memref::AtomicRMWOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(memref::AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    bool adds = op.getKind() == arith::AtomicRMWKind::addi;
    if (!adds && op.getKind() != arith::AtomicRMWKind::assign)
      return failure();
    Value place =
        getStridedElementPtr(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getMemref(), adaptor.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::AtomicRMWOp>(op, adds ? LLVM::AtomicBinOp::add : LLVM::AtomicBinOp::xchg, place,
                                                   adaptor.getValue(), LLVM::AtomicOrdering::monotonic, "agent");
    return success();
  }
};

/// Breaks vector ops down into those that the LLVM dialect has.
static LogicalResult lowerVectors(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  patterns.add<Exp2Pattern, TruncateToBF16Pattern>(module.getContext());
  bool multiplies = module.walk([](amdgpu::MFMAOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (multiplies)
    patterns.add<ScalarFmaPattern>(module.getContext());
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorMaskMaterializationPatterns(patterns, /*force32BitVectorIndices=*/true);
  vector::populateVectorMultiReductionLoweringPatterns(patterns, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(patterns, vector::VectorTransposeLowering::EltWise);
  vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
  return applyPatternsGreedily(module, std::move(patterns));
}

static LogicalResult convert(gpu::GPUModuleOp module, amdgpu::Chipset chip, unsigned indexBitwidth) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context, DataLayout(module));
  options.overrideIndexBitwidth(indexBitwidth);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(context, options);
  amdgpu::populateCommonGPUTypeAndAttributeConversions(converter);

  RewritePatternSet patterns(context);
  populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/true, /*benefit=*/10);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  patterns.add<AtomicPattern>(converter, /*benefit=*/2);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateAMDGPUToROCDLConversionPatterns(converter, patterns, chip);
  populateGpuToROCDLConversionPatterns(converter, patterns, gpu::amd::Runtime::HIP, chip);

  LLVMConversionTarget target(*context);
  configureGpuToROCDLConversionLegality(target);
  // Upstream makes these illegal in favour of library calls; this pass wants the intrinsics.
  target.addLegalOp<LLVM::CosOp, LLVM::ExpOp, LLVM::Exp2Op, LLVM::FAbsOp, LLVM::FCeilOp, LLVM::FFloorOp, LLVM::FRemOp,
                    LLVM::LogOp, LLVM::Log10Op, LLVM::Log2Op, LLVM::PowOp, LLVM::SinOp>();
  return applyPartialConversion(module, target, std::move(patterns));
}

/// Sets the alignment of LDS arrays, which LLVM cannot infer.
static void alignWorkgroupMemory(gpu::GPUModuleOp module) {
  auto sixteen = IntegerAttr::get(IntegerType::get(module.getContext(), 64), 16);
  StringRef key = LLVM::LLVMDialect::getAlignAttrName();
  module.walk([&](gpu::GPUFuncOp kernel) {
    for (unsigned i = 0, n = kernel.getNumWorkgroupAttributions(); i < n; ++i)
      if (!kernel.getWorkgroupAttributionAttr(i, key))
        kernel.setWorkgroupAttributionAttr(i, key, sixteen);
  });
}

/// Tells LLVM that a launch consists of whole workgroups of exactly the known size.
static void fixWorkgroupSize(gpu::GPUModuleOp module) {
  Builder builder(module.getContext());
  module.walk([&](LLVM::LLVMFuncOp kernel) {
    auto size = kernel->getAttrOfType<DenseI32ArrayAttr>("rocdl.reqd_work_group_size");
    if (!size)
      return;
    int64_t items = 1;
    for (int32_t extent : size.asArrayRef())
      items *= extent;
    std::string flat = std::to_string(items) + "," + std::to_string(items);
    kernel->setAttr("rocdl.flat_work_group_size", builder.getStringAttr(flat));
    kernel->setAttr("rocdl.uniform_work_group_size", builder.getBoolAttr(true));
  });
}

/// Has the launch preload arguments into SGPRs, so that the kernel does not begin with a load that misses every cache.
/// LLVM prepends a loader for firmware that cannot preload.
static void preloadArguments(gpu::GPUModuleOp module) {
  auto preloaded = UnitAttr::get(module.getContext());
  module.walk([&](LLVM::LLVMFuncOp kernel) {
    if (kernel->hasAttr(ROCDL::ROCDLDialect::getKernelFuncAttrName()))
      for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
        kernel.setArgAttr(i, LLVM::LLVMDialect::getInRegAttrName(), preloaded);
  });
}

namespace {
struct ConvertGPUToROCDLPass : nstf::impl::ConvertGPUToROCDLPassBase<ConvertGPUToROCDLPass> {
  using ConvertGPUToROCDLPassBase::ConvertGPUToROCDLPassBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<TargetView> target = TargetView::require(module);
    if (failed(target))
      return signalPassFailure();
    FailureOr<amdgpu::Chipset> chip = amdgpu::Chipset::parse(target->chip());
    if (failed(chip)) {
      module.emitError("expected a chip named like gfx942 but got '") << target->chip() << "'";
      return signalPassFailure();
    }
    if (failed(checkBefore(module, *target, indexBitwidth)))
      return signalPassFailure();
    alignWorkgroupMemory(module);
    if (failed(lowerVectors(module)) || failed(convert(module, *chip, indexBitwidth)) || failed(checkAfter(module)))
      return signalPassFailure();
    fixWorkgroupSize(module);
    preloadArguments(module);
  }
};
} // namespace
