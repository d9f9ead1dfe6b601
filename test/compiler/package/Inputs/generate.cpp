// An application of a language model's package, without NSTF: generate PACKAGE IDS COUNT LOGITS. Continues the ids
// greedily by COUNT tokens, prints all ids, and writes the logits of each step. Runs twice; the second run must give
// the same.
#include "model.h"

#ifdef SEED
#include "nstf/RandomWeights.h" // the only header that defines the numbers of --weights=random
#endif
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <utility>

static std::vector<int32_t> generate(MODEL::Model &model, std::vector<int32_t> ids, int count,
                                     std::vector<float> &logits) {
  std::size_t done = 0;
  for (int i = 0; i < count; ++i) {
    model.step(ids.data() + done, int(ids.size() - done));
    done = ids.size();
    if (model.position() != int64_t(done))
      throw std::runtime_error("wrong position");
    std::vector<float> row = model.logits();
    logits.insert(logits.end(), row.begin(), row.end());
    ids.push_back(model.next().at(0));
  }
  return ids;
}

int main(int argc, char **argv) try {
  if (argc != 5)
    throw std::runtime_error("expected PACKAGE IDS COUNT LOGITS");
  std::vector<int32_t> prompt;
  std::istringstream list(argv[2]);
  for (std::string id; std::getline(list, id, ',');)
    prompt.push_back(std::stoi(id));
  std::vector<float> logits, again;
#ifdef SEED
  std::vector<float> weights;
  MODEL::Model first(argv[1], [&](const MODEL::Weight &weight) {
    nstf::RandomWeights random(SEED, weight.name, weight.shape, weight.rank);
    weights.resize(weight.size / sizeof(float));
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = random(i);
    return weights.data();
  });
#else
  MODEL::Model first(argv[1]);
#endif
  MODEL::Model model = std::move(first);
  std::vector<int32_t> ids = generate(model, prompt, std::stoi(argv[3]), logits);
  model.reset();
  if (generate(model, prompt, std::stoi(argv[3]), again) != ids || again != logits)
    throw std::runtime_error("another text after reset()");
  for (std::size_t i = 0; i < ids.size(); ++i)
    std::cout << (i ? " " : "") << ids[i];
  std::cout << "\n";
  std::cerr << "target: " << model.target() << "\n";
  std::ofstream(argv[4], std::ios::binary)
      .write(reinterpret_cast<char *>(logits.data()), std::streamsize(4 * logits.size()));
} catch (const std::exception &error) {
  std::cerr << "error: " << error.what() << "\n";
  return 1;
}
