// make-toy-package FOLDER [TARGET...]: writes ToyPackage with its tokenizer, for the lit tests of nstf-run. It first
// applies the JSON patch (RFC 6902) on standard input to the manifest; empty input means no patch. The manifest then
// gets a valid digest unless the patch sets one.
#include "test/runtime/model/GoodManifest.h"
#include "test/runtime/model/ToyPackage.h"

#include <fstream>
#include <iostream>
#include <iterator>

int main(int argc, char **argv) {
  if (argc < 2) {
    std::cerr << "error: expected a folder\n";
    return 1;
  }
  try {
    std::filesystem::path folder = argv[1];
    std::vector<std::string> targets(argv + 2, argv + argc);
    nlohmann::json manifest =
        nstf::test::makeToyFiles(folder, targets.empty() ? std::vector<std::string>{"gfx942"} : targets);
    nstf::test::addToyTokenizer(folder, manifest);
    std::string patch(std::istreambuf_iterator<char>(std::cin), {});
    if (!patch.empty())
      manifest.patch_inplace(nlohmann::json::parse(patch));
    if (!manifest.contains("digest"))
      manifest = nstf::test::sealed(manifest);
    std::ofstream(folder / "manifest.json") << manifest.dump(2);
  } catch (const std::exception &error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
}
