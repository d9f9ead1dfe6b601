// One compilation: it takes a model through the stages of docs/design.md, in order, to a package. nstfc is a command
// line around it.
#pragma once

#include "compiler/catalog/TemplateFiles.h"
#include "compiler/catalog/TuningOverrides.h"
#include "compiler/description/Rope.h"
#include "compiler/driver/ChoosePrecision.h"
#include "compiler/driver/KernelPlan.h"
#include "compiler/package/Package.h"
#include "compiler/target/Target.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/Timing.h"
#include "nstf/Manifest.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nstf {

/// The stages after which a compilation can stop, in order.
enum class Stage { NSTF, Fused, Systolic, GPU, LLVM, ISA, Hsaco, Package };
/// Parses "nstf", "fused", …; nothing for an unknown name.
std::optional<Stage> parseStage(llvm::StringRef name);
llvm::StringRef getStageName(Stage stage);

/// The user's options for kernels that do not follow from the model.
struct PlanOverrides {
  bool oneBucket = false; ///< one kernel for every number of rows, chosen for the largest
  std::string symbol;     ///< for a model with one kernel; empty: <kernel>_t<rows>
  TuningOverrides tuning; ///< override the catalog's values
  std::string templates;  ///< folder of the user's kernels and tuning; empty: none
  std::string plan;       ///< file with the plans of a kernel's product loops; empty: chosen
};

/// The kernels and tuning to choose from. Throws std::runtime_error if overrides.templates is not a folder.
TemplateFiles getTemplateFiles(const PlanOverrides &overrides);

struct CompileOptions {
  std::string input; ///< folder or file: compiler/import/Import.h
  /// Builds the module instead of reading `input`. On failure emits diagnostics and returns null.
  std::function<mlir::OwningOpRef<mlir::ModuleOp>(mlir::MLIRContext &)> makeModule;
  std::vector<std::string> targets;       ///< names, aliases or .yaml files
  std::optional<int64_t> context;         ///< positions, if they differ from the model's
  std::vector<std::string> architectures; ///< .yaml files besides templates/models: compiler/description/README.md
  description::RopeFactors ropeFactors = description::RopeFactors::Auto; ///< for longrope
  int64_t maxBatch = 1;                                                  ///< requests whose rows one step may hold
  std::string batchInvariant;         ///< "on": one row has the kernels of 16; "off"; empty: on with a maxBatch above 1
  std::optional<int64_t> maxTokens;   ///< rows of the largest step; default: the context, at most 512
  std::optional<Precision> precision; ///< of matrix operands, weights and caches; default: the weights' own
  std::string quantize;               ///< weight format of the linears, "int4_g128"; empty: unchanged
  std::optional<std::string>
      activations; ///< code type of the linears' inputs, "i8", "e4m3fnuz" or "none"; default: the model's
  std::optional<std::string> kvCache;         ///< likewise for keys and values in caches
  std::optional<std::string> kvOrder;         ///< layout of caches, "rows" or "operands"; default: operands
  std::vector<std::string> fusions = {"all"}; ///< "all", "none", or the names of the wanted ones: "pairs", "launches"
  manifest::WeightsMode weights = manifest::WeightsMode::Pack;
  uint64_t seed = 0;
  int64_t waveSize = 0; ///< 0: chosen by the passes
  PlanOverrides overrides;
  RemarkLog *remarks = nullptr;        ///< the context's log; each kernel takes its remarks out of it
  std::filesystem::path tokenizer;     ///< replaces the model's own; empty: the model's own; "none": none
  std::filesystem::path chatTemplate;  ///< likewise
  std::filesystem::path dumpStages;    ///< folder for the text of every stage: 1-nstf.mlir, 3-systolic.gfx942.mlir, …
  std::filesystem::path reproducerDir; ///< folder for reproducers of internal errors; empty: the working directory
};

/// A model compiled for one target.
struct CompiledTarget {
  Target target;
  mlir::ModuleOp module; ///< nested in the model's module
  /// By variant and part, until they move to the plan.
  std::vector<std::vector<std::vector<PassRemark>>> remarks;
  KernelPlan plan;            ///< after code generation
  llvm::StringRef codeObject; ///< bytes, owned by the module
};

/// What the context of a Compilation must know: all dialects, and the translations to LLVM IR.
mlir::DialectRegistry makeRegistry();

/// A compilation. Errors are diagnostics of the context or std::runtime_error.
class Compilation {
public:
  Compilation(mlir::MLIRContext &context, CompileOptions options, mlir::TimingScope &timing);

  /// Runs up to and including `last`. Stages before Stage::Package write no files but dumps.
  mlir::LogicalResult run(Stage last);
  /// Continues after run(Stage::Fused).
  mlir::LogicalResult resume(Stage last);
  /// Continues after run(Stage::Fused), but only as far as the memory of a package is known (planPackage).
  mlir::LogicalResult planLaunches();
  /// The text of a stage. Up to Stage::LLVM it is the model's module with all targets in it, then it is target by
  /// target; for Stage::Hsaco, the bytes of the code objects. Precondition: `stage` is the last stage that ran; earlier
  /// ones are gone.
  std::string getText(Stage stage) const;
  /// Writes the package. Returns false if it fails its trial. Precondition: run(Stage::Hsaco) or further.
  bool writePackage(const std::filesystem::path &folder, const PackageTrial &trial = {});
  /// The manifest of the package that was written.
  const manifest::Manifest &getManifest() const { return manifest; }

  mlir::ModuleOp getModel() const { return *model; }
  GraphOp getGraph() const { return graph; }
  /// The type of matrix operands, weights and caches. Precondition: run(Stage::Fused) or further.
  const PrecisionChoice &getPrecision() const { return precision; }
  /// Rows of the largest step. Precondition: run(Stage::Fused) or further.
  int64_t getMaxTokens() const;
  const std::vector<CompiledTarget> &getTargets() const { return targets; }
  const CompileOptions &getOptions() const { return options; }
  /// The template that makes a conversation's prompt; empty: the model has none.
  const std::string &getChatTemplate() const { return chatTemplate; }

private:
  mlir::LogicalResult checkTargets() const;
  mlir::LogicalResult import();
  void checkTokenizer();
  void readChatTemplate();
  /// Where a type of codes comes from; and for the error about a chip that lacks it, what it lacks and the alternative.
  struct CodeChoice {
    std::optional<std::string> requested;
    std::string flag, fact, key, what, otherwise;
  };
  std::string chooseCodeType(const CodeChoice &choice) const;
  bool chooseOrder();
  bool fuses(llvm::StringRef name) const;
  void checkSlots();
  mlir::LogicalResult buildGraph();
  mlir::LogicalResult selectKernels();
  mlir::LogicalResult buildKernels(CompiledTarget &target, Stage last);
  mlir::LogicalResult readCode(CompiledTarget &target);
  void reportSpills(const CompiledTarget &target);
  std::string getText(Stage stage, const CompiledTarget &target) const;
  std::string getModule(const CompiledTarget &target) const;
  /// Writes a stage's text into the dump folder, for one target or for the whole model.
  void dump(Stage stage, const CompiledTarget *target = nullptr);

  mlir::MLIRContext &context;
  CompileOptions options;
  mlir::TimingScope &timing;
  mlir::OwningOpRef<mlir::ModuleOp> model;
  GraphOp graph;
  PrecisionChoice precision;
  std::string chatTemplate;
  manifest::Manifest manifest;
  std::vector<CompiledTarget> targets;
};

} // namespace nstf
