// nstf-link-code: links the objects of a module's kernels to one code object (Passes.td).
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/Passes.h"
#include "dialects/nstf/Target.h"
#include "mlir/IR/Builders.h"
#include "support/WriteFile.h"

#include <filesystem>
#include <stdexcept>

namespace nstf {
#define GEN_PASS_DEF_LINKCODEPASS
#include "compiler/codegen/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

struct LinkCodePass : nstf::impl::LinkCodePassBase<LinkCodePass> {
  using Base::Base;

  void runOnOperation() override {
    std::vector<std::string> objects;
    getOperation().walk([&](gpu::BinaryOp binary) {
      if (std::optional<StringRef> object = getObject(binary, gpu::CompilationTarget::Binary))
        objects.push_back(object->str());
    });
    if (objects.empty())
      return;
    FailureOr<TargetView> target = TargetView::require(getOperation());
    if (failed(target))
      return signalPassFailure();
    auto bytes = linkObjects(objects);
    if (!bytes) {
      getOperation().emitError() << llvm::toString(bytes.takeError());
      return signalPassFailure();
    }
    auto builder = OpBuilder::atBlockEnd(getOperation().getBody());
    Attribute object = makeObject(&getContext(), target->chip(), gpu::CompilationTarget::Binary, *bytes);
    gpu::BinaryOp::create(builder, getOperation().getLoc(), codeObjectName, /*offloadingHandler=*/nullptr, object);
    if (!output.empty() && failed(write(*bytes, target->name())))
      signalPassFailure();
  }

private:
  LogicalResult write(const std::string &bytes, StringRef target) {
    try {
      std::filesystem::path folder = output.getValue();
      std::error_code ignored; // if this fails, writing the file reports it
      std::filesystem::create_directories(folder, ignored);
      support::writeFile(folder / ("kernels." + target.str() + ".hsaco"), bytes);
      return success();
    } catch (const std::runtime_error &error) {
      return emitError(UnknownLoc::get(&getContext())) << error.what();
    }
  }
};

} // namespace
