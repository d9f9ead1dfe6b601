#include "support/Json.h"
#include "support/Escape.h"
#include "support/TextLimits.h"

#include <vector>

using nlohmann::json;

namespace {

/// Builds the tree from the parser's events. The parser's own callbacks would do, but for each object that ends it
/// searches all members of the one around it.
class TreeBuilder : public nlohmann::json_sax<json> {
public:
  explicit TreeBuilder(json &root) : place(&root) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t &) override { return put(value); }
  bool string(string_t &value) override { return put(std::move(value)); }
  bool binary(binary_t &value) override { return put(std::move(value)); }

  bool start_object(std::size_t) override { return open(json::value_t::object); }
  bool start_array(std::size_t) override { return open(json::value_t::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t &name) override {
    auto [member, isNew] = opened.back()->get_ref<json::object_t &>().try_emplace(name);
    if (!isNew)
      throw nstf::JsonDuplicateKey(name);
    place = &member->second;
    return true;
  }

  bool parse_error(std::size_t, const std::string &, const json::exception &error) override {
    // what(): "[json.exception.parse_error.101] parse error at line 1, …"; also out_of_range for a number like 1e400
    std::string reason = error.what();
    if (std::size_t bracket = reason.find("] "); bracket != std::string::npos)
      reason.erase(0, bracket + 2);
    throw nstf::JsonSyntaxError(nstf::support::escape(reason, 400));
  }

private:
  /// Where the next value goes.
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

  json *place; // of the root, and of the member whose key was read last
  std::vector<json *> opened;
};

} // namespace

json nstf::parseJsonTree(std::string_view text) {
  if (std::optional<std::string> excess = support::findJsonExcess(text))
    throw JsonExcess(*excess);
  json root;
  TreeBuilder builder(root);
  json::sax_parse(text.begin(), text.end(), &builder);
  return root;
}
