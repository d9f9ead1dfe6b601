// systolic-to-gpu-fetch-code: a kernel's code is on its way to the L2 before it is wanted (Passes.td).
#include "dialects/nstf/Target.h"
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

/// Where the code is and how much of it follows, up to the end of the module's first function.
constexpr StringLiteral findCode = "s_getpc_b64 $0\n"
                                   ".Lcode${:uid}:\n"
                                   "s_mov_b32 $1, .Lfunc_end0-.Lcode${:uid}";
/// Word 3 of a buffer's descriptor: raw, 32 bits an element.
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
      await(kernel, fetch(kernel, target->l2LineBytes()));
    }
  }

private:
  /// Else the end that is named may be another function's, and what lies between is read as code.
  static LogicalResult requireAlone(gpu::GPUFuncOp kernel) {
    auto functions = kernel->getParentOfType<gpu::GPUModuleOp>().getOps<FunctionOpInterface>();
    const auto count = llvm::count_if(functions, [](FunctionOpInterface function) { return !function.isExternal(); });
    return count == 1 ? success() : kernel.emitOpError("expected a module of one function but got ") << count;
  }

  /// Each lane's word of a line of code; those behind its end ask for nothing.
  static Value fetch(gpu::GPUFuncOp kernel, int64_t lineBytes) {
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointToStart(&kernel.getBody().front());
    Location loc = kernel.getLoc();
    IntegerType i16 = builder.getI16Type(), i32 = builder.getI32Type(), i64 = builder.getI64Type();
    auto constant = [&](IntegerType type, int64_t value) -> Value {
      return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
    };
    auto found = LLVM::LLVMStructType::getLiteral(builder.getContext(), {i64, i32});
    auto code = LLVM::InlineAsmOp::create(
        builder, loc, found, ValueRange(), findCode, "=s,=s", /*has_side_effects=*/false,
        /*is_align_stack=*/false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    Value begin = LLVM::ExtractValueOp::create(builder, loc, code.getResult(0), 0);
    Value bytes = LLVM::ExtractValueOp::create(builder, loc, code.getResult(0), 1);
    Value pointer = LLVM::IntToPtrOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), begin);
    Value buffer = ROCDL::MakeBufferRsrcOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), 8), pointer, constant(i16, 0),
        LLVM::ZExtOp::create(builder, loc, i64, bytes), constant(i32, rawBuffer));
    Value thread =
        arith::IndexCastUIOp::create(builder, loc, i32, gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x));
    Value offset = arith::MulIOp::create(builder, loc, thread, constant(i32, lineBytes));
    Value none = constant(i32, 0);
    Value word = ROCDL::RawPtrBufferLoadOp::create(builder, loc, i32, buffer, offset, none, none, ArrayAttr(),
                                                   ArrayAttr(), ArrayAttr());
    amdgpu::SchedBarrierOp::create(builder, loc, amdgpu::sched_barrier_opt_enum::none); // before all other loads
    return word;
  }

  /// Keeps what was loaded until loads are waited for anyway: a load that nobody uses is none.
  static void await(gpu::GPUFuncOp kernel, Value word) {
    Block &entry = kernel.getBody().front();
    Operation *place = entry.getTerminator();
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<amdgpu::LDSBarrierOp, ROCDL::SBarrierOp>(op))
        return WalkResult::advance();
      place = entry.findAncestorOpInBlock(*op);
      return WalkResult::interrupt();
    });
    OpBuilder builder(place);
    LLVM::InlineAsmOp::create(builder, kernel.getLoc(), TypeRange(), word, "; code has come: $0", "v",
                              /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                              LLVM::AsmDialectAttr(), ArrayAttr());
  }
};

} // namespace
