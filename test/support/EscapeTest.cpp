// How a file's contents appear in messages.
#include "support/Escape.h"

#include <gtest/gtest.h>

using namespace nstf::support;

TEST(Escape, TextStaysAsItIs) {
  EXPECT_EQ(escape(""), "");
  EXPECT_EQ(escape("model.layers.0 'x' \\d+ \"größer\" 模型 🙂"), "model.layers.0 'x' \\d+ \"größer\" 模型 🙂");
}

TEST(Escape, ControlCharacters) {
  EXPECT_EQ(escape("a\nb\rc\td"), "a\\nb\\rc\\td");
  EXPECT_EQ(escape("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(escape(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(escape("\u0085\u009b"), "\\u0085\\u009b") << "C1: a terminal takes U+009B for ESC [";
  EXPECT_EQ(escape("a\u2028b\u202ec\u2066"), "a\\u2028b\\u202ec\\u2066") << "line separators, turned direction";
  EXPECT_EQ(escape("\u00a0"), "\u00a0");
}

TEST(Escape, BytesThatAreNoText) {
  EXPECT_EQ(escape("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(escape("\x9b"
                   "31m"),
            "\\x9b31m");
  EXPECT_EQ(escape("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(escape("\xc0\xaf"), "\\xc0\\xaf") << "an overlong form";
  EXPECT_EQ(escape("cut \xe2\x82"), "cut \\xe2\\x82");
}

TEST(Escape, CutsAt200Characters) {
  EXPECT_EQ(escape(std::string(200, 'x')), std::string(200, 'x'));
  EXPECT_EQ(escape(std::string(201, 'x')), std::string(200, 'x') + "…");
  std::string many, umlauts;
  for (int i = 0; i < 300; ++i)
    many += "\x1b", umlauts += "ü";
  EXPECT_EQ(escape(many).size(), 200 + std::string("…").size());
  EXPECT_EQ(escape(umlauts), umlauts.substr(0, 400) + "…");
  EXPECT_EQ(escape("abcdef", 3), "abc…");
  EXPECT_EQ(escape(std::string(199, 'x') + "\n"), std::string(199, 'x') + "…") << "no half of an escape";
}

TEST(Escape, EscapedTextStaysAsItIs) {
  for (std::string text : {std::string("\x1b[31m\n\xff\u009b"), std::string(300, '\n'), std::string(300, 'x'),
                           std::string(199, 'x') + "\x1b"})
    EXPECT_EQ(escape(escape(text)), escape(text));
}
