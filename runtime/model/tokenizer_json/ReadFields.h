// Reads fields that several parts of tokenizer.json share.
#pragma once

#include "runtime/model/tokenizer_json/Pattern.h"
#include "support/JsonCursor.h"

namespace nstf::runtime {

/// A boolean that may be absent or null.
bool readFlag(const support::JsonCursor &json, const char *key, bool absent);
/// A string that may be absent or null.
std::string readText(const support::JsonCursor &json, const char *key);
/// A string of one character.
char32_t readCharacter(const support::JsonCursor &value);
/// {"String": "…"} or {"Regex": "…"}.
Pattern readPattern(const support::JsonCursor &value);
/// A token's id. Ids above maxTokenId are refused.
int32_t readId(const support::JsonCursor &value);
/// The largest id that a file may name: vocabularies larger than 2^24 are refused everywhere.
inline constexpr int32_t maxTokenId = (1 << 24) - 1;

} // namespace nstf::runtime
