#include "tools/nstf-run/Output.h"

#include <cstring>
#include <stdexcept>

using namespace nstf::runtime;

TokenSequence promptOf(const Options &options, const Package &package, const Tokenizer *tokenizer) {
  if (!options.prompt)
    return {options.ids, {}};
  if (!tokenizer)
    throw std::runtime_error(package.folder().string() +
                             ": the package has no tokenizer: give one with --tokenizer, or token ids with --ids");
  return tokenizer->encodePrompt(*options.prompt, package.manifest().model.bos, options.truncate);
}

void finishOutput() {
  std::cout.flush();
  if (!std::cout)
    throw std::runtime_error("cannot write to standard output: " + std::string(std::strerror(errno)));
}
