#include "support/InputError.h"
#include "support/Escape.h"

namespace nstf::support {

const std::string &Place::getFile() const {
  static const std::string none;
  return file ? *file : none;
}

std::string Place::str() const {
  return getFile() + (line ? ":" + std::to_string(line) + ":" + std::to_string(column) : "");
}

void Place::error(const std::string &message) const { throw InputError(*this, message); }

InputError::InputError(const std::string &message) : std::runtime_error(message), message(message) {}

InputError::InputError(Place place, const std::string &text)
    : std::runtime_error(escape((place.file ? place.str() + ": " : "") + text, longLimit)), place(std::move(place)),
      message(escape(text, longLimit)) {}

} // namespace nstf::support
