// Fields that several parts of tokenizer.json share.
#pragma once

#include "runtime/model/JsonCursor.h"
#include "runtime/model/tokenizer_json/Pattern.h"

namespace nstf::runtime {

/// A boolean that may be absent or null.
bool readFlag(const JsonCursor &json, const char *key, bool absent);
/// A string that may be absent or null.
std::string readText(const JsonCursor &json, const char *key);
/// A string of one character.
char32_t readCharacter(const JsonCursor &value);
/// {"String": "…"} or {"Regex": "…"}.
Pattern readPattern(const JsonCursor &value);
/// A token's id. Ids beyond any model's vocabulary are refused.
int32_t readId(const JsonCursor &value);
/// The largest id a file may name: larger vocabularies than 2^24 are refused everywhere.
inline constexpr int32_t maxTokenId = (1 << 24) - 1;

} // namespace nstf::runtime
