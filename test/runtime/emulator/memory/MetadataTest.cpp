// Kernel metadata: every msgpack encoding, unknown keys, and errors that name kernel and key.
#include "runtime/emulator/memory/Metadata.h"
#include "runtime/emulator/memory/MsgPack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace nstf::emulator {
namespace {
using namespace std::string_literals;
using testing::HasSubstr;

std::string str(const std::string &text) { return char(0xa0 + text.size()) + text; }
std::string map(unsigned pairs, const std::string &contents) { return char(0x80 + pairs) + contents; }
std::string array(unsigned count, const std::string &contents) { return char(0x90 + count) + contents; }
std::string key16(const std::string &text) { return "\xd9"s + char(text.size()) + text; }

const std::string sizes = key16(".kernarg_segment_size") + "\x10" + key16(".group_segment_fixed_size") + "\0"s +
                          key16(".private_segment_fixed_size") + "\0"s;
std::string kernels(const std::string &kernel) { return map(1, str("amdhsa.kernels") + array(1, kernel)); }
/// A kernel with the required pairs and `pairs` more.
std::string kernel(unsigned pairs = 0, const std::string &more = "") {
  return kernels(map(5 + pairs, str(".name") + str("k") + str(".symbol") + str("k.kd") + sizes + more));
}

std::string failure(const std::string &blob) {
  try {
    parseMetadata(blob);
    return "";
  } catch (const std::runtime_error &error) {
    return error.what();
  }
}

TEST(MsgPack, NumbersOfEveryForm) {
  auto read = [](const std::string &bytes) { return MsgPackReader(bytes).number(); };
  EXPECT_EQ(read("\x7f"), 127u);
  EXPECT_EQ(read("\xcc\xff"), 255u);
  EXPECT_EQ(read("\xcd\x12\x34"), 0x1234u);
  EXPECT_EQ(read("\xce\x12\x34\x56\x78"), 0x12345678u);
  EXPECT_EQ(read("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), UINT64_MAX);
  EXPECT_EQ(read("\xd0\x05"), 5u);
  EXPECT_EQ(read("\xd1\x01\x00"s), 256u);
  EXPECT_EQ(read("\xd3\x7f\xff\xff\xff\xff\xff\xff\xff"), uint64_t(INT64_MAX));
  EXPECT_EQ(read("\xc3"), 1u);
  EXPECT_EQ(read("\xc2"), 0u);
  for (const std::string &negative : {"\xff"s, "\xd0\x80"s, "\xd1\xff\xff"s, "\xd3\x80\0\0\0\0\0\0\0"s})
    EXPECT_THROW(read(negative), std::runtime_error);
  for (const std::string &none : {""s, "\xcd\x12"s, "\xa1x"s, "\xca\0\0\0\0"s})
    EXPECT_THROW(read(none), std::runtime_error);
}

TEST(MsgPack, EveryObjectCanBeSkipped) {
  for (const std::string &object : {"\x05"s,
                                    "\xe0"s,
                                    "\xc0"s,
                                    "\xc2"s,
                                    "\xa2xy"s,
                                    "\xd9\x02xy"s,
                                    "\xda\0\x02xy"s,
                                    "\xdb\0\0\0\x02xy"s,
                                    "\xc4\x01x"s,
                                    "\xc5\0\x01x"s,
                                    "\xc6\0\0\0\x01x"s,
                                    "\xca\0\0\0\0"s,
                                    "\xcb\0\0\0\0\0\0\0\0"s,
                                    "\xcc\0"s,
                                    "\xcf\0\0\0\0\0\0\0\0"s,
                                    "\xd2\0\0\0\0"s,
                                    "\xd4tx"s,
                                    "\xd8t0123456789abcdef"s,
                                    "\xc7\x02txy"s,
                                    "\xc9\0\0\0\x01tx"s,
                                    "\x92\x01\xa1x"s,
                                    "\xdc\0\x01\xc0"s,
                                    "\xdd\0\0\0\x01\xc0"s,
                                    "\x81\xa1x\x92\x01\x02"s,
                                    "\xde\0\x01\x01\x02"s,
                                    "\xdf\0\0\0\x01\x01\x02"s}) {
    MsgPackReader whole(object);
    whole.skip();
    EXPECT_TRUE(whole.atEnd()) << testing::PrintToString(object);
    for (size_t size = 0; size < object.size(); ++size) {
      MsgPackReader part(std::string_view(object).substr(0, size));
      EXPECT_THROW(part.skip(), std::runtime_error) << testing::PrintToString(object) << ", " << size << " bytes";
    }
  }
  MsgPackReader reserved("\xc1");
  EXPECT_THROW(reserved.skip(), std::runtime_error);
}

TEST(Metadata, UnknownKeysArePassedOver) {
  const std::string more =
      str(".unheard_of") + array(2, map(1, str("x") + "\xc0") + "\x01") + "\x05" + str("number as a key");
  const std::vector<KernelMetadata> read = parseMetadata(kernel(2, more));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].fields.name, "k");
  EXPECT_EQ(read[0].descriptorSymbol, "k.kd");
  EXPECT_EQ(read[0].fields.kernargSize, 16u);
  EXPECT_EQ(read[0].fields.waveSize, 64u);
  EXPECT_TRUE(parseMetadata(map(0, "")).empty());
}

TEST(Metadata, ArgumentsComeWithWhatIsToldOfThem) {
  const std::string argument =
      map(6, str(".offset") + "\x08" + str(".size") + "\x08" + str(".value_kind") + str("global_buffer") +
                 str(".address_space") + str("global") + str(".name") + str("a") + str(".type_name") + str("float*"));
  const Kernel fields = parseMetadata(kernel(1, str(".args") + array(1, argument)))[0].fields;
  ASSERT_EQ(fields.arguments.size(), 1u);
  EXPECT_EQ(fields.arguments[0].offset, 8u);
  EXPECT_EQ(fields.arguments[0].valueKind, "global_buffer");
  EXPECT_EQ(fields.arguments[0].addressSpace, "global");
  EXPECT_EQ(fields.arguments[0].name, "a");
  EXPECT_EQ(fields.arguments[0].typeName, "float*");
}

TEST(Metadata, HiddenPointersToServicesAreFound) {
  auto argument = [](const std::string &kind, char offset, char size) {
    return map(3, str(".offset") + offset + str(".size") + size + str(".value_kind") + str(kind));
  };
  const std::string arguments = argument("hidden_hostcall_buffer", '\x00', '\x08') +
                                argument("hidden_heap_v1", '\x04', '\x04') + // no pointer
                                argument("hidden_printf_buffer", '\x08', '\x08');
  const ServiceArguments services = parseMetadata(kernel(1, str(".args") + array(3, arguments)))[0].fields.services;
  EXPECT_EQ(services.hostcall, 0u);
  EXPECT_EQ(services.heap, std::nullopt);
  EXPECT_EQ(services.printf, 8u);
  EXPECT_FALSE(parseMetadata(kernel(0, ""))[0].fields.services.any());
}

TEST(Metadata, FormatsOfBufferedPrintfByTheirHashes) {
  std::map<uint64_t, std::string> formats;
  const std::string entries = str("0:0:ab,%d, %s\n") + str("0:0:ffffffffffffffff,") + str("0:0:ab,second") +
                              str("0:0:xy,no hash") + str("1:1:4:of OpenCL") + str("0:0:12");
  parseMetadata(map(1, str("amdhsa.printf") + array(6, entries)), &formats);
  EXPECT_THAT(formats, testing::ElementsAre(testing::Pair(0xab, "%d, %s\n"), testing::Pair(UINT64_MAX, "")));
}

TEST(Metadata, WhatIsWrongIsNamed) {
  const std::string place = map(2, str(".offset") + "\x0c" + str(".size") + "\x08");
  const std::string outside =
      map(3, str(".offset") + "\x0c" + str(".size") + "\x08" + str(".value_kind") + str("by_value"));
  EXPECT_THAT(failure("\x05"), HasSubstr("expected a map in kernel metadata but got a number at byte 0"));
  EXPECT_THAT(failure(kernels(map(1, str(".name") + "\x05"))), HasSubstr("expected a string for .name"));
  EXPECT_THAT(failure(kernels(map(1, str(".name") + str("k")))), HasSubstr("metadata of kernel k"));
  EXPECT_THAT(failure(kernel(1, str(".args") + array(1, place))),
              HasSubstr("value_kind of every argument in the metadata of kernel k"));
  EXPECT_THAT(failure(kernel(1, str(".args") + array(1, outside))),
              HasSubstr("argument 0 of kernel k lies outside the argument block of 16 bytes"));
  EXPECT_THAT(failure(kernel(1, str(".vgpr_count") + "\xcf\0\0\0\1\0\0\0\0"s)),
              HasSubstr("32-bit number for .vgpr_count"));
  EXPECT_THAT(failure(kernel(1, key16(".reqd_workgroup_size") + array(2, "\x01\x01"))), HasSubstr("three numbers"));
  // Lengths beyond the data, and deep nesting.
  EXPECT_THAT(failure(map(1, str("amdhsa.kernels") + "\xdd\xff\xff\xff\xff")), HasSubstr("ends in the middle"));
  EXPECT_THAT(failure(map(1, str("other") + std::string(100000, '\x91'))), HasSubstr("nests deeper than 64 levels"));
  const std::string whole = kernel(1, str(".args") + array(1, outside));
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(failure(whole.substr(0, size)), "") << size;
}

} // namespace
} // namespace nstf::emulator
