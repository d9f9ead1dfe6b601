// Finds the chat template in a model's folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace nstf {

struct ChatTemplateFile {
  std::string place; ///< for messages: the file, or the key in a file
  std::string text;
};

/// Returns the first of chat_template.jinja, the key `chat_template` of tokenizer_config.json and that of
/// chat_template.json; of several named templates the one called "default". Returns nothing if the folder has none.
/// Throws std::runtime_error that names file and key.
std::optional<ChatTemplateFile> findChatTemplate(const std::filesystem::path &folder);

} // namespace nstf
