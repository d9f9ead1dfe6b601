// The passes' decisions (MLIR remarks): printed, and stored for `--explain`.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace nstf {

/// A decision of a pass.
struct PassRemark {
  std::string category; ///< the pass: "systolic-select-array"
  std::string text;
  bool isPassed = true; ///< false: an alternative that was not taken
};

/// Remarks by the function that they are about. Thread-safe, since kernels are compiled in parallel.
class RemarkLog {
public:
  void add(const std::string &function, PassRemark remark);
  /// Removes and returns the remarks about a function, in the order in which they were emitted.
  std::vector<PassRemark> take(const std::string &function);

private:
  std::mutex lock;
  std::map<std::string, std::vector<PassRemark>> remarks;
};

/// From now on, remarks whose category matches the regular expression, if it is given, go to standard error, one per
/// line. All remarks go into the log, if it is given. Throws std::runtime_error if the expression is invalid. Call at
/// most once for a context.
void enableRemarks(mlir::MLIRContext &context, const std::optional<std::string> &categories, RemarkLog *log = nullptr);

} // namespace nstf
