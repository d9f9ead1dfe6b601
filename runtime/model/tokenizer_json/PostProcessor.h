// The "post_processor" of tokenizer.json.
//
// What a model wants around a text: [CLS] … [SEP], a beginning of text. Types: TemplateProcessing, BertProcessing,
// RobertaProcessing, ByteLevel (which has a say about offsets only), Sequence. Single texts, no pairs.
#pragma once

#include "nstf/Tokenizer.h"
#include "support/JsonCursor.h"

#include <functional>

namespace nstf::runtime {

/// Adds its tokens to a text's.
using PostProcessor = std::function<TokenSequence(TokenSequence)>;

/// Reads one; ids must be below `size`. Throws std::runtime_error at the place that is wrong.
PostProcessor readPostProcessor(const support::JsonCursor &json, int32_t size, int depth = 0);

} // namespace nstf::runtime
