#include "support/Json.h"
#include "support/Escape.h"
#include "support/InputError.h"
#include "support/TextLimits.h"

#include <algorithm>
#include <vector>

using nlohmann::json;

namespace nstf::support {

namespace {

/// Builds the tree from the parser's events. The parser's own callbacks are not used because they search all members of
/// the enclosing object at the end of each object.
class TreeBuilder : public nlohmann::json_sax<json> {
public:
  TreeBuilder(json &root, std::string_view text, Place file) : place(&root), text(text), file(std::move(file)) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t &) override { return put(value); }
  bool string(string_t &value) override { return put(std::move(value)); }
  bool binary(binary_t &value) override { return put(std::move(value)); }

  bool start_object(size_t) override { return open(json::value_t::object); }
  bool start_array(size_t) override { return open(json::value_t::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t &name) override {
    auto [member, isNew] = opened.back()->get_ref<json::object_t &>().try_emplace(name);
    if (!isNew)
      file.error("expected each key once in an object but got '" + escape(name) + "' again");
    place = &member->second;
    return true;
  }

  bool parse_error(size_t position, const std::string &, const json::exception &error) override {
    // what(): "[json.exception.parse_error.101] parse error at line 1, column 7: syntax error …"; also out_of_range for
    // a number like 1e400
    std::string reason = error.what();
    if (size_t bracket = reason.find("] "); bracket != std::string::npos)
      reason.erase(0, bracket + 2);
    if (size_t colon = reason.find(": "); reason.starts_with("parse error at ") && colon != std::string::npos)
      reason.erase(0, colon + 2);
    const std::string_view before = text.substr(0, std::max<size_t>(position, 1) - 1);
    Place where = file;
    where.line = std::max(file.line, 1) + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    where.column = static_cast<int>(before.size() - (before.rfind('\n') + 1)) + 1; // npos + 1 is 0
    where.error("expected JSON but got this: " + escape(reason));
  }

private:
  /// Returns the location for the next value.
  json &next() {
    if (opened.empty() || opened.back()->is_object())
      return *place;
    return opened.back()->get_ref<json::array_t &>().emplace_back();
  }

  template <typename Value> bool put(Value &&value) {
    next() = std::forward<Value>(value);
    return true;
  }

  bool open(json::value_t kind) {
    json &value = next();
    value = kind;
    opened.push_back(&value);
    return true;
  }

  bool close() {
    opened.pop_back();
    return true;
  }

  json *place; // of the root, or of the member whose key was read last
  std::vector<json *> opened;
  std::string_view text;
  Place file; // has a line number if the text is one line of the file
};

} // namespace

json parseJson(std::string_view text, const std::string &file, int line) {
  const Place place = Place::of(file, line, line ? 1 : 0);
  if (std::optional<std::string> excess = findJsonExcess(text))
    place.error(*excess);
  json root;
  TreeBuilder builder(root, text, place);
  json::sax_parse(text.begin(), text.end(), &builder);
  return root;
}

std::string describeJson(const json &value, size_t limit) {
  return escape(value.dump(-1, ' ', false, json::error_handler_t::replace), limit);
}

} // namespace nstf::support
