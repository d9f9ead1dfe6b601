// Texts in pieces (host calls) and in records (buffered printf).
#include "test/runtime/emulator/services/Printed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::services;
using test::getWords;
using testing::HasSubstr;

namespace {

constexpr uint64_t begin = 1, end = 2;

struct Messages {
  PrintfMessages messages;
  std::string text, errors, refused;

  /// A lane's piece; returns the answer.
  uint64_t add(uint64_t descriptor, const std::vector<uint64_t> &words) {
    std::array<uint64_t, slotWords> slot = {descriptor | words.size() << 5};
    std::ranges::copy(words, slot.begin() + 1);
    messages.add(
        slot, [&](const std::string &some, bool isError) { (isError ? errors : text) += some; },
        [&](const std::string &why) { refused += why + ";"; });
    return slot[0];
  }
  std::string damage(uint64_t descriptor) {
    try {
      add(descriptor, {});
    } catch (const ServiceError &error) {
      return error.what();
    }
    return "";
  }
  /// A whole printf, in pieces of `size` words.
  uint64_t print(const std::vector<uint64_t> &words, size_t size) {
    uint64_t descriptor = begin;
    for (size_t at = 0; at < words.size(); at += size) {
      const auto from = words.begin() + std::ptrdiff_t(at), to = std::min(from + std::ptrdiff_t(size), words.end());
      descriptor = add((descriptor & ~uint64_t(0xe0)) | (to == words.end() ? end : 0), {from, to});
    }
    return descriptor;
  }
};

std::vector<uint64_t> message(uint64_t stream, const std::string &format, const std::vector<uint64_t> &arguments = {}) {
  std::vector<uint64_t> words{stream};
  for (const std::vector<uint64_t> &more : {getWords(format), arguments})
    words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(PrintfMessagesTest, PiecesOfAnySizeAndInterleaved) {
  for (size_t size = 1; size <= 7; ++size) {
    Messages messages;
    EXPECT_EQ(messages.print(message(0, "a longer text than a piece: %d %s\n", {7, getWords("end")[0]}), size), 34u);
    EXPECT_EQ(messages.text, "a longer text than a piece: 7 end\n");
  }
  Messages messages;
  const uint64_t one = messages.add(begin, {0}), other = messages.add(begin, {1});
  EXPECT_NE(one >> 8, other >> 8);
  EXPECT_EQ(messages.add(other | end, getWords("other")), 5u);
  EXPECT_EQ(messages.add(one | end, getWords("one")), 3u);
  EXPECT_EQ(messages.text, "one");
  EXPECT_EQ(messages.errors, "other");
}

TEST(PrintfMessagesTest, RefusedTextsGiveMinusOne) {
  Messages messages;
  EXPECT_EQ(messages.print(message(0, "%n", {1}), 7), UINT64_MAX);
  EXPECT_EQ(messages.print(message(2, "text"), 7), UINT64_MAX);
  EXPECT_EQ(messages.print({0}, 7), UINT64_MAX);
  EXPECT_EQ(messages.add(begin | end, {}), UINT64_MAX);
  EXPECT_EQ(messages.refused, "%n is refused: printf writes to no memory;expected the stream 0 or 1 but got 2;"
                              "there is no format;a message is empty;");
  EXPECT_EQ(messages.text, "");
}

TEST(PrintfMessagesTest, DamagedDescriptorsAreAnError) {
  Messages messages;
  EXPECT_EQ(messages.damage(0), "hostcall: printf goes on with message 0, which is not open");
  EXPECT_EQ(messages.damage(uint64_t(77) << 8 | end), "hostcall: printf goes on with message 77, which is not open");
  const uint64_t done = messages.add(begin, {0});
  messages.add(done | end, getWords("x"));
  EXPECT_THAT(messages.damage(done | end), HasSubstr("which is not open"));
  const std::vector<uint64_t> seven(7);
  const uint64_t endless = messages.add(begin, {});
  EXPECT_THROW(for (int i = 0; i < 2000000; ++i) messages.add(endless, seven), ServiceError);
}

/// A record of buffered printf.
std::vector<std::byte> record(uint32_t flags, const std::vector<uint64_t> &words) {
  const uint32_t descriptor = uint32_t(4 + words.size() * 8) << 2 | flags;
  std::vector<std::byte> bytes(4 + words.size() * 8);
  std::memcpy(bytes.data(), &descriptor, 4);
  std::memcpy(bytes.data() + 4, words.data(), words.size() * 8);
  return bytes;
}

struct Records {
  std::vector<std::byte> bytes;
  std::string text, errors, refused;

  Records &operator<<(const std::vector<std::byte> &more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return *this;
  }
  std::string print(const PrintfFormats &formats = {}) {
    try {
      printRecords(
          bytes, formats, [&](const std::string &some, bool isError) { (isError ? errors : text) += some; },
          [&](const std::string &why) { refused += why + ";"; });
    } catch (const ServiceError &error) {
      return error.what();
    }
    return "";
  }
};

TEST(PrintfRecordsTest, HashedAndWrittenFormatsToBothStreams) {
  Records records;
  records << record(2, {0xabc, 5}) << record(0, getWords("written\n")) << record(3, {0xdef, getWords("why")[0]});
  EXPECT_EQ(records.print({{0xabc, "hashed %d\n"}, {0xdef, "error %s\n"}}), "");
  EXPECT_EQ(records.text, "hashed 5\nwritten\n");
  EXPECT_EQ(records.errors, "error why\n");
}

TEST(PrintfRecordsTest, ARefusedTextStopsNoOther) {
  Records records;
  records << record(2, {0x1, 5}) << record(0, getWords("%n")) << record(0, getWords("last"));
  EXPECT_EQ(records.print(), "");
  EXPECT_EQ(records.refused, "the code object has no format of the hash 1;%n is refused: printf writes to no memory;");
  EXPECT_EQ(records.text, "last");
}

TEST(PrintfRecordsTest, DamagedDescriptorsAreAnError) {
  auto damaged = [](uint32_t descriptor, size_t cut = 0) {
    Records records;
    records << record(0, getWords("first")) << record(0, getWords("second"));
    std::memcpy(records.bytes.data() + 12, &descriptor, 4);
    records.bytes.resize(records.bytes.size() - cut);
    return records.print() + "|" + records.text;
  };
  EXPECT_EQ(damaged(12 << 2), "|firstsecond");
  EXPECT_EQ(damaged(13 << 2), "printf buffer: a record of 13 bytes goes past the end at byte 12 of 24|first");
  EXPECT_EQ(damaged(UINT32_MAX),
            "printf buffer: a record of 1073741823 bytes goes past the end at byte 12 of 24|first");
  EXPECT_EQ(damaged(0), "printf buffer: a record of 0 bytes is too short at byte 12 of 24|first");
  EXPECT_EQ(damaged(11 << 2 | 2), "printf buffer: a record of 11 bytes is too short at byte 12 of 24|first");
  EXPECT_EQ(damaged(12 << 2, 9), "printf buffer: a record is cut off at byte 12 of 15|first");
}

TEST(PrintfBufferTest, IsEmptiedAndKnowsItsSize) {
  Memory memory;
  PrintfBuffer buffer(memory, 64);
  auto *head = reinterpret_cast<uint32_t *>(buffer.address());
  EXPECT_EQ(head[0], 0u);
  EXPECT_EQ(head[1], 72u);
  const std::vector<std::byte> one = record(0, getWords("one"));
  std::memcpy(head + 2, one.data(), one.size());
  head[0] = uint32_t(one.size());
  std::string text;
  auto print = [&] { buffer.print({}, [&](const std::string &some, bool) { text += some; }, [](auto &) {}); };
  print();
  print();
  EXPECT_EQ(text, "one");
  head[0] = 65;
  try {
    print();
    ADD_FAILURE();
  } catch (const ServiceError &error) {
    EXPECT_STREQ(error.what(), "printf buffer: expected at most 64 bytes in use but got 65");
  }
  print(); // it is empty again
}

} // namespace
