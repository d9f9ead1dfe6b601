#include "compiler/driver/RunApart.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <tbb/global_control.h>
#include <unistd.h>

using Json = nlohmann::ordered_json;

/// Ends oneTBB's threads. A child process has none of them, but its scheduler would wait for them: one child of some
/// three hundred waited for ever. The next parallel computation starts new threads.
static void endWorkers() {
  tbb::task_scheduler_handle scheduler{tbb::attach{}};
  if (!tbb::finalize(scheduler, std::nothrow))
    throw std::runtime_error("expected no parallel computation beside a new process");
}

static void writeAll(int file, const std::string &bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t written = write(file, bytes.data() + done, bytes.size() - done);
    if (written <= 0)
      _exit(1);
    done += written;
  }
}

Json nstf::runApart(const std::string &what, const std::function<Json()> &body) {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error(std::string("expected a pipe but ") + std::strerror(errno));
  endWorkers();
  pid_t child = fork();
  if (child < 0)
    throw std::runtime_error(std::string("expected a process but ") + std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    Json result;
    try {
      result = body();
    } catch (const std::exception &error) {
      result = {{"error", error.what()}};
    }
    writeAll(ends[1], result.dump(-1, ' ', true, Json::error_handler_t::replace));
    _exit(0);
  }
  close(ends[1]);
  std::string bytes;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    bytes.append(buffer, count);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status))
    return Json::parse(bytes);
  return {{"error", "the process that " + what + " was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                        strsignal(WTERMSIG(status)) + ")"}};
}
