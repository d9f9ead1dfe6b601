// The side files of a tokenizer's file in a Hugging Face folder.
//
// tokenizer_config.json has settings, special tokens by role ("bos_token") and, since 2023, all tokens that were added
// to the model's own ("added_tokens_decoder"). If it lacks the latter, special_tokens_map.json takes precedence over
// its special tokens, and added_tokens.json has the added tokens. A value is read and checked only when it is used.
#pragma once

#include "nstf/Tokenizer.h"
#include "runtime/model/tokenizer_json/AddedToken.h"

namespace nstf::runtime {

/// A token as a file names it.
struct NamedToken {
  AddedToken token;
  bool isPlain = false; // a string, without flags
  std::string place;    // for messages
};

/// The roles in transformers' order.
inline constexpr const char *specialTokenRoles[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                                    "pad_token", "cls_token", "mask_token"};

class TokenizerConfig {
public:
  /// Throws std::runtime_error when a file is not a JSON object.
  explicit TokenizerConfig(const TokenizerSideFiles &files);

  /// A setting of tokenizer_config.json; nothing if it is absent or null.
  std::optional<bool> flag(const char *key) const;
  std::optional<std::string> text(const char *key) const;
  /// The place of the setting, for messages; empty if it is absent, null, false or an empty object.
  std::string getPlace(const char *key) const;

  /// Whether the files mention a special token's role, such as "bos_token"; its value may be null.
  bool mentions(const char *role) const;
  /// The token of a role; nothing if the role is not mentioned or null.
  std::optional<NamedToken> special(const char *role) const;
  /// Special tokens without such a role: "additional_special_tokens", then "extra_special_tokens".
  std::vector<NamedToken> otherSpecials() const;

  /// Whether there is an "added_tokens_decoder".
  bool hasDecoder() const;
  /// The added tokens, by id. Throws std::runtime_error when two have the same id.
  std::map<int32_t, NamedToken> added() const;
  /// The place of a token of added_tokens.json that is missing from "added_tokens_decoder", or empty. Such tokens are
  /// ignored.
  std::string placeOfUnread() const;

private:
  struct Document {
    std::string file;
    nlohmann::json json = nlohmann::json::object();
    support::JsonCursor root() const { return {json, file}; }
  };
  static Document read(const std::filesystem::path &path);
  std::map<int32_t, NamedToken> addedByName() const;
  /// The value of a special token's key, from the file that takes precedence.
  std::optional<support::JsonCursor> find(const char *key) const;

  Document config, specialTokens, addedTokens;
};

} // namespace nstf::runtime
