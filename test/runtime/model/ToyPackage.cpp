#include "test/runtime/model/ToyPackage.h"
#include "support/Sha256.h"
#include "test/runtime/model/GoodManifest.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sentencepiece_trainer.h>
#include <stdexcept>
#include <unistd.h>

namespace nstf::test {

namespace {
void write(const std::filesystem::path &file, const std::string &bytes) {
  if (!std::ofstream(file, std::ios::binary).write(bytes.data(), bytes.size()))
    throw std::runtime_error("cannot write " + file.string());
}
} // namespace

std::vector<int32_t> expectedTokens(std::vector<int32_t> ids, int count) {
  for (int i = 0; i < count; ++i) {
    int sum = 0;
    for (int32_t id : ids)
      sum += tableValue(id);
    ids.push_back(sum & 31);
  }
  return ids;
}

const std::string &toyCodeObject(const std::string &target) {
  static std::map<std::string, std::string> made;
  std::string &bytes = made[target];
  if (bytes.empty()) {
    std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("nstf-toy-" + std::to_string(::getpid()) + ".hsaco");
    std::string command = "clang-22 -x c -target amdgcn-amd-amdhsa -mcpu=" + target +
                          " -mcode-object-version=5 -nogpulib -O1 " NSTF_SOURCE_DIR
                          "/test/runtime/model/ToyKernels.c -o " +
                          file.string();
    if (std::system(command.c_str()) != 0)
      throw std::runtime_error("expected clang-22 to compile ToyKernels.c: " + command);
    std::ifstream stream(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(stream), {});
    std::filesystem::remove(file);
  }
  return bytes;
}

std::string toyWeights() {
  std::string bytes;
  for (int token = 0; token < 32; ++token) {
    float value = static_cast<float>(tableValue(token));
    bytes.append(reinterpret_cast<const char *>(&value), 4);
  }
  // 0, 0.5, 1, 1.5, 2, -1, 65504 (the largest f16), 2^-24 (the smallest)
  for (uint16_t half : {0x0000, 0x3800, 0x3c00, 0x3e00, 0x4000, 0xbc00, 0x7bff, 0x0001})
    bytes.append(reinterpret_cast<const char *>(&half), 2);
  return bytes;
}

nlohmann::json makeToyFiles(const std::filesystem::path &folder, const std::vector<std::string> &targets) {
  std::filesystem::create_directories(folder);
  nlohmann::json manifest = goodManifest();
  nlohmann::json target = manifest["targets"][0];
  manifest["targets"] = nlohmann::json::array();
  for (const std::string &id : targets) {
    target["id"] = id;
    target["code_object"] = "kernels." + id + ".hsaco";
    target["sha256"] = support::sha256Hex(toyCodeObject(id));
    manifest["targets"].push_back(target);
    write(folder / ("kernels." + id + ".hsaco"), toyCodeObject(id));
  }
  std::string weights = toyWeights();
  manifest["weights"]["tensors"][0]["source"]["sha256"] = support::sha256Hex(weights.substr(0, 128));
  manifest["weights"]["tensors"][1]["source"]["sha256"] = support::sha256Hex(weights.substr(128));
  write(folder / "weights.bin", weights);
  return manifest;
}

void makeToyPackage(const std::filesystem::path &folder, const std::vector<std::string> &targets) {
  write(folder / "manifest.json", sealed(makeToyFiles(folder, targets)).dump(2));
}

void addToyTokenizer(const std::filesystem::path &folder, nlohmann::json &manifest) {
  write(folder / "corpus.txt", "abcdefghijklmnopqrstuvwxyz\nthe quick brown fox jumps over the lazy dog\n");
  auto status = sentencepiece::SentencePieceTrainer::Train(
      "--input=" + (folder / "corpus.txt").string() + " --model_prefix=" + (folder / "tokenizer").string() +
      " --model_type=char --vocab_size=30 --minloglevel=2 --num_threads=1");
  if (!status.ok())
    throw std::runtime_error("expected a tokenizer: " + status.ToString());
  std::filesystem::remove(folder / "corpus.txt");
  std::filesystem::remove(folder / "tokenizer.vocab");
  manifest["model"]["tokenizer"] = {{"kind", "sentencepiece"}, {"file", "tokenizer.model"}};
}

} // namespace nstf::test
