// What nstf-run does with a package. Each prints its results to standard output, and times to standard error.
#pragma once

#include "tools/nstf-run/Options.h"

/// A prompt in, tokens out.
void generateText(nstf::runtime::Session &session, const Options &options, const nstf::runtime::Tokenizer *tokenizer);
/// A text in, hidden states or an embedding out.
void encodeText(nstf::runtime::Session &session, const Options &options, const nstf::runtime::Tokenizer *tokenizer);
/// Named tensors in, named tensors out, one step.
void runTensors(nstf::runtime::Session &session, const Options &options);
