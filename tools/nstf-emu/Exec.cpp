// nstf-emu exec: runs a HIP program with the emulator in the place of its libamdhip64.
#include "runtime/emulator/checks/Checks.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/launch/HostLibrary.h"
#include "runtime/emulator/launch/KernelNames.h"
#include "support/Escape.h"
#include "support/Json.h"
#include "support/StagingFolder.h"
#include "support/WriteFile.h"
#include "tools/nstf-emu/Commands.h"
#include "tools/nstf-emu/EmulatorLibrary.h"
#include "tools/nstf-emu/Options.h"

#include <CLI/CLI.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

namespace nstf::emulator::tool {
namespace {

namespace fs = std::filesystem;

struct ExecOptions {
  std::string target, check, report;
  std::vector<std::string> command;
};

/// The program's file, as a shell finds it; the name itself if there is none.
std::string findProgram(const std::string &name) {
  const char *folders = std::getenv("PATH");
  if (name.find('/') != std::string::npos || !folders)
    return name;
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');)
    if (const fs::path path = fs::path(folder.empty() ? "." : folder) / name; access(path.c_str(), X_OK) == 0)
      return path.string();
  return name;
}

void putBefore(const char *variable, const std::string &value) {
  const char *old = std::getenv(variable);
  setenv(variable, (value + (old && *old ? std::string(":") + old : "")).c_str(), 1);
}

/// LD_LIBRARY_PATH comes before a program's RUNPATH; its RPATH comes before that, but not before what is preloaded.
void setEnvironment(const ExecOptions &options, const std::string &program, const fs::path &statistics) {
  const fs::path folder = libraryFolder();
  putBefore("LD_LIBRARY_PATH", folder.string());
  if (const std::string needed = neededLibrary(program, "libamdhip64.so");
      !needed.empty() && fs::exists(folder / needed))
    putBefore("LD_PRELOAD", (folder / needed).string());
  if (!options.target.empty())
    setenv("NSTF_EMU_TARGET", options.target.c_str(), 1);
  if (!options.check.empty())
    setenv("NSTF_EMU_CHECK", options.check.c_str(), 1);
  setenv("NSTF_EMU_STATISTICS", statistics.c_str(), 1);
}

/// Runs the program; as a shell says it, 128 and a signal's number for a program that a signal ended.
int runProgram(const std::string &program, const std::vector<std::string> &command) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ))
    throw std::runtime_error("expected a program but got '" + support::escape(command[0]) +
                             "': " + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Row {
  uint64_t launches = 0, instructions = 0;
  double seconds = 0;
};

uint64_t countInstructions(const nlohmann::json &dispatch) {
  uint64_t sum = 0;
  for (const char *key : {"matrix", "vector", "lds", "vectorMemory", "scalar", "scalarMemory", "branch", "other"})
    sum += dispatch.at(key).get<uint64_t>();
  return sum;
}

std::string dimensions(const nlohmann::json &sizes) {
  std::string text;
  for (const auto &size : sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size.get<uint64_t>());
  return text;
}

/// A line for each kernel and grid, in the order of the first launches.
void printTable(const nlohmann::json &statistics, std::ostream &out) {
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, Row> rows;
  for (const auto &dispatch : statistics.at("dispatches")) {
    const std::pair key(demangled(dispatch.at("kernel").get<std::string>()),
                        dimensions(dispatch.at("grid")) + " of " + dimensions(dispatch.at("block")));
    const auto [row, isNew] = rows.try_emplace(key);
    if (isNew)
      order.push_back(key);
    ++row->second.launches;
    row->second.instructions += countInstructions(dispatch);
    row->second.seconds += dispatch.at("hostSeconds").get<double>();
  }
  char line[128];
  std::snprintf(line, sizeof line, "%10s %22s %12s  %-24s kernel\n", "launches", "wave instructions", "host time",
                "grid");
  out << line;
  for (const auto &key : order) {
    const Row &row = rows.at(key);
    std::snprintf(line, sizeof line, "%10s %22s %12s  %-24s ", grouped(row.launches).c_str(),
                  grouped(row.instructions).c_str(), shortSeconds(row.seconds).c_str(), key.second.c_str());
    out << line << support::escape(key.first, 80) << "\n";
  }
}

/// Prints what the library has counted; returns the number of findings. The file is not there if the program launched
/// nothing, or ended without running its exit handlers.
uint64_t summarize(const fs::path &file, const std::string &report) {
  std::ifstream in(file);
  if (!in) {
    std::cerr << "nstf-emu exec: no launches\n";
    return 0;
  }
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const nlohmann::json statistics = support::parseJson(text, file.string());
  printTable(statistics, std::cerr);
  const uint64_t findings = statistics.at("findings"), faults = statistics.at("faults");
  if (findings || faults)
    std::cerr << grouped(findings) << " findings, " << grouped(faults) << " faults\n";
  if (!report.empty())
    support::writeFile(report, text);
  return findings;
}

int exec(const ExecOptions &options) {
  if (!options.report.empty())
    support::checkWritable(options.report);
  checks::CheckSet::parse(options.check, "--check");
  if (!options.target.empty() && !Target::find(TargetId::parse(options.target).processor))
    throw std::runtime_error("--target: expected one of " + targetNames() + " but got '" +
                             support::escape(options.target) + "'");
  support::removeStagingFoldersOnSignals();
  const support::StagingFolder folder(fs::temp_directory_path() / "nstf-emu-exec.json");
  const fs::path statistics = folder.content();
  const std::string program = findProgram(options.command[0]);
  setEnvironment(options, program, statistics);
  const int status = runProgram(program, options.command);
  const uint64_t findings = summarize(statistics, options.report);
  return status == 0 && findings ? int(foundFault) : status;
}

} // namespace

Command addExec(CLI::App &app) {
  auto options = std::make_shared<ExecOptions>();
  CLI::App *command = app.add_subcommand("exec", "run a HIP program on the emulator, and list its launches");
  command->footer(
      "\nThe emulator takes the place of libamdhip64, whatever the program's RUNPATH says. Findings and the "
      "table go to standard error.\nThe exit status is the program's; 2 for findings if that was 0. Example:\n"
      "  nstf-emu exec --target=gfx90a --check=memory,race -- ./program --size 1024");
  command->add_option("--target", options->target, "the chip, such as gfx942 (the default)")->type_name("ID");
  command->add_option("--check", options->check, "checks, joined by commas, or all")->type_name("LIST");
  command->add_option("--report", options->report, "write the launches as JSON")->type_name("FILE");
  command->add_option("program", options->command, "the program and its arguments, behind --")
      ->required()
      ->type_name("PROGRAM");
  return [options] { return exec(*options); };
}

} // namespace nstf::emulator::tool
