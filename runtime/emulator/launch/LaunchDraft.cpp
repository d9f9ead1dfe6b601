#include "runtime/emulator/launch/LaunchDraft.h"

#include "runtime/emulator/decode/AccessFacts.h"
#include "runtime/emulator/launch/KernelNames.h"
#include "runtime/emulator/launch/LoadedCode.h"
#include "support/Escape.h"

#include <set>
#include <stdexcept>

namespace nstf::emulator {
namespace {

using support::LaunchFileText;
const std::string unknown(support::notFilledIn);

/// The launch file's type for a type of OpenCL C that metadata names; empty for others.
std::string typeOfOpenCl(std::string name) {
  if (name.ends_with("*"))
    name.pop_back();
  static constexpr std::pair<std::string_view, std::string_view> types[] = {
      {"char", "i8"},  {"uchar", "u8"},  {"short", "i16"}, {"ushort", "u16"}, {"int", "i32"},   {"uint", "u32"},
      {"long", "i64"}, {"ulong", "u64"}, {"half", "f16"},  {"float", "f32"},  {"double", "f64"}};
  for (const auto &[openCl, ours] : types)
    if (name == openCl)
      return std::string(ours);
  return "";
}

class Draft {
public:
  Draft(const LoadedCode &code, const Kernel &kernel, LaunchFileText &text) : code(code), kernel(kernel), text(text) {}

  void write() {
    TargetId target = code.file.target;
    target.processor = code.target.name; // instead of a generic target
    text.target = target.str();
    text.about = demangled(kernel.name) + "\nWhat says " + unknown +
                 " is not in the code object; nstf-emu run names the first that is left";
    text.kernel = kernel.name;
    text.grid = {unknown, "workgroups in x, y and z"};
    writeBlock();
    writeDynamicLds();
    for (const KernelArgument &argument : kernel.arguments)
      if (!argument.hidden())
        writeArgument(argument);
    if (kernel.arguments.empty() && (kernel.kernargSize || !kernel.hasMetadata))
      text.argumentsAbout = (kernel.kernargSize ? std::to_string(kernel.kernargSize) + " bytes, " : std::string()) +
                            "nothing is known of them, such as [{at: 0, buffer: a}, {at: 8, i32: 1}]";
  }

private:
  void writeBlock() {
    if (kernel.requiredWorkgroupSize[0])
      text.block = {support::yamlList(kernel.requiredWorkgroupSize), "what it was compiled for"};
    else
      text.block = {unknown, "work-items in x, y and z, at most " + std::to_string(kernel.maxFlatWorkgroupSize)};
  }

  void writeDynamicLds() {
    if (kernel.ldsSize)
      text.dynamicLds = {"0", "bytes beside the " + std::to_string(kernel.ldsSize) + " of the kernel's own"};
    else if (accessesLds())
      text.dynamicLds = {unknown, "bytes; the kernel accesses LDS and has none of its own"};
    else
      text.dynamicLds = {"0"};
  }

  /// Whether the kernel itself accesses LDS; functions that it calls are not examined.
  bool accessesLds() const {
    bool accesses = false;
    for (auto [begin, end] : code.ranges(kernel.name))
      code.forEachInstruction(begin, end, [&](const RawInstruction &raw, uint64_t, uint64_t) {
        const AccessFacts &facts = accessFacts[unsigned(raw.encoding->opcode)];
        accesses |= facts.toLds || facts.addressing == Addressing::Lds;
      });
    return accesses;
  }

  void writeArgument(const KernelArgument &argument) {
    const std::string name = nameFor(argument);
    const std::string type = typeOfOpenCl(argument.typeName);
    const std::string about = argument.typeName.empty() ? "" : argument.typeName + ", ";
    if (argument.valueKind == "global_buffer") {
      const bool isWritten = argument.access == "write_only";
      text.buffers.push_back(
          {name, type.empty() ? unknown : type, unknown, isWritten ? "" : unknown,
           about + (argument.access.empty() ? "init: zeros, {random: {seed: 1}}, {file: a.npy}, or none"
                                            : argument.access)});
      text.arguments.push_back({support::yamlBuffer(name)});
    } else if (argument.valueKind == "dynamic_shared_pointer") {
      text.arguments.push_back({"{u32: " + unknown + "}", "'" + name + "': where it begins in the dynamic LDS, bytes"});
    } else {
      const std::string bytes = std::to_string(argument.size) + (argument.size == 1 ? " byte" : " bytes");
      text.arguments.push_back({"{" + (type.empty() ? "bytes" : type) + ": " + unknown + "}",
                                "'" + name + "': " + about + bytes +
                                    (argument.valueKind == "by_value" ? "" : " of " + argument.valueKind) +
                                    (argument.typeName.empty() ? suggestion(argument.size) : "")});
    }
  }

  /// A suggested value.
  static std::string suggestion(uint32_t size) {
    return size == 4   ? ", such as {i32: 1} or {f32: 0.5}"
           : size == 8 ? ", such as {i64: 1} or {f64: 0.5}"
           : size == 2 ? ", such as {i16: 1} or {f16: 0.5}"
           : size == 1 ? ", such as {i8: 1}"
                       : "";
  }

  /// A name that no other buffer has.
  std::string nameFor(const KernelArgument &argument) {
    const std::string base = argument.name.empty() ? "argument" + std::to_string(text.arguments.size()) : argument.name;
    std::string name = base;
    for (int number = 2; !names.insert(name).second; ++number)
      name = base + "_" + std::to_string(number);
    return name;
  }

  const LoadedCode &code;
  const Kernel &kernel;
  LaunchFileText &text;
  std::set<std::string> names;
};

/// The kernel that the user named.
KernelPlace choose(const CodeObjectContainer &container, const std::string &kernel, const TargetId &device) {
  const std::vector<std::string> names = kernelNames(container, device);
  const std::string all = std::to_string(names.size()) + (names.size() == 1 ? " kernel" : " kernels");
  if (kernel.empty() && names.size() != 1)
    throw std::runtime_error(container.name() + ": expected --kernel to name one of its " + all + " for " +
                             device.str() + " (nstf-emu list --brief shows them) but got none");
  KernelPlace found = findKernel(container, device, kernel.empty() ? names.front() : kernel);
  if (found.kernel.empty())
    throw std::runtime_error(container.name() + ": expected one of its " + all + " for " + device.str() + " but got '" +
                             support::escape(kernel) + "'" + found.hint);
  return found;
}

} // namespace

LaunchFileText draftLaunch(const std::string &file, const std::string &kernel, const std::string &target) {
  const CodeObjectContainer container = CodeObjectContainer::open(file);
  const TargetId device = target.empty() ? deviceFor(container, "--target") : getDevice(TargetId::parse(target));
  const KernelPlace place = choose(container, kernel, device);
  const LoadedCode code(place.object);
  LaunchFileText text;
  for (const Kernel &candidate : code.file.kernels)
    if (candidate.name == place.kernel)
      Draft(code, candidate, text).write();
  return text;
}

} // namespace nstf::emulator
