// Watches a pipeline, and writes MLIR's reproducer files (Reproducer.h).
#include "compiler/driver/Reproducer.h"
#include "compiler/codegen/GenerateCodePass.h"
#include "compiler/driver/CrashHandler.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "support/WriteFile.h"

using namespace mlir;
using namespace nstf;

namespace {

/// Which pass failed first, and whether it left an invalid module.
struct Failure {
  std::string pass;
  bool isOurs = false;
  bool isInvalid = false;
};

class Watch : public PassInstrumentation {
public:
  explicit Watch(Failure &failure) : failure(failure) {}

  void runAfterPassFailed(Pass *pass, Operation *op) override {
    if (!failure.pass.empty()) // the passes around it fail with it
      return;
    StringRef flag = pass->getArgument();
    failure.pass = (flag.empty() ? pass->getName() : flag).str();
    failure.isOurs = flag.starts_with("nstf-") || flag.starts_with("systolic-");
    ScopedDiagnosticHandler quiet(
        op->getContext(), [id = llvm::get_threadid()](Diagnostic &) { return success(id == llvm::get_threadid()); });
    failure.isInvalid = failed(verify(op));
  }

private:
  Failure &failure;
};

/// Keeps this thread's errors while it lives. Kernels are built side by side, each on one thread.
class HeldErrors {
public:
  explicit HeldErrors(MLIRContext *context)
      : handler(context, [this, id = llvm::get_threadid()](Diagnostic &diagnostic) {
          if (id != llvm::get_threadid() || diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          held.push_back(std::move(diagnostic));
          return success();
        }) {}
  std::vector<Diagnostic> take() { return std::move(held); }

private:
  std::vector<Diagnostic> held;
  ScopedDiagnosticHandler handler;
};

/// What a conversion says that came upon something it has no pattern for.
bool isUnfinishedConversion(const Diagnostic &diagnostic) {
  std::string message = diagnostic.str();
  return message.find("failed to legalize") != std::string::npos ||
         message.find("was left over by") != std::string::npos;
}

/// As a shell takes it.
std::string quote(const std::string &word) {
  constexpr const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos)
    return word;
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace

static void print(ModuleOp module, llvm::raw_ostream &os) {
  module->print(os, OpPrintingFlags().enableDebugInfo().useLocalScope());
}

Reproducer::Reproducer(ModuleOp module, std::string what, const std::string &name, const std::filesystem::path &folder)
    : what(std::move(what)), file(folder / ("nstf-reproducer-" + name + ".mlir")) {
  llvm::raw_string_ostream os(text);
  print(module, os);
}

Reproducer::Reproducer(ArrayRef<ModuleOp> modules, std::string what, const std::string &name,
                       const std::filesystem::path &folder)
    : what(std::move(what)), file(folder / ("nstf-reproducer-" + name + ".mlir")) {
  llvm::raw_string_ostream os(text);
  os << "module {\n";
  for (ModuleOp module : modules) {
    print(module, os);
    os << "\n";
  }
  os << "}";
}

void Reproducer::append(StringRef passes) { pipeline += ((pipeline.empty() ? "" : ",") + passes).str(); }

std::string Reproducer::getCommand() const { return "nstf-opt --run-reproducer " + quote(file.string()); }

std::string Reproducer::getFileText() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << "// " << getCommand() << "\n"
     << text << "\n\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: \"";
  llvm::printEscapedString("builtin.module(" + pipeline + ")", os);
  os << "\",\n      disable_threading: true,\n      verify_each: true\n    }\n  }\n#-}\n";
  return result;
}

LogicalResult Reproducer::run(PassManager &passes, ModuleOp module) {
  // "any(a,b)" or "builtin.module(a,b)": what it is anchored on is the module in either case.
  std::string added;
  llvm::raw_string_ostream os(added);
  passes.printAsTextualPipeline(os);
  append(StringRef(added).split('(').second.drop_back());

  Failure failed;
  passes.addInstrumentation(std::make_unique<Watch>(failed));
  std::vector<Diagnostic> errors;
  LogicalResult result = failure();
  {
    CrashScope scope(what, getFileText(), file.string(), getCommand());
    HeldErrors held(module.getContext());
    result = passes.run(module);
    errors = held.take();
  }
  auto emitAll = [&] {
    for (Diagnostic &diagnostic : errors)
      module.getContext()->getDiagEngine().emit(std::move(diagnostic));
  };
  if (succeeded(result)) {
    // While this thread waited for others, it may have built another kernel, whose errors these are.
    emitAll();
    return success();
  }
  std::string message = errors.empty() ? "it failed without a word" : errors.front().str();
  if (errors.empty() || failed.isInvalid || !failed.isOurs || llvm::any_of(errors, isUnfinishedConversion)) {
    error = "pass " + failed.pass + ": " + message;
    return failure();
  }
  emitAll();
  return failure();
}

void Reproducer::runCodegen(llvm::function_ref<void()> generate) {
  append(generateCodePassName);
  CrashScope scope(what, getFileText(), file.string(), getCommand());
  generate();
}

void Reproducer::setError(std::string message) { error = std::move(message); }

void Reproducer::report() const {
  // Of a message of many lines (lld's, LLVM's dumps) the first; the replay shows all.
  llvm::errs() << "error: internal error in " << what << ": " << StringRef(error).split('\n').first << "\n";
  try {
    support::writeFile(file, getFileText());
    llvm::errs() << "note: replay it with: " << getCommand() << "\n";
  } catch (const std::runtime_error &error) {
    llvm::errs() << "note: its reproducer cannot be written: " << error.what() << "\n";
  }
}
