//===- Json.cpp - JSON read strictly --------------------------------------------------===//

#include "compiler/import/Json.h"

#include "compiler/import/ImportError.h"

#include <set>
#include <vector>

using namespace nstf;
using nlohmann::json;

json nstf::parseJson(std::string_view text, const std::string &file) {
  std::vector<std::set<std::string>> keys;
  auto check = [&](int, json::parse_event_t event, json &value) {
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw ImportError("'" + file + "': the key '" + value.get<std::string>() + "' appears twice in one object");
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), check);
  } catch (const json::exception &error) {
    // what(): "[json.exception.parse_error.101] parse error at line 1, …"; also out_of_range for a number like 1e400
    std::string reason = error.what();
    if (size_t bracket = reason.find("] "); bracket != std::string::npos)
      reason = reason.substr(bracket + 2);
    throw ImportError("'" + file + "' is not JSON: " + reason);
  }
}

std::string nstf::describe(const json &value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}
