// Fuzzes launch files: any text as the YAML file of `nstf-emu run`. The message about a mistake is one line that begins
// with the file's name.
#include "runtime/emulator/launch/LaunchFile.h"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace nstf::emulator;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text(reinterpret_cast<const char *>(data), size);
  try {
    const LaunchFile file = LaunchFile::readText(text, "launch.yaml");
    for (const BufferDescription &buffer : file.buffers) {
      buffer.bytes();
      buffer.str();
    }
  } catch (const InputError &error) {
    const std::string message = error.what();
    if (!message.starts_with("launch.yaml") || message.find('\n') != std::string::npos)
      std::abort();
  }
  return 0;
}
