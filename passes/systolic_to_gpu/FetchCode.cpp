// systolic-to-gpu-fetch-code: prefetches a kernel's code into the L2 (Passes.td).
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/systolic_to_gpu/Passes.h"

namespace nstf {
#define GEN_PASS_DEF_FETCHCODEPASS
#include "passes/systolic_to_gpu/Passes.h.inc"
} // namespace nstf

using namespace mlir;

namespace {

/// The address of the code here, and its bytes up to the end of the module's first function.
constexpr StringLiteral findCode = "s_getpc_b64 $0\n"
                                   ".Lcode${:uid}:\n"
                                   "s_mov_b32 $1, .Lfunc_end0-.Lcode${:uid}";
/// Word 3 of a buffer's descriptor: raw, 32 bits per element.
constexpr int32_t rawBuffer = 0x27000;

struct FetchCodePass : nstf::impl::FetchCodePassBase<FetchCodePass> {
  using Base::Base;

  bool canScheduleOn(RegisteredOperationName name) const override { return name.hasTrait<OpTrait::SymbolTable>(); }

  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels;
    getOperation()->walk([&](gpu::GPUFuncOp kernel) {
      if (kernel.isKernel())
        kernels.push_back(kernel);
    });
    for (gpu::GPUFuncOp kernel : kernels) {
      FailureOr<nstf::TargetView> target = nstf::TargetView::require(kernel);
      if (failed(target) || failed(requireAlone(kernel)))
        return signalPassFailure();
      const int64_t lineBytes = target->l2LineBytes();
      for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front()))
        if (op.hasAttr(nstf::systolic::productsAttributeName))
          fetchBehind(&op, lineBytes);
      fetchAtBegin(kernel, lineBytes);
    }
  }

private:
  /// With several functions the symbol could name the end of another one, and the bytes in between would be fetched as
  /// code.
  static LogicalResult requireAlone(gpu::GPUFuncOp kernel) {
    auto functions = kernel->getParentOfType<gpu::GPUModuleOp>().getOps<FunctionOpInterface>();
    const auto count = llvm::count_if(functions, [](FunctionOpInterface function) { return !function.isExternal(); });
    return count == 1 ? success() : kernel.emitOpError("expected a module of one function but got ") << count;
  }

  static void fetchAtBegin(gpu::GPUFuncOp kernel, int64_t lineBytes) {
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Value thread = gpu::ThreadIdOp::create(builder, kernel.getLoc(), gpu::Dimension::x);
    fetch(builder, thread, lineBytes);
    // Keep the fetch before all other loads.
    amdgpu::SchedBarrierOp::create(builder, kernel.getLoc(), amdgpu::sched_barrier_opt_enum::none);
  }

  /// Fetches the code after a loop, because the loop's loads have evicted it from the L2 since the begin of the
  /// kernel. All waves fetch the same lines, so that no lane must keep its thread id live through the loop.
  static void fetchBehind(Operation *loop, int64_t lineBytes) {
    OpBuilder builder(loop->getContext());
    builder.setInsertionPointAfter(loop);
    Value lane = gpu::LaneIdOp::create(builder, loop->getLoc(), /*upper_bound=*/nullptr);
    fetch(builder, lane, lineBytes);
    amdgpu::SchedBarrierOp::create(builder, loop->getLoc(), amdgpu::sched_barrier_opt_enum::none);
  }

  /// Each lane loads a word of one line of the code from here on; lanes past its end load nothing.
  static void fetch(OpBuilder &builder, Value index, int64_t lineBytes) {
    Location loc = index.getLoc();
    IntegerType i16 = builder.getI16Type(), i32 = builder.getI32Type(), i64 = builder.getI64Type();
    auto constant = [&](IntegerType type, int64_t value) -> Value {
      return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
    };
    auto found = LLVM::LLVMStructType::getLiteral(builder.getContext(), {i64, i32});
    auto code = LLVM::InlineAsmOp::create(
        builder, loc, found, ValueRange(), findCode, "=s,=s", /*has_side_effects=*/true, // its position matters
        /*is_align_stack=*/false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    Value begin = LLVM::ExtractValueOp::create(builder, loc, code.getResult(0), 0);
    Value bytes = LLVM::ExtractValueOp::create(builder, loc, code.getResult(0), 1);
    Value pointer = LLVM::IntToPtrOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), begin);
    Value buffer = ROCDL::MakeBufferRsrcOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), 8), pointer, constant(i16, 0),
        LLVM::ZExtOp::create(builder, loc, i64, bytes), constant(i32, rawBuffer));
    Value offset = arith::MulIOp::create(builder, loc, arith::IndexCastUIOp::create(builder, loc, i32, index),
                                         constant(i32, lineBytes));
    Value none = constant(i32, 0);
    Value word = ROCDL::RawPtrBufferLoadOp::create(builder, loc, i32, buffer, offset, none, none, ArrayAttr(),
                                                   ArrayAttr(), ArrayAttr());
    await(word);
  }

  /// Uses the word where the kernel waits for loads anyway, since LLVM would delete a load without uses.
  static void await(Value word) {
    Block *block = word.getParentBlock();
    Operation *place = block->getTerminator();
    for (Operation &op : llvm::make_range(std::next(word.getDefiningOp()->getIterator()), block->end())) {
      WalkResult found = op.walk([](Operation *inside) {
        return isa<amdgpu::LDSBarrierOp, ROCDL::SBarrierOp>(inside) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (!found.wasInterrupted())
        continue;
      place = &op;
      break;
    }
    OpBuilder builder(place);
    LLVM::InlineAsmOp::create(builder, word.getLoc(), TypeRange(), word, "; code has come: $0", "v",
                              /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                              LLVM::AsmDialectAttr(), ArrayAttr());
  }
};

} // namespace
