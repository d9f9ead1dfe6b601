// Damages a manifest in every way that a careless edit might.
//
// Deletes every member and element of a document, replaces it by each of a list of odd values, and changes numbers
// slightly, one change at a time.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace nstf::test {

/// Called with the edited document and a description of the edit.
using EditVisitor = std::function<void(const nlohmann::json &document, const std::string &edit)>;

inline void forEachEdit(const nlohmann::json &document, const EditVisitor &visit,
                        const nlohmann::json::json_pointer &place = nlohmann::json::json_pointer()) {
  using nlohmann::json;
  const json &value = document[place];
  if (!place.empty()) {
    visit(document.patch({{{"op", "remove"}, {"path", place.to_string()}}}), "without " + place.to_string());
    static const std::vector<json> odd = {nullptr,
                                          true,
                                          -1,
                                          0,
                                          1,
                                          2,
                                          3,
                                          5,
                                          7,
                                          31,
                                          33,
                                          63,
                                          65,
                                          255,
                                          256,
                                          257,
                                          1024,
                                          1025,
                                          65536,
                                          2147483647,
                                          2147483648u,
                                          4294967295u,
                                          281474976710656u,
                                          9223372036854775807,
                                          9223372036854775808u,
                                          18446744073709551615u,
                                          0.5,
                                          1e30,
                                          "",
                                          "x",
                                          "tokens",
                                          "f16",
                                          "i32",
                                          "arena",
                                          "state",
                                          "output",
                                          "weights",
                                          "..",
                                          "/",
                                          std::string(1, '\0'),
                                          json::array(),
                                          json::object(),
                                          json::array({1, 2, 3}),
                                          json::array({"tokens", "tokens"}),
                                          json::array({nullptr}),
                                          std::string(1000, 'y')};
    for (const json &replacement : odd) {
      json with = document;
      with[place] = replacement;
      visit(with, place.to_string() + " = " + replacement.dump().substr(0, 40));
    }
    if (value.is_number_unsigned())
      for (int64_t difference : {-1, 1, 4, 8}) {
        json with = document;
        with[place] = value.get<int64_t>() + difference;
        visit(with, place.to_string() + " changed by " + std::to_string(difference));
      }
  }
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      forEachEdit(document, visit, place / i);
    if (!value.empty()) {
      json with = document;
      with[place].push_back(value.back());
      visit(with, place.to_string() + " with a repeated element");
    }
  }
  if (value.is_object())
    for (const auto &[key, member] : value.items())
      forEachEdit(document, visit, place / key);
}

} // namespace nstf::test
