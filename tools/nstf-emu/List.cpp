// nstf-emu list: lists the kernels of a file.
#include "runtime/emulator/launch/KernelList.h"
#include "runtime/emulator/launch/LaunchDraft.h"
#include "support/Escape.h"
#include "support/Path.h"
#include "support/WriteFile.h"
#include "tools/nstf-emu/Commands.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace nstf::emulator::tool {
namespace {

int list(const std::string &file, const ListOptions &options) {
  CodeObjectContainer container = CodeObjectContainer::open(file);
  ListSummary summary = listKernels(container, options, std::cout);
  if (summary.damaged)
    throw std::runtime_error(file + ": " + std::to_string(summary.damaged) + " damaged code object" +
                             (summary.damaged > 1 ? "s, the first: " : ": ") + summary.firstDamage);
  if (!options.kernel.empty() && !summary.kernels)
    throw std::runtime_error(file + ": expected a kernel with '" + support::escape(options.kernel) +
                             "' in its name but got none");
  if (!summary.codeObjects)
    throw std::runtime_error(file + ": expected code for " +
                             (options.target.empty() ? "an amdgpu target" : options.target) + " but got none");
  return fine;
}

/// Writes the launch file, and prints how many values are still to be filled in.
int writeLaunchFile(const std::string &file, const ListOptions &options, const std::string &launch) {
  support::checkWritable(launch);
  support::LaunchFileText draft = draftLaunch(file, options.kernel, options.target);
  draft.codeObject = support::nameFor(file, launch);
  const std::string text = draft.str();
  support::writeFile(launch, text);
  size_t left = 0;
  for (size_t at = text.find('\n'); (at = text.find(": " + std::string(support::notFilledIn), at)) != text.npos; ++at)
    ++left;
  std::cout << support::describePath(launch) << ": " << left << " values to be filled in\n";
  return fine;
}

} // namespace

Command addList(CLI::App &app) {
  auto options = std::make_shared<ListOptions>();
  auto file = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand("list", "list a file's kernels: arguments, registers, LDS, occupancy");
  auto launch = std::make_shared<std::string>();
  command->footer("\nFILE is a code object, an offload bundle (plain or compressed), or a program or library with "
                  "kernels inside (.hip_fatbin).\nOccupancy: waves that a SIMD holds at once, and what allows no "
                  "more. Example:\n  nstf-emu list libkernels.so --target=gfx942 --kernel=gemm --block=256 --json\n"
                  "  nstf-emu list libkernels.so --target=gfx942 --kernel=gemm --launch=launch.yaml");
  command->add_option("file", *file, "what to list")->required()->type_name("FILE");
  command->add_option("--target", options->target, "only code that runs on this chip, such as gfx942")->type_name("ID");
  command->add_option("--kernel", options->kernel, "only kernels with this in their names")->type_name("NAME");
  command->add_option("--block", options->block, "work-items of a workgroup that occupancy is for")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_option("--dynamic-lds", options->dynamicLds, "bytes of dynamic LDS that occupancy is for")
      ->check(CLI::Range(0, 65536))
      ->type_name("N");
  CLI::Option *json = command->add_flag("--json", options->json, "as JSON, on standard output");
  CLI::Option *brief = command->add_flag("--brief", options->brief, "names only");
  command
      ->add_option("--launch", *launch,
                   "instead of a list: a launch file of one kernel for nstf-emu run, with what the code object tells; "
                   "the rest is marked to be filled in")
      ->excludes(json)
      ->excludes(brief)
      ->type_name("FILE.yaml");
  return [options, file, launch] {
    return launch->empty() ? list(*file, *options) : writeLaunchFile(*file, *options, *launch);
  };
}

} // namespace nstf::emulator::tool
