// Which kernel template a region takes at how many tokens, with which parameters, and why.
//
// The template: what the region computes, and where there are several the first line of tuning/templates.yaml that
// holds. The parameters and the schedule: the row that decides (TuningTable.h) in the first of the files that
// listTuningFiles names with one that holds; then what the cost model takes for the fastest of the space that the
// template declares; then the template's own defaults. Never silently: the choice carries its reason.
#pragma once

#include "compiler/catalog/KernelCost.h"
#include "compiler/catalog/TemplateFiles.h"
#include "compiler/catalog/TuningWishes.h"
#include "compiler/target/Target.h"
#include "dialects/nstf/NSTF.h"
#include "passes/nstf_to_systolic/Binding.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nstf {

struct KernelChoice {
  std::string templateName;
  std::map<std::string, int64_t> tuning; ///< over the template's defaults
  support::Schedule schedule;            ///< fields over the template's
  std::string templateReason;            ///< "one row: vector units"; empty where there was one template only
  std::string tuningReason;              ///< "tuning/default/matmul/f32.yaml row 2 (predicted, by hand, …): …"
  /// What was not taken, each with why: "matvec: up to 64 rows: …", "tuning/… row 1: M is 40, not 1 to 16".
  std::vector<std::string> rejectedTemplates, rejectedTuning;

  std::string getReason() const { return templateReason.empty() ? tuningReason : templateReason + "; " + tuningReason; }

  /// The choice as the IR holds it.
  ChoiceAttr getAttribute(mlir::MLIRContext *context) const;

  bool operator==(const KernelChoice &other) const {
    return templateName == other.templateName && tuning == other.tuning && schedule == other.schedule;
  }
};

/// The buckets of tokens, [first, last], for steps of up to `maxTokens` rows (templates/tuning/buckets.yaml).
std::vector<std::pair<int64_t, int64_t>> getTokenBuckets(int64_t maxTokens,
                                                         const TemplateFiles &files = TemplateFiles::getShipped());

/// Whose file of tuning a kernel takes: the format that an operand is decoded from, of products of codes their type, or
/// the type of what the kernel computes with, that of the first argument that it reads and that is no ids.
std::string getTuningType(KernelOp region);

/// Chooses for one kernel. It is bound to a template once, however many buckets ask.
class KernelChooser {
public:
  /// `maxTokens` stands for a leading `?`. `beside`: what other parts of its launch add to the extent N
  /// where rows are few. `requests`: how many its launch serves, each by itself.
  KernelChooser(KernelOp kernel, int64_t maxTokens, const TemplateFiles &files = TemplateFiles::getShipped(),
                int64_t beside = 0, int64_t requests = 1)
      : kernel(kernel), maxTokens(maxTokens), files(files), beside(beside), requests(requests) {}

  /// The choice for steps of up to `tokens` rows; `wishes` go over the row's values. Emits an error where the kernel
  /// has no template; throws std::runtime_error where a tuning file is ill-formed or its row asks for more waves than a
  /// workgroup has (file and line named), and where a wish is no tuning parameter of the template.
  mlir::FailureOr<KernelChoice> choose(int64_t tokens, const Target &target, const TuningWishes &wishes = {});
  /// Of a choice that was made here.
  BindingAttr getBinding(const KernelChoice &choice);
  /// What the cost model says of it. Emits an error where its template is none.
  mlir::FailureOr<systolic::Cost> estimate(const KernelChoice &choice, int64_t tokens, const Target &target);
  /// And of all that its template may be tuned to.
  mlir::FailureOr<KernelCost::Space> rank(const KernelChoice &choice, int64_t tokens, const Target &target);
  /// What tuning rows may ask about.
  std::map<std::string, int64_t> getExtents(const KernelChoice &choice, int64_t tokens) const;

private:
  mlir::FailureOr<KernelCost> getCost(const KernelChoice &choice, const Target &target);

  KernelOp kernel;
  int64_t maxTokens;
  const TemplateFiles &files;
  int64_t beside, requests;
  std::map<std::string, TemplateBinding> bindings; ///< by template
  std::map<std::string, mlir::OwningOpRef<mlir::ModuleOp>> templates;
};

/// Reads kernels/<templateName>.mlir. Emits an error with file and line where that is no kernel template; throws
/// std::runtime_error where there is no such file.
mlir::OwningOpRef<mlir::ModuleOp> parseTemplate(const std::string &templateName, mlir::MLIRContext *context,
                                                const TemplateFiles &files = TemplateFiles::getShipped());

/// The parameters that tuning may set beside the schedule: those that a row of any target's tables for the template
/// sets.
std::set<std::string> getTunableParameters(const std::string &templateName,
                                           const TemplateFiles &files = TemplateFiles::getShipped());

} // namespace nstf
