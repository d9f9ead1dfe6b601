// Ctrl-C as a wish to leave, for work that can end in good order.
#pragma once

#include <optional>
#include <string>

/// While it lives, the first SIGINT is a wish that is asked for; the second ends the program as ever.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;

  bool isWanted() const;
  /// The next line of standard input, without its newline; nothing at its end, or where Ctrl-C comes first. Throws
  /// std::runtime_error where it can't be read, or a line is longer than 4 MiB.
  std::optional<std::string> readLine();

private:
  std::string pending;
};
