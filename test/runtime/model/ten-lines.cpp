// The program in nstf/Generate.h, with the package, prompt and length as arguments.
#include <iostream>
#include <nstf/Generate.h>

int main(int, char **argv) {
  auto model = nstf::runtime::TextModel::load(argv[1]);
  nstf::runtime::GenerateOptions options;
  options.tokens = std::stoi(argv[3]);
  options.sampling = {.temperature = 0.8f, .topP = 0.9f, .seed = 1};
  model.generate(argv[2], options, [](std::string_view text) { std::cout << text << std::flush; });
}
