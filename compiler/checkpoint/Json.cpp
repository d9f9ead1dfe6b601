// JSON read strictly.

#include "compiler/checkpoint/Json.h"

#include "compiler/checkpoint/ImportError.h"
#include "support/Escape.h"
#include "support/Json.h"

using namespace nstf;
using nlohmann::json;

json nstf::parseJson(std::string_view text, const std::string &file) {
  try {
    return parseJsonTree(text);
  } catch (const JsonDuplicateKey &error) {
    throw ImportError("'" + file + "': the key '" + support::escape(error.key) + "' appears twice in one object");
  } catch (const JsonExcess &error) {
    throw ImportError("'" + file + "': " + error.what());
  } catch (const JsonSyntaxError &error) {
    throw ImportError("'" + file + "' is not JSON: " + error.what());
  }
}

std::string nstf::describe(const json &value) {
  return support::escape(value.dump(-1, ' ', false, json::error_handler_t::replace), 60);
}
