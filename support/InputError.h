// A fault of what the user gave, and where in a file it stands.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace nstf::support {

/// A place in a text file; line and column count from 1, line 0 means the file as a whole.
struct Place {
  std::shared_ptr<const std::string> file = nullptr;
  int line = 0, column = 0;

  static Place of(std::string file, int line = 0, int column = 0) {
    return {std::make_shared<const std::string>(std::move(file)), line, column};
  }
  const std::string &getFile() const;
  /// "file:line:column", "file" where there is no line.
  std::string str() const;
  /// Throws InputError.
  [[noreturn]] void error(const std::string &message) const;
};

/// what() is one line without a full stop: "file:line:column: expected X but got Y". Without a place it is the message,
/// which then says itself what it is about.
class InputError : public std::runtime_error {
public:
  explicit InputError(const std::string &message);
  InputError(Place place, const std::string &message);

  Place place;
  std::string message; // without the place
};

} // namespace nstf::support
