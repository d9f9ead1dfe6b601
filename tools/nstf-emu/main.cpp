//===- main.cpp - nstf-emu: runs, checks and explains AMD kernels without a GPU -----------------------------------===//
//
// The command line around runtime/emulator/launch. Standard output holds what was asked for (a listing, a trace, the
// results' summary); errors, findings and progress go to standard error.
//
//===-------------------------------------------------------------------------------------------------------------===//
#include "tools/nstf-emu/Commands.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>

using namespace nstf::emulator::tool;

namespace {

constexpr const char *footer = R"(
Examples:
  nstf-emu list vadd.hsaco
  nstf-emu run launch.yaml --check=all --report=report.json
  nstf-emu disasm libkernels.so --kernel=vadd --target=gfx942
  nstf-emu trace launch.yaml --workgroup=1,0,0 --wave=2 --lanes=0-3

Exit status: 0 all is well, 1 bad input, 2 a fault, a finding or a stopped launch, 3 a result that was not expected.
nstf-emu COMMAND --help says more of each; tools/nstf-emu/README.md describes the launch file and the report.)";

/// Errors of the library bring their place, and with it the word "error".
void print(const std::exception &error) {
  std::string text = error.what();
  std::cerr << (text.find("error: ") == std::string::npos ? "error: " : "") << text << "\n";
}

} // namespace

int main(int argc, char **argv) {
  // A file past `ulimit -f` is an error of the write, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app("nstf-emu: runs, checks and explains gfx90a and gfx942 kernels without a GPU", "nstf-emu");
  app.footer(footer);
  app.require_subcommand(1);
  app.set_version_flag("--version", "nstf-emu " NSTF_VERSION);
  std::vector<std::pair<const char *, Command>> commands = {
      {"run", addRun(app)}, {"trace", addTrace(app)}, {"list", addList(app)}, {"disasm", addDisasm(app)}};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-') {
      std::cerr << "error: expected run, trace, list or disasm but got '" << argv[1] << "'\n";
      return badInput;
    }
    std::cerr << "error: " << error.what() << " (nstf-emu --help shows how it is called)\n";
    return badInput;
  }
  try {
    int status = fine;
    for (auto &[name, command] : commands)
      if (app.got_subcommand(name))
        status = command();
    if (!std::cout.flush())
      throw std::runtime_error("cannot write to standard output: " + std::string(std::strerror(errno)));
    return status;
  } catch (const std::exception &error) {
    print(error);
    return badInput;
  }
}
