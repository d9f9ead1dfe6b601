// Messages are one line, whatever names the files they speak of have.
#ifndef NSTF_RUNTIME_EMULATOR_MEMORY_ONELINE_H
#define NSTF_RUNTIME_EMULATOR_MEMORY_ONELINE_H

#include <string>

namespace nstf::emulator {

/// The text with question marks for its control characters.
inline std::string onOneLine(std::string text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 127)
      c = '?';
  return text;
}

} // namespace nstf::emulator

#endif // NSTF_RUNTIME_EMULATOR_MEMORY_ONELINE_H
