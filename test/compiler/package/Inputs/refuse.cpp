// Calls that a launcher must refuse: refuse PACKAGE, a language model of 54 tokens and 40 positions.
#include "model.h"

#include <functional>
#include <iostream>
#include <stdexcept>

static void refuse(const std::function<void()> &call) {
  try {
    call();
    std::cout << "no error\n";
  } catch (const std::runtime_error &error) {
    std::cout << error.what() << "\n";
  }
}

int main(int, char **argv) try {
  MODEL::Model model(argv[1]);
  std::vector<int32_t> ids(41, 1);
  refuse([&] { model.logits(); });
  refuse([&] { model.step(ids.data(), 0); });
  refuse([&] { model.step(ids.data(), 41); });
  refuse([&] { model.step(nullptr, 1); });
  ids[2] = 54;
  refuse([&] { model.step(ids.data(), 3); });
  ids[2] = -1;
  refuse([&] { model.step(ids.data(), 3); });
  ids[2] = 53;
  for (int i = 0; i < 2; ++i)
    refuse([&] { model.step(ids.data(), 30); });
  std::cout << "position " << model.position() << " of " << MODEL::context << "\n";
  refuse([&] { MODEL::Model other(argv[1], 7); });
} catch (const std::exception &error) {
  std::cout << error.what() << "\n";
}
