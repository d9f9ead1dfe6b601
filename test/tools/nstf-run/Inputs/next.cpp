// next PACKAGE: runs one step of the launcher of the model "hf", and prints the token that it chooses.
#include "model.h"

#include <cstdio>
#include <exception>

int main(int, char **argv) {
  const std::int32_t ids[] = {1, 2, 3};
  try {
    hf_model::Model model(argv[1]);
    model.step(ids, 3);
    std::printf("%d\n", model.next()[0]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
