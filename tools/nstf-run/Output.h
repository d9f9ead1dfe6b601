// What the commands of nstf-run have alike: the prompt, and numbers on standard output.
#pragma once

#include "tools/nstf-run/Options.h"

#include <iostream>

/// The ids given, or those of the prompt.
nstf::runtime::TokenSequence promptOf(const Options &options, const nstf::runtime::Package &package,
                                      const nstf::runtime::Tokenizer *tokenizer);

/// Prints them on one line.
void printNumbers(const auto &numbers) {
  const char *separator = "";
  for (auto number : numbers) {
    std::cout << separator << number;
    separator = " ";
  }
  std::cout << '\n';
}

/// Throws std::runtime_error where standard output did not take everything.
void finishOutput();
