#include "runtime/emulator/run/LaunchOptions.h"
#include "support/Escape.h"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace nstf::emulator {
namespace {

std::string variable(const char *name) {
  const char *text = std::getenv(name);
  return text ? text : "";
}

unsigned readThreads(const std::string &text) {
  char *end;
  long value = std::strtol(text.c_str(), &end, 10);
  if (*end || value < 1 || value > 1024)
    throw std::runtime_error("NSTF_EMU_THREADS: expected a number from 1 to 1024 but got '" + support::escape(text) +
                             "'");
  return unsigned(value);
}

uint64_t readSeed(const std::string &text) {
  uint64_t seed;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("NSTF_EMU_SHUFFLE: expected a seed, a whole number, but got '" + support::escape(text) +
                             "'");
  return seed;
}

double readTimeout(const std::string &text) {
  char *end;
  double seconds = std::strtod(text.c_str(), &end);
  if (*end || !(seconds > 0) || seconds > 1e6)
    throw std::runtime_error("NSTF_EMU_TIMEOUT: expected seconds, more than 0 and up to 1000000, but got '" + text +
                             "'");
  return seconds;
}

} // namespace

MatrixMode parseMatrixMode(const std::string &text, const std::string &where) {
  if (text == "fast")
    return MatrixMode::Fast;
  if (text == "exact")
    return MatrixMode::Exact;
  throw std::runtime_error(where + ": expected 'fast' or 'exact' but got '" + support::escape(text) + "'");
}

LaunchOptions LaunchOptions::fromEnvironment() {
  LaunchOptions options;
  if (std::string text = variable("NSTF_EMU_THREADS"); !text.empty())
    options.threads = readThreads(text);
  if (std::string text = variable("NSTF_EMU_SHUFFLE"); !text.empty())
    options.shuffle = readSeed(text);
  if (std::string text = variable("NSTF_EMU_TIMEOUT"); !text.empty())
    options.timeout = std::chrono::duration<double>(readTimeout(text));
  if (std::string text = variable("NSTF_EMU_MATRIX"); !text.empty())
    options.matrix = parseMatrixMode(text, "NSTF_EMU_MATRIX");
  return options;
}

} // namespace nstf::emulator
