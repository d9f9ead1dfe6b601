// Shared by tests of importers: a context, the module as text, and checkpoints of zeros.
#pragma once

#include "test/compiler/checkpoint/TestFiles.h"

#include "dialects/nstf/NSTF.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <vector>

namespace nstf::test {

class ImportTest : public TestFiles {
protected:
  /// The imported module with locations, without the test's folder in paths; or all diagnostics, one per line, as
  /// "file:line:column: message" or "message".
  std::string printed(const std::function<mlir::OwningOpRef<mlir::ModuleOp>(mlir::MLIRContext *)> &import) {
    mlir::MLIRContext context;
    context.loadDialect<NSTFDialect>();
    std::string text;
    llvm::raw_string_ostream out(text);
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      mlir::Location location = diagnostic.getLocation();
      if (auto named = mlir::dyn_cast<mlir::NameLoc>(location))
        location = named.getChildLoc();
      if (auto file = mlir::dyn_cast<mlir::FileLineColLoc>(location))
        out << std::filesystem::path(file.getFilename().str()).filename().string() << ":" << file.getLine() << ":"
            << file.getColumn() << ": ";
      out << diagnostic.str() << "\n";
    });
    if (mlir::OwningOpRef<mlir::ModuleOp> module = import(&context))
      module->print(out, mlir::OpPrintingFlags().enableDebugInfo(true, /*prettyForm=*/false).useLocalScope());
    std::string prefix = folder.string() + "/";
    for (size_t at; text.find("\"" + prefix) != std::string::npos;) {
      at = text.find("\"" + prefix);
      text.erase(at + 1, prefix.size());
    }
    return text;
  }

  /// A safetensors file of zeros.
  std::string writeTensors(const std::string &name, const std::map<std::string, std::vector<int64_t>> &shapes,
                           const std::string &type = "F32") const {
    nlohmann::json header = nlohmann::json::object();
    size_t offset = 0;
    for (const auto &[tensor, shape] : shapes) {
      size_t bytes = type == "F32" || type == "I32" ? 4 : 2;
      for (int64_t extent : shape)
        bytes *= extent;
      header[tensor] = {{"dtype", type}, {"shape", shape}, {"data_offsets", {offset, offset + bytes}}};
      offset += bytes;
    }
    return writeSafeTensors(name, header.dump(), offset);
  }
};

} // namespace nstf::test
