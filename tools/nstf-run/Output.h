// What the commands of nstf-run have alike: prompts as ids, and results on standard output.
#pragma once

#include "nstf/Session.h"
#include "runtime/model/RunClock.h"
#include "tools/nstf-run/TextRequest.h"

#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

/// The ids of each request, given or made of its prompt, in order. `truncate`: see Tokenizer::encodePrompt.
std::vector<nstf::runtime::TokenSequence> encodeRequests(const std::vector<TextRequest> &requests,
                                                         const nstf::runtime::Package &package,
                                                         const nstf::runtime::Tokenizer *tokenizer,
                                                         std::size_t truncate);

/// Calls `function(i)` for each of `count` prompts; an error says which one it is of, where there are several.
void forEachPrompt(std::size_t count, const std::function<void(std::size_t)> &function);

/// Prints them on one line.
void printNumbers(const auto &numbers) {
  const char *separator = "";
  for (auto number : numbers) {
    std::cout << separator << number;
    separator = " ";
  }
  std::cout << '\n';
}

/// What the chip of --timing would take, on standard error and as JSON; nothing where no time is predicted.
void printPredicted(const nstf::runtime::RunTime &time);
void addPredicted(nlohmann::ordered_json &result, const char *key, const nstf::runtime::RunTime &time);

/// A result of --json as it begins: what ran, and where (run.schema.json).
nlohmann::ordered_json beginResult(const char *kind, const nstf::runtime::Session &session);
/// Prints it on one line. Texts that are no UTF-8, as paths may be, get U+FFFD.
void printResult(const nlohmann::ordered_json &result);
