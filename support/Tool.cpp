#include "support/Tool.h"
#include "support/Escape.h"
#include "support/InputError.h"
#include "support/StagingFolder.h"
#include "support/StandardOutput.h"

#include <csignal>
#include <iostream>

namespace nstf::support {

int runTool(const std::function<int()> &work) {
  // Exceeding `ulimit -f` then fails the write, like a full disk, instead of ending the process.
  std::signal(SIGXFSZ, SIG_IGN);
  removeStagingFoldersOnSignals();
  StandardOutput output;
  try {
    int status = work();
    std::cout.flush();
    return status;
  } catch (const std::exception &error) {
    output.flushQuietly(); // flush first, so that a terminal shows output before the error
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
