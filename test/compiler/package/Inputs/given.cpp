// An application that provides the weights of the MLP itself: given PACKAGE ROWS X.npy SEED FOLDER writes the outputs
// to probabilities.bin and choice.bin in FOLDER. The numbers are those of --weights=random, from the only header that
// defines them.
#include "model.h"

#include "nstf/RandomWeights.h"
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

template <typename T> static void write(const std::string &file, const std::vector<T> &values) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char *>(values.data()), std::streamsize(sizeof(T) * values.size()));
}

int main(int argc, char **argv) try {
  if (argc != 6)
    throw std::runtime_error("expected PACKAGE ROWS X.npy SEED FOLDER");
  std::vector<float> weights;
  bool withhold = std::string(argv[4]) == "none";
  mlp_model::Model model(argv[1], [&](const mlp_model::Weight &weight) -> const void * {
    if (withhold)
      return nullptr;
    nstf::RandomWeights random(std::stoull(argv[4]), weight.name, weight.shape, weight.rank);
    weights.resize(weight.size / sizeof(float));
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = random(i);
    return weights.data();
  });
  int rows = std::stoi(argv[2]);
  std::ifstream file(argv[3], std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<float> x(std::size_t(rows) * 20);
  std::memcpy(x.data(), bytes.data() + bytes.size() - 4 * x.size(), 4 * x.size());
  model.step(x.data(), rows);
  write(argv[5] + std::string("/probabilities.bin"), model.probabilities());
  write(argv[5] + std::string("/choice.bin"), model.choice());
} catch (const std::exception &error) {
  std::cerr << "error: " << error.what() << "\n";
  return 1;
}
