// The passes' decisions (MLIR remarks): printed for people, and kept for `--explain`.
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
  bool isPassed = true; ///< false: something that was not taken
};

/// Remarks by the function they are about. Kernels are compiled side by side.
class RemarkLog {
public:
  void add(const std::string &function, PassRemark remark);
  /// Takes out what there is about a function, in the order the passes said it.
  std::vector<PassRemark> take(const std::string &function);

private:
  std::mutex lock;
  std::map<std::string, std::vector<PassRemark>> remarks;
};

/// From now on remarks whose category matches the regular expression, where one is given, go to standard error, one a
/// line; and all of them into the log, where one is given. Throws std::runtime_error where the expression is none. Once
/// for a context.
void enableRemarks(mlir::MLIRContext &context, const std::optional<std::string> &categories, RemarkLog *log = nullptr);

} // namespace nstf
