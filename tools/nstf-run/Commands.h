// What nstf-run does with a package. Each prints its results to standard output, and times to standard error.
#pragma once

#include "nstf/Conversation.h"
#include "tools/nstf-run/Options.h"

/// Prompts in, tokens out.
void generateTexts(nstf::runtime::Session &session, const Options &options, const std::vector<TextRequest> &requests,
                   const nstf::runtime::Tokenizer *tokenizer);
/// Messages in, answers out, until there are no more or Ctrl-C comes; the exit status.
int runChat(nstf::runtime::Session &session, const Options &options, const TextRequest &request,
            nstf::runtime::Conversation &conversation, const nstf::runtime::Tokenizer &tokenizer);
/// Texts in, hidden states or embeddings out.
void encodeTexts(nstf::runtime::Session &session, const Options &options, const std::vector<TextRequest> &requests,
                 const nstf::runtime::Tokenizer *tokenizer);
/// Named tensors in, named tensors out, one step.
void runTensors(nstf::runtime::Session &session, const Options &options);

/// The texts of --perplexity as token ids.
using PerplexityTexts = std::vector<std::vector<int32_t>>;
PerplexityTexts readPerplexityTexts(const Options &options, const nstf::runtime::Package &package);
/// How well the model foretells them.
void printPerplexity(nstf::runtime::Session &session, const Options &options, const PerplexityTexts &texts);
/// How fast prompts and decoding are.
void runBench(nstf::runtime::Session &session, const Options &options);
