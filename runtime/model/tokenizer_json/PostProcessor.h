// The "post_processor" of tokenizer.json.
//
// Adds the tokens that a model expects around a text: [CLS] … [SEP], a beginning of text. Types: TemplateProcessing,
// BertProcessing, RobertaProcessing, ByteLevel (which affects only offsets), Sequence. Only single texts are supported,
// no pairs.
#pragma once

#include "nstf/Tokenizer.h"
#include "support/JsonCursor.h"

#include <functional>

namespace nstf::runtime {

/// Adds its tokens to those of a text.
using PostProcessor = std::function<TokenSequence(TokenSequence)>;

/// Reads a post-processor; ids must be below `size`. Throws std::runtime_error at the place of an error.
PostProcessor readPostProcessor(const support::JsonCursor &json, int32_t size, int depth = 0);

} // namespace nstf::runtime
