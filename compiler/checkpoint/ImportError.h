// What an importer throws.
//
// Readers without an MLIRContext throw ImportError; the importers catch it at their door and emit it as an MLIR
// diagnostic at the place it names (Import.h).
#pragma once

#include <stdexcept>
#include <string>

namespace nstf {

/// A place in a text file; line and column count from 1, line 0 means the file as a whole.
struct Place {
  int line = 0;
  int column = 0;
};

/// A fault of the user's input. `what()` is one line without a full stop. When `place` has a line, `file` and `place`
/// say where and the message doesn't repeat it; otherwise the message names the file itself.
class ImportError : public std::runtime_error {
public:
  explicit ImportError(const std::string &message) : std::runtime_error(message) {}
  ImportError(std::string file, Place place, const std::string &message)
      : std::runtime_error(message), file(std::move(file)), place(place) {}

  std::string file;
  Place place;
};

} // namespace nstf
