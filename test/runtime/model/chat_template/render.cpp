// Answers rendering requests on standard input, one JSON object per line, for the comparison with jinja2 (compare.py).
//   {"template": "…", "messages": […], "tools": […], "variables": {…}, "add_generation_prompt": true}
//   →  {"text": "…"}, {"refused": "…"} or {"error": "…"}
// strftime_now is fixed at 2024-07-06 09:05:03.
#include "nstf/ChatTemplate.h"

#include <iostream>
#include <map>

using nlohmann::ordered_json;
using namespace nstf::runtime;

static std::tm fixedTime() {
  std::tm time = {};
  time.tm_year = 124;
  time.tm_mon = 6;
  time.tm_mday = 6;
  time.tm_hour = 9;
  time.tm_min = 5;
  time.tm_sec = 3;
  time.tm_wday = 6;
  time.tm_yday = 187;
  return time;
}

static ordered_json answer(const ordered_json &request) {
  static std::map<std::string, ChatTemplate> templates;
  const std::string text = request["template"];
  auto found = templates.find(text);
  if (found == templates.end())
    found = templates.emplace(text, ChatTemplate::parse(text, "template")).first;
  ChatOptions options;
  options.clock = fixedTime;
  options.addGenerationPrompt = request.value("add_generation_prompt", false);
  options.tools = request.value("tools", ordered_json(nullptr));
  options.variables = request.value("variables", ordered_json::object());
  return {{"text", found->second.render(request.value("messages", ordered_json::array()), options)}};
}

int main() {
  try {
    for (std::string line; std::getline(std::cin, line);) {
      ordered_json result;
      try {
        result = answer(ordered_json::parse(line));
      } catch (const ChatRefusal &refusal) {
        result = {{"refused", refusal.message}};
      } catch (const std::runtime_error &error) {
        result = {{"error", error.what()}};
      }
      std::cout << result.dump() << '\n';
    }
  } catch (const std::exception &error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
