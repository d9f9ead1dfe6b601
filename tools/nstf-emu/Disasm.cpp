// nstf-emu disasm: the machine code of a file.
#include "runtime/emulator/launch/CodeListing.h"
#include "runtime/emulator/launch/KernelNames.h"
#include "tools/nstf-emu/Commands.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace nstf::emulator::tool {
namespace {

struct DisasmOptions {
  std::string file, kernel, target;
};

void printSummary(const std::string &where, const ListingSummary &summary) {
  std::cerr << where << ": " << summary.instructions << " instructions in " << summary.functions
            << (summary.functions == 1 ? " function, " : " functions, ") << summary.notExecuted
            << " that the emulator doesn't execute, " << summary.unknown << " unknown words\n";
}

int disasmKernel(const CodeObjectContainer &container, const TargetId &device, const DisasmOptions &options) {
  KernelPlace found = findKernel(container, device, options.kernel);
  if (found.kernel.empty())
    throw std::runtime_error(options.file + ": expected one of its kernels for " + device.str() + " but got '" +
                             options.kernel + "'" + found.hint);
  std::cout << found.object.where << "\n";
  printSummary(found.object.where, listCode(found.object, found.kernel, std::cout));
  return fine;
}

int disasm(const DisasmOptions &options) {
  CodeObjectContainer container = CodeObjectContainer::open(options.file);
  TargetId device =
      options.target.empty() ? deviceFor(container, "--target") : deviceOf(TargetId::parse(options.target));
  if (!options.kernel.empty())
    return disasmKernel(container, device, options);
  size_t shown = 0;
  for (size_t part = 0; part < container.parts().size(); ++part)
    for (const ContainedCodeObject &object : container.read(part)) {
      if (!runsOn(object, device))
        continue;
      std::cout << (shown++ ? "\n" : "") << object.where << "\n";
      printSummary(object.where, listCode(object, "", std::cout));
    }
  if (!shown)
    throw std::runtime_error(options.file + ": expected code for " + device.str() + " but got none");
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
  return [options] { return disasm(*options); };
}

} // namespace nstf::emulator::tool
