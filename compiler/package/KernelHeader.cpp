// Writes a kernel's C header (KernelHeader.h).
#include "compiler/package/KernelHeader.h"
#include "compiler/package/LauncherNames.h"
#include "support/ControlBlock.h"

#include <algorithm>
#include <set>

namespace nstf {

using manifest::Access;
using manifest::ElementType;
using manifest::KernelArgument;
using support::ControlBlock;

namespace {

/// `text` as part of a C comment.
std::string comment(std::string_view text) {
  std::string result = launcher::comment(text);
  for (size_t at = 0; (at = result.find("*/", at)) != std::string::npos;)
    result.insert(at + 1, " ");
  return result;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string number(int64_t value) { return std::to_string(value); }

class Writer {
public:
  explicit Writer(const KernelHeader &header)
      : header(header), name(header.name), capitals(upper(header.name)), kernel(header.launches.front().kernel) {
    // Keywords of C that C++ does not have.
    launcher::NameSet names({"restrict", "typeof", "inline"});
    for (const KernelArgument &argument : kernel.arguments)
      fields.push_back(names.add(argument.name));
  }

  std::string write() {
    writeHead();
    writeConstants();
    if (header.control)
      writeControl();
    writeArguments();
    writeTargets();
    writeLaunch();
    text += "\n#endif\n";
    return std::move(text);
  }

private:
  bool isControl(const KernelArgument &argument) const {
    return header.control && &argument == &kernel.arguments[*header.control];
  }

  /// Whether the launch needs its own memory.
  bool hasOwnMemory() const {
    return std::find(header.argumentsAreOwn.begin(), header.argumentsAreOwn.end(), true) !=
           header.argumentsAreOwn.end();
  }

  void writeHead() {
    text += "/* " + name + ": " + comment(header.about) + "\n\n";
    text += "   Made by " + comment(header.compiler) + ":\n   " + comment(header.command) + "\n\n";
    text += "   Load the code object with hipModuleLoad, get the function " + capitals + "_SYMBOL, fill in " + name +
            "_arguments\n   and launch " + name + "_workgroups() workgroups of " + name +
            "_target.workgroup_size work-items along x; with\n   <hip/hip_runtime_api.h> included before, " + name +
            "_launch() does that. The symbol ends in a hash of everything this\n   header says, so that a code object "
            "of other sizes or another compiler is not found by it.\n\n";
    text += "   What a caller must hold to:\n"
            "   - All addresses are device addresses and multiples of 16. Matrices are row-major without gaps.\n"
            "   - What is written overlaps nothing else that the kernel is given.\n"
            "   - Memory is read and written inside the matrices only: no padding is needed, and none is touched.\n";
    if (header.maxRows)
      text += "     Of a matrix of up to " + number(*header.maxRows) +
              " rows only those of the launch are: memory for more is not needed.\n";
    text += "   What it may rely on:\n"
            "   - The same inputs give the same bits, launch by launch, on every chip of a target: the order of\n"
            "     every sum is fixed. A row's bits depend on that row and what all rows share, not on others.\n"
            "   - The launch waits for the stream and for nothing else, allocates nothing and keeps nothing.\n";
    if (hasOwnMemory())
      text += "   - Two launches that may run at once need two of what is for a launch alone; others may share it.\n";
    text += "   NSTF's templates/CONTRACT.md has the whole contract. */\n";
    text += "#ifndef NSTF_KERNEL_" + capitals + "_H\n#define NSTF_KERNEL_" + capitals +
            "_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n";
  }

  void writeConstants() {
    text += "#define " + capitals + "_SYMBOL " + launcher::literal(kernel.symbol) + "\n";
    for (const auto &[key, value] : header.values)
      if (!value.empty() && value.find_first_not_of("0123456789") == std::string::npos)
        text += "#define " + capitals + "_" + upper(key) + " " + value + "\n";
    text += "\n";
  }

  void writeControl() {
    std::string tokens = header.readsTokens && header.maxRows ? "rows of this launch, 1 to " + number(*header.maxRows)
                         : header.readsTokens                 ? "rows of this launch"
                                                              : "not read by this kernel";
    std::string position = header.readsPosition ? "of the launch's first row, from 0 on" : "not read by this kernel";
    text += "/* What varies from launch to launch. It lies in device memory and is read when the kernel runs, so a "
            "captured graph\n   replays with other numbers after a copy into it; write it in stream order. */\n";
    text += "typedef struct " + name + "_control {\n  int32_t tokens;   /* " + tokens + " */\n  int32_t position; /* " +
            position + " */\n  int32_t reserved[" + number(sizeof(ControlBlock) / 4 - 2) + "];\n} " + name +
            "_control;\n";
    text += "typedef char " + name + "_check_control[sizeof(" + name + "_control) == " + number(sizeof(ControlBlock)) +
            " ? 1 : -1];\n\n";
  }

  std::string getType(const KernelArgument &argument) const {
    std::string type = launcher::cppType(argument.type);
    if (type.rfind("std::", 0) == 0)
      type = type.substr(5);
    if (isControl(argument))
      type = name + "_control";
    return (argument.access == Access::Read ? "const " : "") + type;
  }

  /// Describes the stored matrix, and the part of the cache that it is.
  static std::string describeOrder(const KernelArgument &argument) {
    const std::vector<int64_t> sizes = argument.shape.stored(argument.type, 1);
    const std::string blocks = argument.shape.order->hasBlocks() ? " in blocks of 16 rows and 64 bytes of each" : "";
    return launcher::describe(argument.type) + " [" + number(sizes[0]) + ", " + number(sizes[1]) + "]" + blocks +
           ", of the cache " + argument.shape.str() + "; " + number(argument.shape.bytes(argument.type, 1)) +
           " bytes, zeros where they hold nothing of it";
  }

  std::string describe(const KernelArgument &argument, const std::string &field, const std::string &about) const {
    const bool isOwn = header.argumentsAreOwn.at(&argument - kernel.arguments.data());
    std::string access = isOwn                              ? "read and written"
                         : argument.access == Access::Read  ? "read"
                         : argument.access == Access::Write ? "written"
                                                            : "written in place: what is not named stays";
    if (isControl(argument))
      return "run scalars, see above; read";
    if (argument.shape.order)
      return describeOrder(argument) + "; " + access + (about.empty() ? "" : "\n     " + comment(about));
    const std::vector<int64_t> &sizes = argument.shape.dimensions;
    std::string rows = sizes.front() < 0 ? "up to " + number(*header.maxRows) : number(sizes.front());
    uint64_t elements = argument.shape.elements(header.maxRows.value_or(1));
    std::string shape = "[" + rows, place = field + "[i]";
    if (sizes.size() == 2) {
      shape += ", " + number(sizes[1]);
      place = field + "[i * " + number(sizes[1]) + " + j]";
    }
    return launcher::describe(argument.type) + " " + shape + "], element " + (sizes.size() == 2 ? "(i, j)" : "i") +
           " is " + place + "; " + number(elements * manifest::sizeOf(argument.type)) + " bytes" +
           (sizes.front() < 0 ? " for all rows" : "") + "; " + access +
           (about.empty() ? "" : "\n     " + comment(about));
  }

  void writeArguments() {
    text += "typedef struct " + name + "_arguments {\n";
    for (size_t i = 0; i < fields.size(); ++i)
      text += "  /* " + fields[i] + ": " + describe(kernel.arguments[i], fields[i], header.argumentAbouts.at(i)) +
              " */\n  " + getType(kernel.arguments[i]) + " *" + fields[i] + ";\n";
    text += "} " + name + "_arguments;\n";
    for (size_t i = 0; i < fields.size(); ++i)
      text += "typedef char " + name + "_check_" + fields[i] + "_[offsetof(" + name + "_arguments, " + fields[i] +
              ") == " + number(kernel.arguments[i].offset) + " ? 1 : -1];\n";
    text += "typedef char " + name + "_check_size_[sizeof(" + name + "_arguments) == " + number(getSize()) +
            " ? 1 : -1];\n\n";
  }

  uint64_t getSize() const { return kernel.arguments.back().offset + kernel.arguments.back().size; }

  void writeTargets() {
    text += "/* How a target launches it. */\ntypedef struct " + name +
            "_target {\n  const char *name;         /* the chip, as in gcnArchName of hipDeviceProp_t */\n"
            "  uint32_t workgroup_size;  /* work-items */\n"
            "  uint32_t lds_bytes;       /* that a workgroup takes by itself; a launch asks for none beside it */\n";
    text += header.maxRows ? "  uint32_t workgroups;      /* of each block of rows */\n"
                             "  uint32_t rows_factor;     /* a row of the launch is so many of the kernel's own, */\n"
                             "  uint32_t rows_tile;       /* of which a block has so many */\n"
                           : "  uint32_t workgroups;      /* of a launch */\n";
    text += "} " + name + "_target;\n\n";
    text +=
        "/* The target for a device by its gcnArchName (\"gfx942:sramecc+:xnack-\"); NULL where the code object has no "
        "code for it. */\n";
    text += "static inline const " + name + "_target *" + name + "_find_target(const char *arch) {\n";
    text += "  static const " + name + "_target targets[" + number(header.launches.size()) + "] = {\n";
    for (const KernelHeader::Launch &launch : header.launches) {
      text += "      {" + launcher::literal(launch.target) + ", " + number(launch.kernel.block[0]) + ", " +
              number(launch.kernel.lds) + ", " + number(launch.workgroups);
      if (header.maxRows)
        text += ", " + number(launch.rowsFactor) + ", " + number(launch.rowsTile);
      text += "},\n";
    }
    text += "  };\n  size_t i, j;\n  for (i = 0; i < " + number(header.launches.size()) +
            "; ++i) {\n    for (j = 0; targets[i].name[j] != 0 && targets[i].name[j] == arch[j]; ++j) {\n    }\n"
            "    if (targets[i].name[j] == 0 && (arch[j] == 0 || arch[j] == ':'))\n      return &targets[i];\n  }\n"
            "  return NULL;\n}\n\n";
  }

  void writeLaunch() {
    std::string rowsParameter, rowsArgument;
    if (header.maxRows) {
      rowsParameter = ", uint32_t rows";
      rowsArgument = ", rows";
      text += "/* Workgroups of a launch of so many rows, which control.tokens says too; 0 where there are not 1 to " +
              number(*header.maxRows) +
              ".\n   A graph that is captured for the most rows serves every number: what is "
              "not needed ends at once. */\n";
    } else {
      text += "/* Workgroups of a launch. */\n";
    }
    text +=
        "static inline uint32_t " + name + "_workgroups(const " + name + "_target *target" + rowsParameter + ") {\n";
    if (header.maxRows)
      text += "  if (rows < 1 || rows > " + number(*header.maxRows) +
              "u)\n    return 0;\n  return (uint32_t)(((uint64_t)rows * target->rows_factor + target->rows_tile - 1) / "
              "target->rows_tile *\n                    target->workgroups);\n";
    else
      text += "  return target->workgroups;\n";
    text += "}\n\n";
    text +=
        "#ifdef HIP_INCLUDE_HIP_HIP_RUNTIME_API_H\n/* Puts one launch into the stream. */\nstatic inline hipError_t " +
        name + "_launch(hipFunction_t function, const " + name + "_target *target,\n    const " + name +
        "_arguments *arguments" + rowsParameter + ", hipStream_t stream) {\n  " + name +
        "_arguments copy = *arguments;\n  size_t size = sizeof copy;\n"
        "  void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, NULL, HIP_LAUNCH_PARAM_BUFFER_SIZE, NULL,\n"
        "                    HIP_LAUNCH_PARAM_END};\n  uint32_t workgroups = " +
        name + "_workgroups(target" + rowsArgument +
        ");\n  config[1] = &copy;\n  config[3] = &size;\n  if (workgroups == 0)\n"
        "    return hipErrorInvalidValue;\n  return hipModuleLaunchKernel(function, workgroups, 1, 1, "
        "target->workgroup_size, 1, 1, 0, stream, NULL, config);\n}\n#endif\n";
  }

  const KernelHeader &header;
  std::string name, capitals;
  const manifest::Kernel &kernel;
  std::vector<std::string> fields;
  std::string text;
};

} // namespace

std::string kernelIdentifier(std::string_view text) { return launcher::identifier(text); }

std::string kernelHeaderText(const KernelHeader &header) { return Writer(header).write(); }

} // namespace nstf
