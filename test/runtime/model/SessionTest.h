// A toy package that tests modify and open on the emulator.
#pragma once

#include "nstf/Generate.h"
#include "test/runtime/model/GoodManifest.h"
#include "test/runtime/model/TestFiles.h"
#include "test/runtime/model/ToyPackage.h"

#include <gmock/gmock.h>

namespace nstf::test {

using namespace nstf::runtime;
using nlohmann::json;
using Ids = std::vector<int32_t>;

class SessionTest : public testing::Test {
protected:
  Session open(const json &manifest, SessionOptions options = {}) {
    folder.write("manifest.json", test::sealed(manifest).dump());
    options.device = DeviceKind::Emulator;
    return Session::open(folder.path(), options);
  }
  Session open() { return open(manifest); }
  std::string openError(const json &manifest, SessionOptions options = {}) {
    try {
      open(manifest, options);
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "no error";
  }
  std::vector<float> getWeights(const Session &session) {
    std::vector<float> values(64);
    session.readBuffer("weights", 0, std::as_writable_bytes(std::span(values)));
    return values;
  }

  TemporaryFolder folder;
  json manifest = makeToyFiles(folder.path());
};

} // namespace nstf::test
