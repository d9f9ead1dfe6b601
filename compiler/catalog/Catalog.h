// Chooses the kernel template of a region for a number of tokens, and its parameters, with the reasons.
//
// The template follows from what the region computes; if several templates can compute it, the first line of
// tuning/templates.yaml that holds decides. Parameters and schedule come from the row that decides (TuningTable.h), in
// the first file of listTuningFiles that has one; else from the fastest candidate, by the cost model, of the space that
// the template declares; else from the template's defaults. The choice always carries its reason.
#pragma once

#include "compiler/catalog/KernelCost.h"
#include "compiler/catalog/TemplateFiles.h"
#include "compiler/catalog/TuningOverrides.h"
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
  std::map<std::string, int64_t> tuning; ///< override the template's defaults
  support::Schedule schedule;            ///< its fields override the template's
  std::string templateReason;            ///< "one row: vector units"; empty if there was only one template
  std::string tuningReason;              ///< "tuning/default/matmul/f32.yaml row 2 (predicted, by hand, …): …"
  /// The alternatives with reasons: "matvec: up to 64 rows: …", "tuning/… row 1: M is 40, not 1 to 16".
  std::vector<std::string> rejectedTemplates, rejectedTuning;

  std::string getReason() const { return templateReason.empty() ? tuningReason : templateReason + "; " + tuningReason; }

  /// The choice as an attribute of the IR.
  ChoiceAttr getAttribute(mlir::MLIRContext *context) const;

  bool operator==(const KernelChoice &other) const {
    return templateName == other.templateName && tuning == other.tuning && schedule == other.schedule;
  }
};

/// The buckets of tokens, [first, last], for steps of up to `maxTokens` rows (templates/tuning/buckets.yaml).
std::vector<std::pair<int64_t, int64_t>> getTokenBuckets(int64_t maxTokens,
                                                         const TemplateFiles &files = TemplateFiles::getShipped());

/// The type whose tuning files a kernel uses. For a product of codes it is the type of the codes, for another kernel
/// with a quantised matrix the matrix's bits ("int4"). The template `generic` has only f32. Any other kernel uses the
/// type of the first argument that it reads, except ids.
std::string getTuningType(KernelOp region);

/// Chooses for one kernel. The kernel is bound to each template once, for all buckets.
class KernelChooser {
public:
  /// `maxTokens` replaces a leading `?`. `beside`: what other parts of the launch add to the extent N for few rows.
  /// `requests`: how many requests the launch serves separately.
  KernelChooser(KernelOp kernel, int64_t maxTokens, const TemplateFiles &files = TemplateFiles::getShipped(),
                int64_t beside = 0, int64_t requests = 1)
      : kernel(kernel), maxTokens(maxTokens), files(files), beside(beside), requests(requests) {}

  /// The choice for steps of up to `tokens` rows; `overrides` replace the row's values. Emits an error if the kernel
  /// has no template. Throws std::runtime_error if a tuning file is ill-formed, if its row has more waves than a
  /// workgroup can have (with file and line), or if an override is not a tuning parameter of the template.
  mlir::FailureOr<KernelChoice> choose(int64_t tokens, const Target &target, const TuningOverrides &overrides = {});
  /// The binding of a choice of this chooser.
  BindingAttr getBinding(const KernelChoice &choice);
  /// The cost model's estimate for a choice. Emits an error if the template is invalid.
  mlir::FailureOr<systolic::Cost> estimate(const KernelChoice &choice, int64_t tokens, const Target &target);
  /// The estimates for all candidates of the template's tuning space.
  mlir::FailureOr<KernelCost::Space> rank(const KernelChoice &choice, int64_t tokens, const Target &target);
  /// The extents that tuning rows may test.
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

/// Reads kernels/<templateName>.mlir. Emits an error with file and line if the text is not a kernel template; throws
/// std::runtime_error if there is no such file.
mlir::OwningOpRef<mlir::ModuleOp> parseTemplate(const std::string &templateName, mlir::MLIRContext *context,
                                                const TemplateFiles &files = TemplateFiles::getShipped());

/// The parameters, besides the schedule, that tuning may set: those that a row for the template sets, for any target.
std::set<std::string> getTunableParameters(const std::string &templateName,
                                           const TemplateFiles &files = TemplateFiles::getShipped());

} // namespace nstf
