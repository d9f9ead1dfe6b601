// Converts exceptions and notes to MLIR diagnostics.
#pragma once

#include "support/InputError.h"
#include "support/Path.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

#include <filesystem>
#include <stdexcept>

namespace nstf::import {

/// Runs `import`, which returns a module. An exception becomes one diagnostic, at the line that it names, and a null
/// module.
template <typename Import> mlir::OwningOpRef<mlir::ModuleOp> diagnose(mlir::MLIRContext *context, Import import) {
  try {
    return import();
  } catch (const support::InputError &error) {
    mlir::Location location = mlir::UnknownLoc::get(context);
    if (error.place.line)
      location = mlir::FileLineColLoc::get(context, error.place.getFile(), error.place.line, error.place.column);
    mlir::emitError(location) << (error.place.line ? error.message : error.what());
  } catch (const std::filesystem::filesystem_error &error) {
    mlir::emitError(mlir::UnknownLoc::get(context))
        << "'" << support::describePath(error.path1()) << "': " << error.code().message();
  } catch (const std::runtime_error &error) { // a file that cannot be read
    mlir::emitError(mlir::UnknownLoc::get(context)) << error.what();
  }
  return nullptr;
}

/// Emits a note on a successful import.
inline void tell(mlir::MLIRContext *context, const std::string &note) {
  mlir::emitRemark(mlir::UnknownLoc::get(context)) << note;
}

} // namespace nstf::import
