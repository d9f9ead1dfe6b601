//===- Options.h - nstf-run's command line --------------------------------------------===//
#pragma once

#include "nstf/Generate.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

struct Options {
  std::string package;
  nstf::runtime::SessionOptions session;
  // Text: a prompt or ids.
  std::optional<std::string> prompt;
  std::vector<std::int32_t> ids;
  std::size_t truncate = nstf::runtime::Tokenizer::noLimit;
  std::int64_t tokens = 0, chunk = 0;
  nstf::runtime::SamplerOptions sampling;
  bool ignoreEos = false, printIds = false;
  std::string logitsFile, tokenizerFile;
  // Encoders.
  bool embed = false;
  std::vector<std::int32_t> tokenTypes;
  bool encodes() const { return embed || !tokenTypes.empty(); }
  // Tensors: {name, file}.
  std::vector<std::pair<std::string, std::string>> inputs, outputs;
};

/// Fills `options`; returns an exit status when the program is to end here (--help, or a message has been printed).
std::optional<int> parseOptions(int argc, char **argv, Options &options);
