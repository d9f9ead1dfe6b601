// Prints and stores the passes' remarks (Remarks.h).
#include "compiler/driver/Remarks.h"
#include "compiler/driver/OptionRegex.h"
#include "mlir/IR/Remarks.h"
#include "support/Progress.h"

#include <stdexcept>

using namespace mlir;

namespace {

/// Prints "remark: linear_add_0_t1: systolic-select-array Array: v_mfma…". Locked, since kernels are compiled in
/// parallel.
class Streamer final : public remark::detail::MLIRRemarkStreamerBase {
public:
  Streamer(std::optional<llvm::Regex> categories, nstf::RemarkLog *log) : categories(std::move(categories)), log(log) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    if (log)
      log->add(remark.getFunction().str(), {remark.getCombinedCategoryName().str(), getText(remark),
                                            remark.getRemarkType() != llvm::remarks::Type::Missed});
    if (!categories || !categories->match(remark.getCombinedCategoryName()))
      return;
    std::string line;
    llvm::raw_string_ostream os(line);
    os << "remark: ";
    if (!remark.getFunction().empty())
      os << remark.getFunction() << ": ";
    os << remark.getCombinedCategoryName() << " " << remark.getRemarkName() << ": " << getText(remark);
    for (const remark::detail::Remark::Arg &argument : remark.getArgs())
      if (argument.key != "Remark")
        os << ", " << argument.key << " = " << argument.val;
    os << "\n";
    std::lock_guard<std::mutex> guard(lock);
    nstf::support::wipeProgress();
    llvm::errs() << line;
  }

private:
  /// The text has the key "Remark"; each metric has its own key.
  static std::string getText(const remark::detail::Remark &remark) {
    std::string text;
    for (const remark::detail::Remark::Arg &argument : remark.getArgs())
      if (argument.key == "Remark")
        text += (text.empty() ? "" : " ") + argument.val;
    return text;
  }

  std::optional<llvm::Regex> categories;
  nstf::RemarkLog *log;
  std::mutex lock;
};

} // namespace

void nstf::RemarkLog::add(const std::string &function, PassRemark remark) {
  std::lock_guard<std::mutex> guard(lock);
  remarks[function].push_back(std::move(remark));
}

std::vector<nstf::PassRemark> nstf::RemarkLog::take(const std::string &function) {
  std::lock_guard<std::mutex> guard(lock);
  auto node = remarks.extract(function);
  return node.empty() ? std::vector<PassRemark>() : std::move(node.mapped());
}

void nstf::enableRemarks(MLIRContext &context, const std::optional<std::string> &categories, RemarkLog *log) {
  std::optional<llvm::Regex> wanted;
  if (categories)
    wanted = parseRegex("--remarks", *categories);
  // LLVM 22's `all` only extends the other filters and has no effect alone. Filters match whole names.
  remark::RemarkCategories all;
  all.passed = all.missed = all.analysis = all.failed = ".*";
  if (failed(remark::enableOptimizationRemarks(context, std::make_unique<Streamer>(std::move(wanted), log),
                                               std::make_unique<remark::RemarkEmittingPolicyAll>(), all)))
    throw std::runtime_error("remarks are enabled already");
}
