#include "tools/nstfc/KernelArguments.h"
#include "support/Escape.h"
#include "tools/nstfc/Commands.h"
#include "llvm/ADT/StringExtras.h"

#include <CLI/CLI.hpp>
#include <stdexcept>

using namespace nstf;

std::string nstf::getTargetNames() {
  std::string names;
  for (const Target &target : listTargets()) {
    names += (names.empty() ? "{" : ",") + target.name;
    for (const std::string &alias : target.aliases)
      names += "," + alias;
  }
  return names + "}";
}

CLI::Option *nstf::addOption(CLI::App &app, const std::string &flag, OptionValues &values, const std::string &about) {
  return app.add_option(flag, values, about)->take_all()->type_name("")->allow_extra_args(false);
}

std::optional<std::string> nstf::once(const std::string &flag, const OptionValues &values) {
  if (values.size() > 1)
    throw std::runtime_error(flag + ": expected it once but got it " + std::to_string(values.size()) + " times");
  return values.empty() ? std::nullopt : std::optional(values.front());
}

int64_t nstf::readInteger(const std::string &flag, llvm::StringRef text) {
  int64_t value;
  if (text.getAsInteger(10, value))
    throw std::runtime_error(flag + ": expected a whole number but got '" + support::escape(text) + "'");
  return value;
}

static std::string describe(const KernelOption &option) {
  std::string text = option.about;
  return option.fallback.empty() ? text + "; must be given"
                                 : text + " [" + llvm::StringRef(option.fallback).trim('\'').str() + "]";
}

void KernelArguments::add(CLI::App &app, const KernelDescription &description) {
  auto option = [&](const std::string &flag, OptionValues &values, const std::string &about) {
    return addOption(app, flag, values, about);
  };
  app.option_defaults()->group("This kernel");
  for (const KernelOption &one : description.getOptions()) {
    CLI::Option *added = option(KernelDescription::getFlag(one.key), kernel[one.key], describe(one));
    if (!one.oneOf.empty())
      added->type_name("{" + llvm::join(one.oneOf, ",") + "}");
    if (one.type == "boolean")
      added->expected(0, 1)->default_str("true");
    if (one.isRows)
      option(KernelDescription::getFlag("max_" + one.key), maxRows,
             "in place of " + KernelDescription::getFlag(one.key) +
                 ": the most there can be, each launch says how many");
  }
  app.option_defaults()->group("Every kernel");
  option("--target", targets, "chips, aliases or files that describe one; several in one object with commas")
      ->type_name("FILE.yaml|" + getTargetNames())
      ->delimiter(',');
  option("--set", tuning,
         "a tuning parameter (BM=64) or a field of the schedule (waves=2x4) over the table's; repeatable")
      ->type_name("NAME=VALUE");
  option("--w-format", format, "codes in place of the numbers of what products are with: int8, int4_g128, …")
      ->type_name("FORMAT");
  option("--x-format", rowCodes, "codes in place of the numbers of rows that products are of, with a scale each")
      ->type_name("{i8,e4m3fnuz}");
  option("--templates", templates, "folder of kernels and tuning, over those nstfc has")->type_name("FOLDER");
  option("--wave-size", waveSize, "lanes of a wave, where the target leaves a choice")->type_name("{32,64}");
  option("--wave", wave, "")->group("");
}

KernelRequest KernelArguments::makeRequest(const KernelDescription &description) const {
  KernelRequest request;
  for (const auto &[key, values] : kernel)
    if (std::optional<std::string> value = once(KernelDescription::getFlag(key), values))
      request.values[key] = *value;
  std::string rows = description.getRowsKey();
  if (std::optional<std::string> max = once(KernelDescription::getFlag("max_" + rows), maxRows)) {
    if (!request.values.insert({rows, *max}).second)
      throw std::runtime_error("expected " + KernelDescription::getFlag(rows) + " or " +
                               KernelDescription::getFlag("max_" + rows) + " but got both");
    request.runtimeRows = true;
  }
  for (const std::string &setting : tuning)
    if (std::string fault = request.compile.overrides.tuning.add(setting); !fault.empty())
      throw std::runtime_error("--set: " + fault);
  request.compile.input = "kernel " + description.getName();
  request.compile.targets = targets;
  request.compile.overrides.templates = once("--templates", templates).value_or("");
  request.compile.quantize = once("--w-format", format).value_or("");
  request.rowCodes = once("--x-format", rowCodes).value_or("");
  OptionValues waves = waveSize;
  waves.insert(waves.end(), wave.begin(), wave.end());
  if (std::optional<std::string> size = once("--wave-size", waves))
    request.compile.waveSize = readInteger("--wave-size", *size);
  return request;
}
