// Ctrl-C as a request to stop, for work that can end in good order.
#pragma once

#include <optional>
#include <string>

/// While it lives, the first SIGINT only sets a flag (isWanted); the second one ends the program as usual.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;

  bool isWanted() const;
  /// The next line of standard input, without its newline; nothing at the end of input or if Ctrl-C comes first. Throws
  /// std::runtime_error if standard input can't be read or a line is longer than 4 MiB.
  std::optional<std::string> readLine();

private:
  std::string pending;
};
