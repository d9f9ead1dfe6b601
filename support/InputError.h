// An error in the user's input, with its place in a file.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace nstf::support {

/// A place in a text file. Line and column count from 1; line 0 means the whole file.
struct Place {
  std::shared_ptr<const std::string> file = nullptr;
  int line = 0, column = 0;

  static Place of(std::string file, int line = 0, int column = 0) {
    return {std::make_shared<const std::string>(std::move(file)), line, column};
  }
  const std::string &getFile() const;
  /// "file:line:column", or "file" if the line is 0.
  std::string str() const;
  /// Throws InputError.
  [[noreturn]] void error(const std::string &message) const;
};

/// what() is one line without a full stop: "file:line:column: expected X but got Y". Without a place it is the message
/// alone, which must then name its subject.
class InputError : public std::runtime_error {
public:
  explicit InputError(const std::string &message);
  InputError(Place place, const std::string &message);

  Place place;
  std::string message; // without the place
};

} // namespace nstf::support
