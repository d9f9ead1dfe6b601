// Makes a kernel's launch file (KernelLaunchFile.h).
#include "compiler/package/KernelLaunchFile.h"
#include "support/ControlBlock.h"

namespace nstf {

using manifest::Access;
using manifest::ElementType;
using manifest::KernelArgument;
using support::LaunchFileText;

/// The initial contents of a buffer; different values of `seed` give different numbers.
static std::string makeInit(const KernelArgument &argument, bool areCodes, size_t seed) {
  const support::ElementTypeInfo &info = support::getInfo(argument.type);
  std::string range;
  if (info.kind == support::ElementTypeInfo::Float)
    range = "low: -1, high: 1";
  else if (argument.type == ElementType::I8) // codes of rows
    range = "low: -127, high: 127";
  else if (areCodes) // any bits are valid codes
    range = "low: -2147483648, high: 2147483647";
  else
    return "zeros";
  return "{random: {seed: " + std::to_string(seed) + ", " + range + "}}";
}

static std::string describe(Access access) {
  switch (access) {
  case Access::Read:
    return "read";
  case Access::Write:
    return "written";
  case Access::ReadWrite:
    return "written in place";
  }
  return "";
}

LaunchFileText makeKernelLaunchFile(const KernelHeader &header) {
  const KernelHeader::Launch &launch = header.launches.front();
  const int64_t rows = header.maxRows.value_or(1);
  LaunchFileText text;
  text.about = header.name + ": " + header.about + "\n" + header.command + "\n" + header.compiler;
  text.target = launch.target;
  text.kernel = launch.kernel.symbol;
  const uint64_t blocks =
      header.maxRows ? (uint64_t(rows) * launch.rowsFactor + launch.rowsTile - 1) / launch.rowsTile : 1;
  text.grid = {support::yamlList(std::vector<uint64_t>{blocks * launch.workgroups, 1, 1}),
               header.maxRows ? "for " + std::to_string(rows) + " rows, the most there can be" : ""};
  text.block = {support::yamlList(launch.kernel.block)};
  text.dynamicLds = {"0", "its " + std::to_string(launch.kernel.lds) + " bytes of LDS are static"};
  for (size_t i = 0; i < launch.kernel.arguments.size(); ++i) {
    const KernelArgument &argument = launch.kernel.arguments[i];
    LaunchFileText::Buffer buffer{argument.name, std::string(manifest::nameOf(argument.type)),
                                  support::yamlList(argument.shape.stored(argument.type, rows)), "",
                                  describe(argument.access)};
    if (header.control == i) {
      std::vector<int32_t> control(argument.shape.elements(1));
      control[offsetof(support::ControlBlock, tokens) / 4] = int32_t(rows);
      buffer.init = "{values: " + support::yamlList(control) + "}";
      buffer.about = "rows of the launch, position of the first, reserved";
    } else if (argument.access != Access::Write) {
      buffer.init = makeInit(argument, header.argumentsAreCodes.at(i), i + 1);
    }
    if (const std::string &about = header.argumentAbouts.at(i); !about.empty())
      buffer.about += "; " + about;
    text.arguments.push_back({support::yamlBuffer(argument.name)});
    text.buffers.push_back(std::move(buffer));
  }
  return text;
}

} // namespace nstf
