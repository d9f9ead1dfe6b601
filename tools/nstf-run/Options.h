// nstf-run's command line.
#pragma once

#include "nstf/Conversation.h"
#include "nstf/Session.h"
#include "tools/nstf-run/TextRequest.h"

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

enum class Task { Text, Chat, Tensors, Perplexity, Bench, Info };

struct Options {
  std::string package;
  nstf::runtime::SessionOptions session;
  Task task = Task::Text;
  bool json = false, quiet = false;

  // Text: one request, or a file of requests, for which this one gives the defaults.
  TextRequest request;
  std::string promptFile, promptsFile, tokenizerFile;
  std::size_t truncate = nstf::runtime::Tokenizer::noLimit;
  int64_t chunk = 0; // the most prompt tokens per step; 0: the package's maximum
  int64_t batch = 1; // prompts that run at once
  bool printIds = false;
  bool modelSampling = false;
  std::string logitsFile;

  // Conversations.
  nstf::runtime::ConversationOptions conversation;

  // Encoders.
  bool embed = false;
  std::vector<int32_t> tokenTypes;
  /// Whether a text is the input but not the output.
  bool encodes() const { return task == Task::Text && (embed || !tokenTypes.empty() || !outputs.empty()); }

  // Tensors: {name, file}.
  std::vector<std::pair<std::string, std::string>> inputs, outputs;

  // Measurements.
  std::string perplexityFile, rows;
  std::string against; ///< another package
  int64_t window = 0, stride = 0, from = 1;
  std::vector<int32_t> benchPrompts, benchTokens, benchDepths;
  int64_t repetitions = 5, benchBatch = 1;
};

// Add the options, group by group.
void addTextOptions(CLI::App &app, Options &options);
void addChatOptions(CLI::App &app, Options &options);
void addSamplingOptions(CLI::App &app, Options &options);
void addMeasuringOptions(CLI::App &app, Options &options);

/// Fills `options`. Returns an exit status if the program is to end here (--help, or an error that has been printed).
std::optional<int> parseOptions(int argc, char **argv, Options &options);
