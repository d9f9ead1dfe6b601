// What nstf-run does with a package. Each prints its results to standard output, and times to standard error.
#pragma once

#include "tools/nstf-run/Options.h"

/// Prompts in, tokens out.
void generateTexts(nstf::runtime::Session &session, const Options &options, const std::vector<TextRequest> &requests,
                   const nstf::runtime::Tokenizer *tokenizer);
/// Texts in, hidden states or embeddings out.
void encodeTexts(nstf::runtime::Session &session, const Options &options, const std::vector<TextRequest> &requests,
                 const nstf::runtime::Tokenizer *tokenizer);
/// Named tensors in, named tensors out, one step.
void runTensors(nstf::runtime::Session &session, const Options &options);
