// nstf-emu: runs, checks and explains AMD kernels without a GPU.
//
// The command line around runtime/emulator/launch. Standard output has the requested output (a listing, a trace, the
// results' summary); errors, findings and progress go to standard error.
#include "support/CommandLineError.h"
#include "support/Completion.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "support/Tool.h"
#include "tools/nstf-emu/Commands.h"
#include "tools/nstf-emu/EmulatorLibrary.h"

#include <CLI/CLI.hpp>
#include <stdexcept>

using namespace nstf::emulator::tool;

namespace {

constexpr const char *footer = R"(
Examples:
  nstf-emu list vadd.hsaco
  nstf-emu run launch.yaml --check=all --report=report.json
  nstf-emu disasm libkernels.so --kernel=vadd --target=gfx942
  nstf-emu trace launch.yaml --workgroup=1,0,0 --wave=2 --lanes=0-3
  nstf-emu exec --target=gfx90a -- ./program

Exit status: 0 all is well, 1 bad input, 2 a fault, a finding or a stopped launch, 3 a result that was not expected.
nstf-emu COMMAND --help says more of each; tools/nstf-emu/README.md describes the launch file and the report.)";

int run(int argc, char **argv) {
  CLI::App app("nstf-emu: runs, checks and explains gfx90a and gfx942 kernels without a GPU", "nstf-emu");
  app.footer(footer);
  app.require_subcommand(1);
  constexpr char version[] = "nstf-emu " NSTF_VERSION;
  nstf::support::addCommonOptions(app, version);
  app.add_flag_callback(
         "--hip-coverage", [] { throw CLI::CallForVersion(hipCoverage(), 0); },
         "list HIP's functions in the emulator's library, which work and which don't, and leave")
      ->trigger_on_parse();
  std::vector<std::pair<const char *, Command>> commands = {{"run", addRun(app)},
                                                            {"trace", addTrace(app)},
                                                            {"list", addList(app)},
                                                            {"disasm", addDisasm(app)},
                                                            {"exec", addExec(app)}};
  for (CLI::App *command : app.get_subcommands({}))
    command->set_version_flag("--version", version, "print the version and leave");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-')
      throw std::runtime_error("expected run, trace, list, disasm or exec but got '" + nstf::support::escape(argv[1]) +
                               "'" + nstf::support::didYouMean(argv[1], {"run", "trace", "list", "disasm", "exec"}));
    throw std::runtime_error(nstf::support::describeCommandLineError(app, error));
  }
  int status = fine;
  for (auto &[name, command] : commands)
    if (app.got_subcommand(name))
      status = command();
  return status;
}

} // namespace

int main(int argc, char **argv) {
  static_assert(badInput == 1, "what runTool gives for an exception");
  return nstf::support::runTool([&] { return run(argc, argv); });
}
