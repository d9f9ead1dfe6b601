#include "compiler/driver/ChatTemplateFile.h"

#include "support/JsonCursor.h"
#include "support/MappedFile.h"

namespace nstf {

namespace fs = std::filesystem;

/// Reads a text, or a list of {"name": …, "template": …}.
static ChatTemplateFile readTemplate(const support::JsonCursor &value) {
  if (!value.isArray())
    return {value.place(), value.string()};
  for (const support::JsonCursor &item : value.elements())
    if (item["name"].string() == "default")
      return {item["template"].place(), item["template"].string()};
  value.fail("expected a template with the name \"default\" but there is none");
}

std::optional<ChatTemplateFile> findChatTemplate(const fs::path &folder) {
  if (fs::path file = folder / "chat_template.jinja"; fs::exists(file))
    return ChatTemplateFile{file.string(), support::readTextFile(file.string())};
  for (const char *name : {"tokenizer_config.json", "chat_template.json"}) {
    const std::string file = (folder / name).string();
    if (!fs::exists(file))
      continue;
    const nlohmann::json document = support::parseJson(support::readTextFile(file), file);
    const support::JsonCursor root(document, file);
    root.members(); // throws if the root is not an object
    if (auto found = root.find("chat_template"); found && !found->isNull())
      return readTemplate(*found);
  }
  return std::nullopt;
}

} // namespace nstf
