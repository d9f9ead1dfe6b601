// One compilation: a model in, the stages of docs/design.md in order, a package out. nstfc is a command line around it.
#pragma once

#include "compiler/catalog/TemplateFiles.h"
#include "compiler/catalog/TuningWishes.h"
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

/// The stages a compilation can stop at, in order.
enum class Stage { NSTF, Fused, Systolic, GPU, LLVM, ISA, Hsaco, Package };
/// "nstf", "fused", …; nothing for an unknown name.
std::optional<Stage> parseStage(llvm::StringRef name);
llvm::StringRef getStageName(Stage stage);

/// What a user may ask of kernels beyond what follows from the model.
struct PlanWishes {
  bool oneBucket = false; ///< one kernel for every number of rows, chosen for the most
  std::string symbol;     ///< of a model with one kernel; empty: <kernel>_t<rows>
  TuningWishes tuning;    ///< over the catalog's values
  std::string templates;  ///< folder of kernels and tuning of one's own; empty: none
  std::string plan;       ///< file with the plans of a kernel's loops of products; empty: chosen
};

/// The kernels and tuning to choose from. Throws std::runtime_error where the folder is none.
TemplateFiles getTemplateFiles(const PlanWishes &wishes);

struct CompileOptions {
  std::string input; ///< folder or file: compiler/import/Import.h
  /// Makes the module in place of reading `input`; emits diagnostics and returns null where it cannot.
  std::function<mlir::OwningOpRef<mlir::ModuleOp>(mlir::MLIRContext &)> makeModule;
  std::vector<std::string> targets;       ///< names, aliases or .yaml files
  std::optional<int64_t> context;         ///< positions, where others are wanted than the model says
  std::vector<std::string> architectures; ///< .yaml files, beside templates/models: compiler/description/README.md
  description::RopeFactors ropeFactors = description::RopeFactors::Auto; ///< of longrope
  int64_t maxBatch = 1;                                                  ///< requests that a step may have rows of
  std::optional<int64_t> maxTokens;   ///< rows of the largest step; default: the context, at most 512
  std::optional<Precision> precision; ///< of matrix operands, weights and caches; default: the weights' own
  std::string quantize;               ///< format of the linears' weights, "int4_g128"; empty: as they are
  std::optional<std::string>
      activations; ///< type of codes of what linears read, "i8", "e4m3fnuz" or "none"; default: the model's
  std::optional<std::string> kvCache;         ///< of keys and values in caches, likewise
  std::optional<std::string> kvOrder;         ///< how caches lie, "rows" or "operands"; default: operands
  std::vector<std::string> fusions = {"all"}; ///< "all", "none", or names of those that are wanted: "pairs", "launches"
  manifest::WeightsMode weights = manifest::WeightsMode::Pack;
  uint64_t seed = 0;
  int64_t waveSize = 0; ///< 0: chosen by the passes
  PlanWishes wishes;
  RemarkLog *remarks = nullptr;        ///< the context's log: each kernel takes out what is about it
  std::filesystem::path tokenizer;     ///< takes the place of the model's own; empty: that one; "none": none
  std::filesystem::path chatTemplate;  ///< likewise
  std::filesystem::path dumpStages;    ///< folder that gets every stage: 1-nstf.mlir, 3-systolic.gfx942.mlir, …
  std::filesystem::path reproducerDir; ///< folder for what replays an internal error; empty: the working directory
};

/// A model compiled for one target.
struct CompiledTarget {
  Target target;
  mlir::ModuleOp module; ///< in the model's module
  /// Of each variant and its parts, until the plan takes them.
  std::vector<std::vector<std::vector<PassRemark>>> remarks;
  KernelPlan plan;            ///< after code generation
  llvm::StringRef codeObject; ///< the bytes, which are the module's
};

/// Errors are diagnostics of the context or std::runtime_error.
class Compilation {
public:
  Compilation(mlir::MLIRContext &context, CompileOptions options, mlir::TimingScope &timing);

  /// Runs up to and including `last`; before Stage::Package nothing is written but dumps.
  mlir::LogicalResult run(Stage last);
  /// Goes on from Stage::Fused, where run(Stage::Fused) ended.
  mlir::LogicalResult resume(Stage last);
  /// Goes on from there only so far that it is known what memory a package takes (planPackage).
  mlir::LogicalResult planLaunches();
  /// The text of a stage: up to Stage::LLVM the model's module with all targets in it, then target by target; of
  /// Stage::Hsaco the bytes of their code objects. Precondition: the last stage run; earlier ones are gone.
  std::string getText(Stage stage) const;
  /// Writes the package; false where it didn't pass its trial. Precondition: run(Stage::Hsaco) or further.
  bool writePackage(const std::filesystem::path &folder, const PackageTrial &trial = {});
  /// Of the package that was written.
  const manifest::Manifest &getManifest() const { return manifest; }

  mlir::ModuleOp getModel() const { return *model; }
  GraphOp getGraph() const { return graph; }
  /// Of matrix operands, weights and caches. Precondition: run(Stage::Fused) or further.
  const PrecisionChoice &getPrecision() const { return precision; }
  /// Rows of the largest step. Precondition: run(Stage::Fused) or further.
  int64_t getMaxTokens() const;
  const std::vector<CompiledTarget> &getTargets() const { return targets; }
  const CompileOptions &getOptions() const { return options; }
  /// What makes a prompt of a conversation; empty: the model has none.
  const std::string &getChatTemplate() const { return chatTemplate; }

private:
  mlir::LogicalResult checkTargets() const;
  mlir::LogicalResult import();
  void checkTokenizer();
  void readChatTemplate();
  /// Where a type of codes comes from, and what a chip without it lacks and does instead.
  struct CodeChoice {
    std::optional<std::string> wish;
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
  /// Writes a stage's text into the dump folder; of one target where the stage has any.
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
