// The chat template of a model's folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace nstf {

struct ChatTemplateFile {
  std::string place; ///< as messages name it: the file, or the key of a file
  std::string text;
};

/// The first of chat_template.jinja, the key `chat_template` of tokenizer_config.json and that of chat_template.json;
/// of several by name the one called "default". Nothing where a folder has none. Throws std::runtime_error that names
/// file and key.
std::optional<ChatTemplateFile> findChatTemplate(const std::filesystem::path &folder);

} // namespace nstf
