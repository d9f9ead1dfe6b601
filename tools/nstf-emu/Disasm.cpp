// nstf-emu disasm: disassembles the machine code of a file.
#include "runtime/emulator/launch/CodeListing.h"
#include "runtime/emulator/launch/KernelNames.h"
#include "runtime/emulator/launch/LoopListing.h"
#include "support/Escape.h"
#include "tools/nstf-emu/Commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

namespace nstf::emulator::tool {
namespace {

struct DisasmOptions {
  std::string file, kernel, target;
  std::string loops; ///< empty: prints the code; else the format in which its loops are printed
};

void printSummary(const std::string &where, const ListingSummary &summary) {
  std::cerr << where << ": " << summary.instructions << " instructions in " << summary.functions
            << (summary.functions == 1 ? " function, " : " functions, ") << summary.notExecuted
            << " that the emulator doesn't execute, " << summary.unknown << " unknown words\n";
}

/// Prints code objects one after another.
class Printer {
public:
  explicit Printer(const DisasmOptions &options) : options(options) {}

  void add(const ContainedCodeObject &object, const std::string &kernel) {
    if (options.loops == "json")
      return addJson(object, findLoops(object, kernel));
    std::cout << (shown++ ? "\n" : "") << object.where << "\n";
    if (options.loops.empty())
      return printSummary(object.where, listCode(object, kernel, std::cout));
    for (const ListedLoop &loop : findLoops(object, kernel))
      print(loop, std::cout);
  }

  void end() const {
    if (options.loops == "json")
      std::cout << nlohmann::ordered_json{{"file", options.file}, {"code_objects", codeObjects}}.dump(
                       1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                << "\n";
  }

private:
  void addJson(const ContainedCodeObject &object, const std::vector<ListedLoop> &loops) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ListedLoop &loop : loops)
      list.push_back(toJson(loop));
    codeObjects.push_back({{"where", object.where}, {"target", object.target}, {"loops", std::move(list)}});
  }

  const DisasmOptions &options;
  size_t shown = 0;
  nlohmann::ordered_json codeObjects = nlohmann::ordered_json::array();
};

void disasmKernel(const CodeObjectContainer &container, const TargetId &device, const DisasmOptions &options,
                  Printer &printer) {
  KernelPlace found = findKernel(container, device, options.kernel);
  if (found.kernel.empty())
    throw std::runtime_error(options.file + ": expected one of its kernels for " + device.str() + " but got '" +
                             support::escape(options.kernel) + "'" + found.hint);
  printer.add(found.object, found.kernel);
}

void disasmAll(const CodeObjectContainer &container, const TargetId &device, const DisasmOptions &options,
               Printer &printer) {
  bool isEmpty = true;
  for (size_t part = 0; part < container.parts().size(); ++part)
    for (const ContainedCodeObject &object : container.read(part))
      if (runsOn(object, device)) {
        printer.add(object, "");
        isEmpty = false;
      }
  if (isEmpty)
    throw std::runtime_error(options.file + ": expected code for " + device.str() + " but got none");
}

int disasm(const DisasmOptions &options) {
  CodeObjectContainer container = CodeObjectContainer::open(options.file);
  TargetId device =
      options.target.empty() ? deviceFor(container, "--target") : getDevice(TargetId::parse(options.target));
  Printer printer(options);
  if (options.kernel.empty())
    disasmAll(container, device, options, printer);
  else
    disasmKernel(container, device, options, printer);
  printer.end();
  return fine;
}

} // namespace

Command addDisasm(CLI::App &app) {
  auto options = std::make_shared<DisasmOptions>();
  CLI::App *command = app.add_subcommand("disasm", "disassemble a file's kernels");
  command->footer("\nColumns: address in the code object, offset from the label (as faults and traces give it), "
                  "encoding, text. Source lines where the\nfile has debug information; '-> …' is where a branch goes. "
                  "Example:\n  nstf-emu disasm vadd.hsaco --kernel=vadd");
  command->add_option("file", options->file, "a code object, bundle, program or library")
      ->required()
      ->type_name("FILE");
  command->add_option("--kernel", options->kernel, "only this kernel")->type_name("NAME");
  command->add_option("--target", options->target, "chip, where the file has code for several")->type_name("ID");
  command->add_option("--loops", options->loops, "instead of the code, what its innermost loops hold: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->expected(0, 1)
      ->default_str("text")
      ->type_name("FORM");
  return [options] { return disasm(*options); };
}

} // namespace nstf::emulator::tool
