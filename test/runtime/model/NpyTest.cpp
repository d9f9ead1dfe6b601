// NumPy files: round trips, files written by NumPy's rules, and broken files.
#include "nstf/Npy.h"
#include "test/runtime/model/TestFiles.h"

#include <gmock/gmock.h>

using namespace nstf;
using namespace nstf::runtime;
using manifest::ElementType;
using testing::HasSubstr;
using testing::ThrowsMessage;

namespace {

HostTensor tensorOf(ElementType type, std::vector<int64_t> shape) {
  HostTensor tensor{type, std::move(shape), {}};
  tensor.data.resize(tensor.elements() * manifest::sizeOf(type));
  for (std::size_t i = 0; i < tensor.data.size(); ++i)
    tensor.data[i] = static_cast<std::byte>(i * 7);
  return tensor;
}

std::string npy(const std::string &header, const std::string &data, char version = 1) {
  std::string length = version == 1 ? test::getBytes(uint16_t(header.size())) : test::getBytes(uint32_t(header.size()));
  return std::string("\x93NUMPY") + version + '\0' + length + header + data;
}

TEST(Npy, RoundTrip) {
  test::TemporaryFolder folder;
  for (ElementType type : {ElementType::F32, ElementType::I32, ElementType::F64, ElementType::I64, ElementType::U8})
    for (std::vector<int64_t> shape : {std::vector<int64_t>{}, {5}, {3, 4}, {2, 0, 3}, {1, 2, 3, 4}}) {
      HostTensor tensor = tensorOf(type, shape);
      writeNpy(folder / "t.npy", tensor);
      HostTensor back = readNpy(folder / "t.npy");
      EXPECT_EQ(back.type, type);
      EXPECT_EQ(back.shape, shape);
      EXPECT_EQ(back.data, tensor.data);
    }
}

TEST(Npy, WritesWhatNumPyWrites) {
  test::TemporaryFolder folder;
  writeNpy(folder / "t.npy", tensorOf(ElementType::F32, {3, 64}));
  std::string bytes = test::readFile(folder / "t.npy");
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(bytes.size(), 128u + 3 * 64 * 4);
  EXPECT_EQ(bytes.substr(10, 60), "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 64), }");
  EXPECT_EQ(bytes[127], '\n');
  writeNpy(folder / "t.npy", tensorOf(ElementType::I32, {7}));
  EXPECT_THAT(test::readFile(folder / "t.npy"), HasSubstr("'shape': (7,), }"));
}

TEST(Npy, HeadersInOtherOrders) {
  test::TemporaryFolder folder;
  std::string data(8, 'x');
  for (const char *header : {"{'shape': (2,), 'fortran_order': False, 'descr': '<f4'}\n",
                             "{\"descr\": \"<i4\", \"fortran_order\": False, \"shape\": (1, 2)}",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (), }      \n"})
    for (char version : {1, 2, 3})
      EXPECT_EQ(readNpy(folder.write("t.npy", npy(header, data, version))).data.size(), 8u) << header;
}

TEST(Npy, BrokenFiles) {
  test::TemporaryFolder folder;
  auto message = [&](const std::string &bytes) -> std::string {
    try {
      readNpy(folder.write("t.npy", bytes));
    } catch (const std::runtime_error &error) {
      EXPECT_THAT(error.what(), HasSubstr("t.npy: "));
      return error.what();
    }
    return "no error";
  };
  std::string good = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", std::string(24, 'x'));
  EXPECT_EQ(message(good), "no error");
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(message(good.substr(0, length)), "no error") << length;
  EXPECT_THAT(message(good + "y"), HasSubstr("expected 24 bytes of data for [2, 3] f32 but got 25"));
  auto header = [&](const std::string &text) { return message(npy(text, "")); };
  EXPECT_THAT(header("{'descr': '>f4', 'fortran_order': False, 'shape': (0,)}"), HasSubstr("little-endian"));
  EXPECT_THAT(header("{'descr': '<c8', 'fortran_order': False, 'shape': (0,)}"), HasSubstr("little-endian"));
  EXPECT_THAT(header("{'descr': '<f4', 'fortran_order': True, 'shape': (0,)}"), HasSubstr("C order"));
  EXPECT_THAT(header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"), HasSubstr("non-negative"));
  EXPECT_THAT(header("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"),
              HasSubstr("64 bits"));
  EXPECT_THAT(header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
              HasSubstr("non-negative"));
  EXPECT_THAT(header("{'descr': '<f4', 'shape': 3}"), HasSubstr("should stand"));
  EXPECT_THAT(header("{'fortran_order': False}"), HasSubstr("no 'descr'"));
  EXPECT_THAT(header("{'descr': '<f4"), HasSubstr("without end"));
  EXPECT_THAT(header(""), HasSubstr("should stand"));
  EXPECT_THROW(readNpy(folder / "absent.npy"), std::runtime_error);
  EXPECT_THROW(readNpy(folder.path()), std::runtime_error);
}

TEST(Npy, FailureLeavesNothing) {
  test::TemporaryFolder folder;
  EXPECT_THAT([&] { writeNpy(folder / "no/such/folder.npy", tensorOf(ElementType::F32, {1})); },
              ThrowsMessage<std::runtime_error>(HasSubstr("No such file or directory")));
  std::filesystem::create_directory(folder / "taken.npy");
  EXPECT_THROW(writeNpy(folder / "taken.npy", tensorOf(ElementType::F32, {1})), std::runtime_error);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

} // namespace
