// nstf-run's commands. Each prints its results to standard output, and times to standard error.
#pragma once

#include "nstf/Conversation.h"
#include "tools/nstf-run/Options.h"

/// Continues prompts with a language model.
void generateTexts(nstf::runtime::Session &session, const Options &options, const std::vector<TextRequest> &requests,
                   const nstf::runtime::Tokenizer *tokenizer);
/// Answers messages until the input ends or Ctrl-C comes. Returns the exit status.
int runChat(nstf::runtime::Session &session, const Options &options, const TextRequest &request,
            nstf::runtime::Conversation &conversation, const nstf::runtime::Tokenizer &tokenizer);
/// Computes hidden states or embeddings of texts.
void encodeTexts(nstf::runtime::Session &session, const Options &options, const std::vector<TextRequest> &requests,
                 const nstf::runtime::Tokenizer *tokenizer);
/// Runs one step on named input tensors and stores named output tensors.
void runTensors(nstf::runtime::Session &session, const Options &options);

/// The texts of --perplexity as token ids.
using PerplexityTexts = std::vector<std::vector<int32_t>>;
PerplexityTexts readPerplexityTexts(const Options &options, const nstf::runtime::Package &package);
/// Prints the model's perplexity on the texts.
void printPerplexity(nstf::runtime::Session &session, const Options &options, const PerplexityTexts &texts);
/// Prints the speed of prompts and of decoding.
void runBench(nstf::runtime::Session &session, const Options &options);
