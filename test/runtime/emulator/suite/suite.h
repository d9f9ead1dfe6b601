// One suite case: its device code, and host code that computes the expected result.
//
// Every .hip file here is compiled for each chip at -O0 and -O3 (with __HIP__ defined: the device part), and once as
// C++ for the host (the other part). The runner calls the host part's SUITE cases for each level and size.
#pragma once
#ifdef __HIP__
#include "test/runtime/emulator/suite/device.h"
#else
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace suite {

/// bf16, rounded to nearest even; only for finite values.
struct Bf16 {
  uint16_t bits = 0;
  Bf16() = default;
  explicit Bf16(float value) {
    uint32_t word;
    std::memcpy(&word, &value, 4);
    bits = uint16_t((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
  operator float() const {
    uint32_t word = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &word, 4);
    return value;
  }
};

struct Grid {
  unsigned x, y, z;
  Grid(unsigned x, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
inline unsigned blocksFor(size_t items, size_t block) { return unsigned((items + block - 1) / block); }

/// One case at one level of optimisation and one size. Every failure throws std::runtime_error.
class Run {
public:
  Run(void *module, bool gfx942, int size);
  ~Run();
  const bool gfx942;
  const int size;

  /// Device memory with a copy of `values`, freed with the run; room() leaves it uninitialised.
  template <typename T> T *upload(const std::vector<T> &values) {
    T *pointer = room<T>(values.size());
    copyIn(pointer, values.data(), values.size() * sizeof(T));
    return pointer;
  }
  template <typename T> T *room(size_t count) { return static_cast<T *>(allocate(count * sizeof(T))); }
  template <typename T> std::vector<T> download(const T *pointer, size_t count) {
    std::vector<T> values(count);
    copyOut(values.data(), pointer, count * sizeof(T));
    return values;
  }

  /// The arguments must have exactly the types of the kernel's parameters.
  template <typename... Arguments> void launch(const char *kernel, Grid grid, Grid block, Arguments... arguments) {
    launchDynamic(0, kernel, grid, block, arguments...);
  }
  template <typename... Arguments>
  void launchDynamic(unsigned lds, const char *kernel, Grid grid, Grid block, Arguments... arguments) {
    void *pointers[] = {static_cast<void *>(&arguments)..., nullptr};
    check(start(kernel, grid, block, lds, pointers), kernel);
  }
  /// Launches through hipModuleLaunchCooperativeKernel.
  template <typename... Arguments>
  void launchCooperative(const char *kernel, Grid grid, Grid block, Arguments... arguments) {
    void *pointers[] = {static_cast<void *>(&arguments)..., nullptr};
    check(start(kernel, grid, block, 0, pointers, true), kernel);
  }
  /// The error of a launch that must fail; empty if it succeeded.
  template <typename... Arguments>
  std::string getFault(const char *kernel, Grid grid, Grid block, Arguments... arguments) {
    void *pointers[] = {static_cast<void *>(&arguments)..., nullptr};
    return start(kernel, grid, block, 0, pointers);
  }

  /// Gives the same numbers in each run.
  uint32_t random() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return uint32_t(state >> 32);
  }
  float uniform(float low, float high) { return low + (high - low) * float(random() >> 8) * 0x1p-24f; }
  /// Avoids f16 denormals, which gfx90a's matrix instructions treat as zeros.
  float normal16(float low, float high) {
    float value = uniform(low, high);
    return std::abs(value) < 0x1p-14f ? 0x1p-14f : value;
  }
  std::vector<float> floats(size_t count, float low = -1, float high = 1) {
    std::vector<float> values(count);
    for (float &value : values)
      value = uniform(low, high);
    return values;
  }
  std::vector<uint32_t> integers(size_t count) {
    std::vector<uint32_t> values(count);
    for (uint32_t &value : values)
      value = random();
    return values;
  }

  template <typename T>
  void expectEqual(const std::vector<T> &got, const std::vector<T> &expected, const char *what = "result") {
    expect(got.size() == expected.size(), std::string(what) + ": sizes differ");
    for (size_t i = 0; i < got.size(); ++i)
      if (std::memcmp(&got[i], &expected[i], sizeof(T)) != 0)
        differ(what, i, double(got[i]), double(expected[i]));
  }
  /// Requires |got - expected| <= tolerance * (1 + |expected|).
  template <typename T, typename U>
  void expectNear(const std::vector<T> &got, const std::vector<U> &expected, double tolerance,
                  const char *what = "result") {
    expect(got.size() == expected.size(), std::string(what) + ": sizes differ");
    for (size_t i = 0; i < got.size(); ++i)
      if (!(std::abs(double(got[i]) - double(expected[i])) <= tolerance * (1 + std::abs(double(expected[i])))))
        differ(what, i, double(got[i]), double(expected[i]));
  }
  void expect(bool condition, const std::string &what);

private:
  void *allocate(size_t bytes);
  void copyIn(void *device, const void *host, size_t bytes);
  void copyOut(void *host, const void *device, size_t bytes);
  std::string start(const char *kernel, Grid grid, Grid block, unsigned lds, void **arguments,
                    bool cooperative = false);
  void check(const std::string &error, const char *kernel);
  [[noreturn]] void differ(const char *what, size_t place, double got, double expected);
  void *module;
  std::vector<void *> allocations;
  uint64_t state = 0x9e3779b97f4a7c15u;
};

struct Case {
  const char *file, *name;
  std::vector<int> sizes;
  void (*run)(Run &);
  const char *only; ///< the only chip that supports the case, or null
  Case(const char *file, const char *name, std::vector<int> sizes, void (*run)(Run &), const char *only = nullptr);
};
const std::vector<Case *> &cases();

} // namespace suite

/// SUITE(file, name, (sizes…)) { the case's host code, which uses `run` }; `file` is the name of the .hip file.
#define SUITE_ON(only, file, name, ...)                                                                                \
  static void name##Case(suite::Run &run);                                                                             \
  static suite::Case name##Registered(#file, #name, {__VA_ARGS__}, name##Case, only);                                  \
  static void name##Case(suite::Run &run)
#define SUITE(file, name, ...) SUITE_ON(nullptr, file, name, __VA_ARGS__)
#define SUITE_GFX942(file, name, ...) SUITE_ON("gfx942", file, name, __VA_ARGS__)
#define SUITE_GFX90A(file, name, ...) SUITE_ON("gfx90a", file, name, __VA_ARGS__)
#endif
