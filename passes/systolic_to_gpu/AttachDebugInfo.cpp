// systolic-to-gpu-attach-debug-info: turns MLIR locations into scopes that DWARF can express (Passes.td).
//
// A location is read as a stack of frames, innermost first. A call site has the frames of its callee, then those of its
// caller. A name location belongs to the line of the file location below it. Of a fused location the first part with a
// line counts. The last frame is in the kernel's function; every other frame becomes a function inlined there:
//
//   add's line in the model    at  matmul.mlir:55             in  kernel "model.layers.0.mlp.down_proj"
//   a subprogram of its name       a subprogram "matmul"          the kernel's subprogram
#include "passes/systolic_to_gpu/Passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

namespace nstf {
#define GEN_PASS_DEF_ATTACHDEBUGINFOPASS
#include "passes/systolic_to_gpu/Passes.h.inc"
} // namespace nstf

using namespace mlir;

namespace {

struct Frame {
  StringAttr name; ///< null: only a line is known
  FileLineColLoc line;

  bool operator==(const Frame &other) const { return name == other.name && line == other.line; }
};

/// The first file line in the location; null if it has none.
FileLineColLoc findLine(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

void appendFrames(Location location, SmallVectorImpl<Frame> &frames) {
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    appendFrames(call.getCallee(), frames);
    appendFrames(call.getCaller(), frames);
  } else if (auto named = dyn_cast<NameLoc>(location)) {
    if (FileLineColLoc line = findLine(named.getChildLoc()))
      frames.push_back({named.getName(), line});
  } else if (auto line = dyn_cast<FileLineColLoc>(location)) {
    frames.push_back({{}, line});
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    size_t before = frames.size();
    for (Location part : fused.getLocations())
      if (frames.size() == before)
        appendFrames(part, frames);
  }
}

class KernelScopes {
public:
  KernelScopes(LLVM::LLVMFuncOp kernel) : context(kernel.getContext()), kernel(kernel) {
    SmallVector<Frame> frames;
    appendFrames(kernel.getLoc(), frames);
    own.line = FileLineColLoc::get(context, "<unknown>", 0, 0);
    if (!frames.empty())
      own = frames.front();
    unit = LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C,
                                        getFile(own.line), StringAttr::get(context, "nstf"), /*isOptimized=*/true,
                                        LLVM::DIEmissionKind::LineTablesOnly);
    function = makeFunction(own, kernel.getSymNameAttr(), own.name ? own.name : kernel.getSymNameAttr());
    kernelLocation = FusedLoc::get({own.line}, function, context);
  }

  Location getKernelLocation() { return kernelLocation; }

  /// The translation of an op's location.
  Location translate(Location location) {
    auto [known, isNew] = translated.try_emplace(location, kernelLocation);
    if (!isNew)
      return known->second;
    SmallVector<Frame> frames;
    appendFrames(location, frames);
    if (frames.empty())
      return known->second;
    // Ops with the kernel's own location, or a line of the kernel's file and no name, belong to the kernel's body.
    bool isBody = frames.back() == own || (!frames.back().name && frames.back().line.getFilename() == getOwnFile());
    Location result =
        isBody ? Location(FusedLoc::get({frames.pop_back_val().line}, function, context)) : kernelLocation;
    for (const Frame &frame : llvm::reverse(frames))
      result = CallSiteLoc::get(FusedLoc::get({frame.line}, getInlined(frame), context), result);
    return translated.insert_or_assign(location, result).first->second;
  }

private:
  StringAttr getOwnFile() { return own.line.getFilename(); }

  LLVM::DIFileAttr getFile(FileLineColLoc line) { return LLVM::DIFileAttr::get(context, line.getFilename(), ""); }

  LLVM::DISubprogramAttr makeFunction(const Frame &frame, StringAttr symbol, StringAttr name) {
    LLVM::DIFileAttr file = getFile(frame.line);
    auto type = LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
    return LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(UnitAttr::get(context)), unit, file, name, symbol, file, frame.line.getLine(),
        frame.line.getLine(), LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type, {}, {});
  }

  /// The subprogram of a frame's name; frames without a name belong to a subprogram named after their file.
  LLVM::DISubprogramAttr getInlined(const Frame &frame) {
    StringAttr name = frame.name;
    if (!name)
      name = StringAttr::get(context, llvm::sys::path::stem(frame.line.getFilename()));
    LLVM::DISubprogramAttr &known = inlined[{frame.line.getFilename(), name}];
    if (!known)
      known = makeFunction(frame, {}, name);
    return known;
  }

  MLIRContext *context;
  LLVM::LLVMFuncOp kernel;
  Frame own;
  LLVM::DICompileUnitAttr unit;
  LLVM::DISubprogramAttr function;
  Location kernelLocation = UnknownLoc::get(context);
  DenseMap<std::pair<StringAttr, StringAttr>, LLVM::DISubprogramAttr> inlined;
  DenseMap<Location, Location> translated;
};

struct AttachDebugInfoPass : nstf::impl::AttachDebugInfoPassBase<AttachDebugInfoPass> {
  using Base::Base;

  bool canScheduleOn(RegisteredOperationName name) const override { return name.hasTrait<OpTrait::SymbolTable>(); }

  void runOnOperation() override {
    getOperation()->walk([](LLVM::LLVMFuncOp function) {
      auto known = dyn_cast<FusedLoc>(function.getLoc());
      if (function.isExternal() || (known && isa_and_nonnull<LLVM::DISubprogramAttr>(known.getMetadata())))
        return;
      KernelScopes scopes(function);
      function.getBody().walk([&](Operation *op) { op->setLoc(scopes.translate(op->getLoc())); });
      function->setLoc(scopes.getKernelLocation());
    });
  }
};

} // namespace
