// JSON as a tree: equal to nlohmann::json's, except that duplicate keys are errors; and in time linear in the text.
#include "support/Json.h"
#include "support/InputError.h"

#include <chrono>
#include <gmock/gmock.h>

using namespace nstf::support;
using testing::StartsWith;
using testing::ThrowsMessage;

namespace {

TEST(JsonTree, IsTheTreeOfTheText) {
  for (const char *text : {"7", "null", "{}", "[]", R"("text")", R"([[1, {"b": []}, -5], null, true, 2.5, "a"])",
                           R"({"a": {"x": 1, "y": {"a": 2}}, "b": [{"a": 1}, {"a": 2}], "": {}})"})
    EXPECT_EQ(parseJson(text, "f"), nlohmann::json::parse(text)) << text;
}

TEST(JsonTree, SyntaxErrorsSayWhere) {
  EXPECT_THAT([] { parseJson("{\n\"a\": }", "f"); },
              ThrowsMessage<InputError>(StartsWith("f:2:6: expected JSON but got this: syntax error")));
  for (const char *text : {"", "[1, 2", "[1] 2", "\"a", "1e400", "\"\xff\""})
    EXPECT_THROW(parseJson(text, "f"), InputError) << text;
}

TEST(JsonTree, NoKeyTwice) {
  for (const char *text : {R"({"k": 1, "k": 1})", R"([{"a": {"k": {}, "b": [], "k": {}}}])"})
    EXPECT_THAT([&] { parseJson(text, "f"); },
                ThrowsMessage<InputError>("f: expected each key once in an object but got 'k' again"))
        << text;
}

/// Like a checkpoint's header and a tokenizer's added tokens: 100,000 objects in one object or list.
TEST(JsonTree, ManyMembersTakeNoLongerEach) {
  std::string members = "{", elements = "[";
  for (int i = 0; i < 100'000; ++i) {
    std::string separator = i ? "," : "", number = std::to_string(i);
    members += separator + "\"tensor" + number + R"(":{"dtype":"F32","shape":[4,4],"data_offsets":[0,64]})";
    elements += separator + R"({"id":)" + number + R"(,"content":"<)" + number + R"(>","special":false})";
  }
  for (const std::string &text : {members + "}", elements + "]"}) {
    auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(parseJson(text, "f").size(), 100'000u);
    // 0.3 s on an idle core, or a minute if each member examines all previous ones.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  }
}

} // namespace
