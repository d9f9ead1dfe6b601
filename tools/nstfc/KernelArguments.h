// The options that select a kernel, for all tools that compile one.
#pragma once

#include "compiler/driver/KernelCommand.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace nstf {

/// Every option collects its values in a list, so that an option given twice gets our own error message.
using OptionValues = std::vector<std::string>;

CLI::Option *addOption(CLI::App &app, const std::string &flag, OptionValues &values, const std::string &about);
/// The value of an option that can be given once.
std::optional<std::string> once(const std::string &flag, const OptionValues &values);
int64_t readInteger(const std::string &flag, llvm::StringRef text);

class KernelArguments {
public:
  void add(CLI::App &app, const KernelDescription &description);
  /// Throws std::runtime_error.
  KernelRequest makeRequest(const KernelDescription &description) const;
  bool hasTargets() const { return !targets.empty(); }

private:
  OptionValues targets, tuning, templates, waveSize, format, rowCodes;
  OptionValues wave;                          ///< the former name of --wave-size
  std::map<std::string, OptionValues> kernel; ///< by key
  OptionValues maxRows;
};

} // namespace nstf
