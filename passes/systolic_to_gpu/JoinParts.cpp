// systolic-to-gpu-join-parts: joins the functions of a variant's parts to one function (Passes.td).
//
//   nstf.part { gpu.func @a_part0(%x, %w0, %y0) }        gpu.func @a(%x, %w0, %y0, %w1, %y1) {
//   nstf.part { gpu.func @a_part1(%x, %w1, %y1) }   ->     %id = gpu.block_id x
//                                                          scf.if %id < 256 { part 0 }
//                                                          else { part 1, with %id - 256 } }
#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/systolic_to_gpu/Passes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

namespace nstf {
#define GEN_PASS_DEF_JOINPARTSPASS
#include "passes/systolic_to_gpu/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;
using systolic::LaunchArgument;
using systolic::LaunchAttr;

namespace {

constexpr StringLiteral wavesAttributeName = "rocdl.waves_per_eu";

/// The function of a part, the arguments that a launch passes to it, and the number of its workgroups.
struct Part {
  PartOp op;
  gpu::GPUModuleOp module;
  gpu::GPUFuncOp function;
  SmallVector<LaunchArgument> arguments; ///< including the kernel's results
  int64_t workgroups = 0;
};

struct JoinPartsPass : nstf::impl::JoinPartsPassBase<JoinPartsPass> {
  using Base::Base;

  void runOnOperation() override {
    VariantOp variant = getOperation();
    std::vector<Part> parts;
    for (PartOp op : variant.getParts()) {
      FailureOr<Part> part = readPart(op);
      if (failed(part))
        return signalPassFailure();
      parts.push_back(std::move(*part));
    }
    Block *body = &variant.getBody().front();
    if (parts.size() == 1) {
      parts.front().module->moveBefore(body, body->end());
      variant->setAttr(systolic::launchAttributeName, getLaunch(parts.front().arguments));
      return;
    }
    if (failed(countWorkgroups(variant, parts)))
      return signalPassFailure();
    join(variant, parts);
  }

private:
  LaunchAttr getLaunch(ArrayRef<LaunchArgument> arguments) {
    return LaunchAttr::get(&getContext(), arguments, DictionaryAttr::get(&getContext()));
  }

  FailureOr<Part> readPart(PartOp op) {
    auto modules = llvm::to_vector(op.getBody().getOps<gpu::GPUModuleOp>());
    if (modules.size() != 1 || !op->hasAttr(systolic::geometryAttributeName))
      return op.emitOpError() << "expected one gpu.module (systolic-to-gpu-lower-kernels makes it) but got "
                              << modules.size();
    auto functions = llvm::to_vector(modules.front().getOps<gpu::GPUFuncOp>());
    if (functions.size() != 1 || !functions.front().getBody().hasOneBlock())
      return op.emitOpError() << "expected one gpu.func of one block in the gpu.module";
    Part part{op, modules.front(), functions.front(), {}};
    auto geometry = op->getAttrOfType<systolic::GeometryAttr>(systolic::geometryAttributeName);
    for (LaunchArgument argument : geometry.getLaunch().getArguments()) {
      if (argument.kind == LaunchArgument::Result)
        argument.index = op.getResults()[argument.index];
      part.arguments.push_back(argument);
    }
    return part;
  }

  /// Counts workgroups for the max number of tokens of the variant's range; those beyond the rows of a smaller step do
  /// nothing.
  static LogicalResult countWorkgroups(VariantOp variant, std::vector<Part> &parts) {
    SmallVector<std::pair<int64_t, int64_t>> ranges = variant.getTokenRanges();
    if (ranges.size() != 1)
      return variant.emitOpError() << "expected one range of tokens for a kernel of several parts but got "
                                   << ranges.size();
    for (Part &part : parts) {
      auto geometry = part.op->getAttrOfType<systolic::GeometryAttr>(systolic::geometryAttributeName);
      part.workgroups = geometry.getWorkgroups(ranges.front().second);
    }
    return success();
  }

  void join(VariantOp variant, std::vector<Part> &parts) {
    auto builder = OpBuilder::atBlockEnd(&variant.getBody().front());
    auto module = gpu::GPUModuleOp::create(builder, variant.getLoc(), "kernels");
    module->setDiscardableAttrs(parts.front().module->getDiscardableAttrDictionary());
    builder.setInsertionPointToStart(module.getBody());

    Arguments arguments(parts);
    Memory memory(parts);
    auto function = gpu::GPUFuncOp::create(builder, variant.getLoc(), variant.getSymName(),
                                           builder.getFunctionType(arguments.types, {}), memory.types, TypeRange());
    function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    function->setAttr(systolic::launchAttributeName, getLaunch(arguments.launch));
    variant->setAttr(systolic::launchAttributeName, getLaunch(arguments.launch));
    int32_t workItems = 0;
    for (const Part &part : parts)
      workItems = std::max(workItems, getWorkItems(part));
    function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr({workItems, 1, 1}));
    Attribute waves = parts.front().function->getAttr(wavesAttributeName);
    if (waves && llvm::all_of(parts, [&](Part &part) { return part.function->getAttr(wavesAttributeName) == waves; }))
      function->setAttr(wavesAttributeName, waves);
    for (auto [i, attributes] : llvm::enumerate(arguments.attributes))
      function.setArgAttrs(i, attributes);

    builder.setInsertionPointToStart(&function.getBody().front());
    Location loc = variant.getLoc();
    Value id = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    int64_t begin = 0;
    for (auto [i, part] : llvm::enumerate(parts)) {
      Block *block = builder.getInsertionBlock();
      if (i + 1 < parts.size()) {
        Value end = arith::ConstantIndexOp::create(builder, loc, begin + part.workgroups);
        Value isInside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, id, end);
        auto branch = scf::IfOp::create(builder, loc, isInside, /*withElseRegion=*/true);
        block = branch.thenBlock();
        builder.setInsertionPointToStart(branch.elseBlock());
      }
      if (int32_t own = getWorkItems(part); own < workItems)
        block = addWaveCheck(block, own, loc);
      memory.replace(part, function, block);
      moveBody(part, block, function, arguments.places[i], id, begin);
      begin += part.workgroups;
    }
    builder.setInsertionPointToEnd(&function.getBody().front());
    gpu::ReturnOp::create(builder, loc);
    for (Part &part : parts)
      part.module.erase();
  }

  static int32_t getWorkItems(const Part &part) { return gpu::GPUFuncOp(part.function).getKnownBlockSizeAttr()[0]; }

  /// Waves that have no work in this part end at once; barriers do not wait for ended waves.
  static Block *addWaveCheck(Block *block, int32_t workItems, Location loc) {
    auto builder = OpBuilder::atBlockBegin(block);
    Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
    Value end = arith::ConstantIndexOp::create(builder, loc, workItems);
    Value works = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, thread, end);
    return scf::IfOp::create(builder, loc, works, /*withElseRegion=*/false).thenBlock();
  }

  /// Moves the part's body, without its terminator, to the end of `block`.
  static void moveBody(Part &part, Block *block, gpu::GPUFuncOp function, ArrayRef<unsigned> arguments, Value id,
                       int64_t begin) {
    Block &body = part.function.getBody().front();
    for (auto [argument, place] : llvm::zip_equal(body.getArguments().take_front(arguments.size()), arguments))
      Value(argument).replaceAllUsesWith(function.getArgument(place));
    part.function.walk([&](gpu::BlockIdOp own) {
      OpBuilder builder(own);
      Value place = id;
      if (begin > 0)
        place = arith::SubIOp::create(builder, own.getLoc(), id,
                                      arith::ConstantIndexOp::create(builder, own.getLoc(), begin));
      own.replaceAllUsesWith(place);
      own.erase();
    });
    body.getTerminator()->erase();
    block->getOperations().splice(block->without_terminator().end(), body.getOperations());
  }

  /// The arguments of the parts one after another; all parts share the control block.
  struct Arguments {
    explicit Arguments(ArrayRef<Part> parts) {
      llvm::StringSet<> names;
      for (const Part &part : parts) {
        gpu::GPUFuncOp function = part.function;
        SmallVector<unsigned> &own = places.emplace_back();
        for (auto [i, argument] : llvm::enumerate(part.arguments)) {
          Type type = function.getArgumentTypes()[i];
          DictionaryAttr dictionary = function.getArgAttrDict(i);
          auto same = llvm::find_if(llvm::seq<size_t>(0, launch.size()), [&](size_t other) {
            return argument.kind == LaunchArgument::Control && launch[other].kind == LaunchArgument::Control;
          });
          if (same != llvm::seq<size_t>(0, launch.size()).end()) {
            own.push_back(*same);
            continue;
          }
          std::string name = argument.name.str();
          for (int64_t number = 1; !names.insert(name).second; ++number)
            name = argument.name.str() + "_" + std::to_string(number);
          LaunchArgument named = argument;
          named.name = StringAttr::get(type.getContext(), name);
          own.push_back(launch.size());
          launch.push_back(named);
          types.push_back(type);
          attributes.push_back(dictionary);
        }
      }
    }

    SmallVector<LaunchArgument> launch;
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    std::vector<SmallVector<unsigned>> places; ///< for each part, the places of its arguments
  };

  /// A workgroup uses the LDS of a single part. If all parts have arrays of the same types, these become the
  /// function's. Otherwise the function has bytes for the largest part, and the arrays of each part are views of them.
  struct Memory {
    explicit Memory(ArrayRef<Part> parts) {
      auto getTypes = [](const Part &part) {
        return llvm::to_vector(ValueRange(gpu::GPUFuncOp(part.function).getWorkgroupAttributions()).getTypes());
      };
      SmallVector<Type> most;
      int64_t bytes = 0;
      for (const Part &part : parts) {
        SmallVector<Type> own = getTypes(part);
        if (own.size() > most.size())
          most = own;
        int64_t size = 0;
        for (Type type : own)
          size = llvm::alignTo(size, alignment) + getBytes(type);
        bytes = std::max(bytes, size);
      }
      isShared = llvm::all_of(parts, [&](const Part &part) {
        SmallVector<Type> own = getTypes(part);
        return ArrayRef(most).take_front(own.size()) == ArrayRef(own);
      });
      types = most;
      if (!isShared)
        types = {MemRefType::get(bytes, IntegerType::get(most.front().getContext(), 8), MemRefLayoutAttrInterface(),
                                 cast<MemRefType>(most.front()).getMemorySpace())};
    }

    /// Replaces the part's arrays by the function's, or by views of it at the begin of `block`.
    void replace(Part &part, gpu::GPUFuncOp function, Block *block) const {
      auto builder = OpBuilder::atBlockBegin(block);
      int64_t offset = 0;
      for (auto [i, array] : llvm::enumerate(part.function.getWorkgroupAttributions())) {
        Value memory = function.getWorkgroupAttributions()[isShared ? i : 0];
        if (!isShared) {
          offset = llvm::alignTo(offset, alignment);
          Value begin = arith::ConstantIndexOp::create(builder, function.getLoc(), offset);
          memory = memref::ViewOp::create(builder, function.getLoc(), cast<MemRefType>(array.getType()), memory, begin,
                                          ValueRange());
          offset += getBytes(array.getType());
        }
        Value(array).replaceAllUsesWith(memory);
      }
    }

    SmallVector<Type> types;

  private:
    static constexpr int64_t alignment = 128; // alignment of the widest access of a wave
    static int64_t getBytes(Type type) {
      auto array = cast<MemRefType>(type);
      return array.getNumElements() * array.getElementTypeBitWidth() / 8;
    }
    bool isShared;
  };
};

} // namespace
