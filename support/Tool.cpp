#include "support/Tool.h"
#include "support/Escape.h"
#include "support/InputError.h"
#include "support/StagingFolder.h"
#include "support/StandardOutput.h"

#include <csignal>
#include <iostream>

namespace nstf::support {

int runTool(const std::function<int()> &work) {
  // A file past `ulimit -f` is an error of the write, as a full disk is, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  removeStagingFoldersOnSignals();
  StandardOutput output;
  try {
    int status = work();
    std::cout.flush();
    return status;
  } catch (const std::exception &error) {
    output.flushQuietly(); // on a terminal that shows both, what was written before comes first
    printError(error);
    return 1;
  }
}

void printError(const std::exception &error) {
  auto *input = dynamic_cast<const InputError *>(&error);
  printError(input && input->place.line ? input->place.str() + ": error: " + input->message : error.what());
}

void printError(std::string_view message) {
  bool saysSo = message.find("error: ") != message.npos;
  std::cerr << (saysSo ? "" : "error: ") + escape(message, longLimit) + "\n";
}

} // namespace nstf::support
