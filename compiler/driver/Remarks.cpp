// Prints the passes' decisions (Remarks.h).
#include "compiler/driver/Remarks.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Regex.h"

#include <mutex>
#include <stdexcept>

using namespace mlir;

namespace {

/// "remark: linear_add_0_t1: systolic-select-array Array: v_mfma…"; kernels are compiled side by side.
class Printer final : public remark::detail::MLIRRemarkStreamerBase {
public:
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "remark: ";
    if (!remark.getFunction().empty())
      os << remark.getFunction() << ": ";
    os << remark.getCombinedCategoryName() << " " << remark.getRemarkName() << ":";
    // The text has the key "Remark", every metric its own.
    for (const remark::detail::Remark::Arg &argument : remark.getArgs())
      if (argument.key == "Remark")
        os << " " << argument.val;
    for (const remark::detail::Remark::Arg &argument : remark.getArgs())
      if (argument.key != "Remark")
        os << ", " << argument.key << " = " << argument.val;
    os << "\n";
    std::lock_guard<std::mutex> guard(lock);
    llvm::errs() << text;
  }

private:
  std::mutex lock;
};

} // namespace

void nstf::enableRemarks(MLIRContext &context, const std::string &categories) {
  std::string message;
  if (!llvm::Regex(categories).isValid(message))
    throw std::runtime_error("--remarks: expected a regular expression but got '" + categories + "': " + message);
  // `all` of LLVM 22 adds to the other filters and does nothing alone.
  remark::RemarkCategories all;
  // Its filters match whole names.
  all.passed = all.missed = all.analysis = all.failed = ".*(" + categories + ").*";
  if (failed(remark::enableOptimizationRemarks(context, std::make_unique<Printer>(),
                                               std::make_unique<remark::RemarkEmittingPolicyAll>(), all)))
    throw std::runtime_error("remarks are enabled already");
}
