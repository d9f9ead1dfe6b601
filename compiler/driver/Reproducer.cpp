// Watches a pipeline and writes MLIR's reproducer files (Reproducer.h).
#include "compiler/driver/Reproducer.h"
#include "compiler/driver/CrashHandler.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "support/WriteFile.h"

using namespace mlir;
using namespace nstf;

namespace {

/// The first pass that failed, and whether it left an invalid module.
struct Failure {
  std::string pass;
  bool isOurs = false;
  bool isInvalid = false;

  void note(Pass *failed, Operation *op) {
    StringRef flag = failed->getArgument();
    if (!pass.empty() || flag.empty()) // a pass that runs others on parts fails after them
      return;
    pass = flag.str();
    // Messages of code generation come from LLVM and lld.
    bool isCode = flag == "nstf-generate-code" || flag == "nstf-link-code";
    isOurs = !isCode && (flag.starts_with("nstf-") || flag.starts_with("systolic-"));
    ScopedDiagnosticHandler quiet(
        op->getContext(), [id = llvm::get_threadid()](Diagnostic &) { return success(id == llvm::get_threadid()); });
    isInvalid = mlir::failed(verify(op));
  }
};

class Watch : public PassInstrumentation {
public:
  explicit Watch(Failure &failure) : failure(failure) {}
  void runAfterPassFailed(Pass *pass, Operation *op) override { failure.note(pass, op); }

private:
  Failure &failure;
};

/// Holds back this thread's errors while it lives. Kernels are compiled in parallel, each on one thread.
class HeldErrors {
public:
  explicit HeldErrors(MLIRContext *context)
      : handler(context, [this, id = llvm::get_threadid()](Diagnostic &diagnostic) {
          if (id != llvm::get_threadid() || diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          held.push_back(std::move(diagnostic));
          return success();
        }) {}
  /// The message of the internal error, or "" if the held errors are the user's.
  std::string getInternalError(const Failure &failure) const;
  /// Returns the held errors, to be emitted once this object is gone.
  std::vector<Diagnostic> take() { return std::move(held); }

private:
  std::vector<Diagnostic> held;
  ScopedDiagnosticHandler handler;
};

void emitAll(MLIRContext *context, std::vector<Diagnostic> errors) {
  for (Diagnostic &diagnostic : errors)
    context->getDiagEngine().emit(std::move(diagnostic));
}

/// Whether a conversion reports an operation for which it has no pattern.
bool isUnfinishedConversion(const Diagnostic &diagnostic) {
  std::string message = diagnostic.str();
  return message.find("failed to legalize") != std::string::npos ||
         message.find("was left over by") != std::string::npos;
}

std::string HeldErrors::getInternalError(const Failure &failure) const {
  if (failure.pass.empty()) // the failure is elsewhere
    return "";
  if (!held.empty() && !failure.isInvalid && failure.isOurs && llvm::none_of(held, isUnfinishedConversion))
    return "";
  std::string message = held.empty() ? "it failed without a word" : held.front().str();
  bool isCode = failure.pass == "nstf-generate-code" || failure.pass == "nstf-link-code";
  return isCode ? message : "pass " + failure.pass + ": " + message;
}

/// Quotes a word for a shell.
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

static OpPrintingFlags getFlags() { return OpPrintingFlags().enableDebugInfo().useLocalScope(); }

Reproducer::Reproducer(ModuleOp module, std::string what, const std::string &name, const std::filesystem::path &folder)
    : what(std::move(what)), file(folder / ("nstf-reproducer-" + name + ".mlir")) {
  llvm::raw_string_ostream os(text);
  module->print(os, getFlags());
}

/// The text of the target's module with only these variants, nested in the parts of the model's module that they need.
static std::string getText(ModuleOp target, ArrayRef<VariantOp> variants) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::SetVector<Operation *> kernels;
  for (VariantOp variant : variants)
    kernels.insert(variant.getModelKernel());
  os << "module {\n";
  for (Operation *kernel : kernels) {
    kernel->print(os, getFlags());
    os << "\n";
  }
  os << "module @\"" << target.getSymName().value_or("") << "\" attributes " << target->getDiscardableAttrDictionary()
     << " {\n";
  for (VariantOp variant : variants) {
    variant->print(os, getFlags());
    os << "\n";
  }
  os << "}\n}";
  return text;
}

static std::string getFileName(ModuleOp target, StringRef name) {
  return ("nstf-reproducer-" + target.getSymName().value_or("") + "-" + name + ".mlir").str();
}

Reproducer::Reproducer(VariantOp variant, const std::filesystem::path &folder)
    : what(("kernel '" + variant.getSymName() + "'").str()), anchor("builtin.module(builtin.module(nstf.variant(") {
  if (auto layer = dyn_cast<NameLoc>(variant.getLoc()))
    what += " (" + layer.getName().str() + ")";
  auto target = cast<ModuleOp>(variant->getParentOp());
  text = getText(target, variant);
  file = folder / getFileName(target, variant.getSymName());
}

Reproducer::Reproducer(ModuleOp target, const std::filesystem::path &folder)
    : what("the link of all kernels"), text(getText(target, llvm::to_vector(target.getOps<VariantOp>()))),
      file(folder / getFileName(target, "link")), anchor("builtin.module(builtin.module(") {}

void Reproducer::append(StringRef passes) { pipeline += ((pipeline.empty() ? "" : ",") + passes).str(); }

std::string Reproducer::getCommand() const { return "nstf-opt --run-reproducer " + quote(file.string()); }

std::string Reproducer::getFileText() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << "// " << getCommand() << "\n"
     << text << "\n\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: \"";
  llvm::printEscapedString(anchor + pipeline + std::string(llvm::count(anchor, '('), ')'), os);
  os << "\",\n      disable_threading: true,\n      verify_each: true\n    }\n  }\n#-}\n";
  return result;
}

/// Returns the pipeline of a pass manager without the operation that it is anchored on: "a,b" for "any(a,b)" and for
/// "builtin.module(a,b)".
static std::string getPasses(PassManager &passes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  passes.printAsTextualPipeline(os);
  return StringRef(text).split('(').second.drop_back().str();
}

LogicalResult Reproducer::run(PassManager &passes, ModuleOp module) {
  append(getPasses(passes));
  Failure failed;
  passes.addInstrumentation(std::make_unique<Watch>(failed));
  std::vector<Diagnostic> errors;
  LogicalResult result = failure();
  {
    CrashScope scope(what, getFileText(), file.string(), getCommand());
    HeldErrors held(module.getContext());
    result = passes.run(module);
    if (mlir::failed(result))
      error = held.getInternalError(failed);
    errors = held.take();
  }
  if (error.empty())
    emitAll(module.getContext(), std::move(errors));
  return result;
}

// Variants

namespace nstf {

/// Opens a scope when a thread begins a stage on a variant or on one of its parts, and closes it at the stage's end.
class VariantWatch : public PassInstrumentation {
public:
  VariantWatch(VariantReproducers &variants, bool &linkFailed, llvm::function_ref<void()> onVariant)
      : variants(variants), linkFailed(linkFailed), onVariant(onVariant) {}

  void runBeforePass(Pass *, Operation *op) override {
    std::vector<std::unique_ptr<Run>> &open = runs[llvm::get_threadid()];
    Operation *variant = isa<PartOp>(op) ? op->getParentOp() : op;
    if (isa<VariantOp>(variant) && (open.empty() || open.back()->variant != variant))
      open.push_back(std::make_unique<Run>(op, variant, *variants.reproducerOf.at(variant)));
  }

  void runAfterPassFailed(Pass *pass, Operation *op) override {
    std::vector<std::unique_ptr<Run>> &open = runs[llvm::get_threadid()];
    if (open.empty()) {
      linkFailed |= pass->getArgument() == "nstf-link-code";
      return;
    }
    open.back()->failure.note(pass, op);
    if (open.back()->op == op)
      close(open, /*isGood=*/false);
  }

  void runAfterPipeline(std::optional<OperationName> name, const PipelineParentInfo &) override {
    std::vector<std::unique_ptr<Run>> &open = runs[llvm::get_threadid()];
    if (name && !open.empty() && open.back()->op->getName() == *name)
      close(open, /*isGood=*/true);
  }

private:
  struct Run {
    Run(Operation *op, Operation *variant, Reproducer &reproducer)
        : op(op), variant(variant), reproducer(reproducer),
          crash(reproducer.what, reproducer.getFileText(), reproducer.file.string(), reproducer.getCommand()),
          held(op->getContext()) {}
    Operation *op, *variant;
    Reproducer &reproducer;
    CrashScope crash;
    HeldErrors held;
    Failure failure;
  };

  void close(std::vector<std::unique_ptr<Run>> &open, bool isGood) {
    Run &run = *open.back();
    Reproducer &reproducer = run.reproducer;
    MLIRContext *context = run.op->getContext();
    bool isWhole = run.op == run.variant;
    if (!isGood && reproducer.error.empty())
      reproducer.error = run.held.getInternalError(run.failure);
    std::vector<Diagnostic> errors = run.held.take();
    open.pop_back();
    if (reproducer.error.empty())
      emitAll(context, std::move(errors));
    if (isGood && isWhole)
      onVariant();
  }

  VariantReproducers &variants;
  bool &linkFailed;
  llvm::function_ref<void()> onVariant;
  std::map<uint64_t, std::vector<std::unique_ptr<Run>>> runs; ///< by thread, innermost last; MLIR locks the hooks
};

} // namespace nstf

VariantReproducers::VariantReproducers(ModuleOp target, const std::filesystem::path &folder)
    : target(target), folder(folder) {
  auto variants = llvm::to_vector(target.getOps<VariantOp>());
  reproducers.resize(variants.size());
  parallelFor(target.getContext(), 0, variants.size(),
              [&](size_t i) { reproducers[i] = std::make_unique<Reproducer>(variants[i], folder); });
  for (auto [variant, reproducer] : llvm::zip_equal(variants, reproducers))
    reproducerOf[variant] = reproducer.get();
}

LogicalResult VariantReproducers::run(PassManager &passes, llvm::function_ref<void()> onVariant) {
  // "nstf.variant(a,b),nstf-link-code{…}"
  std::string text = getPasses(passes);
  StringRef inner = StringRef(text).split('(').second, rest = inner;
  for (int depth = 1; depth > 0 && !rest.empty(); rest = rest.drop_front())
    depth += rest.front() == '(' ? 1 : rest.front() == ')' ? -1 : 0;
  for (const std::unique_ptr<Reproducer> &reproducer : reproducers)
    reproducer->append(inner.drop_back(rest.size() + 1));

  bool linkFailed = false;
  passes.addInstrumentation(std::make_unique<VariantWatch>(*this, linkFailed, onVariant));
  std::vector<Diagnostic> errors;
  LogicalResult result = failure();
  {
    HeldErrors held(target.getContext());
    result = passes.run(target);
    errors = held.take();
  }
  if (linkFailed) {
    Reproducer link(target, folder);
    link.append("nstf-link-code");
    link.error = errors.empty() ? "it failed without a word" : errors.front().str();
    link.report();
    return result;
  }
  emitAll(target.getContext(), std::move(errors));
  // Only one is reported: a fault of one kernel is mostly a fault of the others too.
  auto failed = llvm::find_if(reproducers, [](const auto &reproducer) { return reproducer->hasFailed(); });
  if (failed != reproducers.end())
    (*failed)->report();
  return result;
}

void Reproducer::report() const {
  // Prints the first line of a long message (lld's, LLVM's dumps); the replay shows all.
  llvm::errs() << "error: internal error in " << what << ": " << StringRef(error).split('\n').first << "\n";
  try {
    support::writeFile(file, getFileText());
    llvm::errs() << "note: replay it with: " << getCommand() << "\n";
  } catch (const std::runtime_error &error) {
    llvm::errs() << "note: its reproducer cannot be written: " << error.what() << "\n";
  }
}
