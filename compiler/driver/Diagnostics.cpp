// Prints MLIR's diagnostics in a readable form (Diagnostics.h).
#include "compiler/driver/Diagnostics.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "support/Escape.h"
#include "support/Progress.h"

#include <memory>
#include <mutex>
#include <set>

using namespace mlir;

namespace {

/// The readable parts of a location: file and line, and the name of a layer.
struct Place {
  std::string file, name;
};

/// Whether a file is the user's. The built-in architecture files are not; a user who has only a checkpoint learns more
/// from the layer's name.
bool isOfTheUser(FileLineColLoc file) { return !file.getFilename().strref().starts_with("templates/models/"); }

void describe(Location location, Place &place) {
  location->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part); file && place.file.empty() && isOfTheUser(file))
      place.file = file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" +
                   std::to_string(file.getColumn()) + ": ";
    if (auto name = dyn_cast<NameLoc>(part); name && place.name.empty())
      place.name = name.getName().str() + ": ";
    return WalkResult::advance();
  });
}

const char *getKind(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error: ";
  case DiagnosticSeverity::Warning:
    return "warning: ";
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Remark: // a note without an error
    return "note: ";
  }
  llvm_unreachable("all severities are listed");
}

std::string getLine(Diagnostic &diagnostic) {
  Place place;
  describe(diagnostic.getLocation(), place);
  return place.file + getKind(diagnostic.getSeverity()) +
         nstf::support::escape(place.name + diagnostic.str(), nstf::support::longLimit) + "\n";
}

/// Locked, since kernels are compiled in parallel.
struct Printer {
  std::mutex lock;
  std::set<std::string> printed;

  void print(Diagnostic &diagnostic) {
    std::string text = getLine(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      text += getLine(note);
    std::lock_guard<std::mutex> guard(lock);
    if (!printed.insert(text).second)
      return;
    nstf::support::wipeProgress();
    llvm::errs() << text;
  }
};

} // namespace

void nstf::printDiagnostics(MLIRContext &context) {
  // The operation's text is useful only to developers of passes (nstf-opt).
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler(
      [printer = std::make_shared<Printer>()](Diagnostic &diagnostic) { printer->print(diagnostic); });
}
