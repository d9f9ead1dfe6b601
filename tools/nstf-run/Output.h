// Shared by nstf-run's commands: prompts as ids, and results on standard output.
#pragma once

#include "nstf/Session.h"
#include "runtime/model/RunClock.h"
#include "tools/nstf-run/TextRequest.h"

#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

/// The ids of each request in order, either given or tokenized from its prompt. `truncate`: see
/// Tokenizer::encodePrompt.
std::vector<nstf::runtime::TokenSequence> encodeRequests(const std::vector<TextRequest> &requests,
                                                         const nstf::runtime::Package &package,
                                                         const nstf::runtime::Tokenizer *tokenizer,
                                                         std::size_t truncate);

/// Calls `function(i)` for each of `count` prompts. If there are several, an error says which prompt it concerns.
void forEachPrompt(std::size_t count, const std::function<void(std::size_t)> &function);

/// Prints the numbers on one line.
void printNumbers(const auto &numbers) {
  const char *separator = "";
  for (auto number : numbers) {
    std::cout << separator << number;
    separator = " ";
  }
  std::cout << '\n';
}

/// The predicted times of the chip of --timing, on standard error and as JSON; nothing if no time is predicted.
void printPredicted(const nstf::runtime::RunTime &time);
void addPredicted(nlohmann::ordered_json &result, const char *key, const nstf::runtime::RunTime &time);

/// The beginning of a --json result: kind, package and device (run.schema.json).
nlohmann::ordered_json beginResult(const char *kind, const nstf::runtime::Session &session);
/// Prints a result on one line. Bytes that are not UTF-8, which paths may contain, become U+FFFD.
void printResult(const nlohmann::ordered_json &result);
