// What the code of a launcher expects of its model.h, for a model of everything that a model can have.
#pragma once

#include <hip/hip_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace launcher_model {

inline constexpr int64_t context = 40, vocabulary = 54;
inline constexpr int maxRequests = 3;

struct Request {
  int slot;
  int64_t position;
  int rows;
};

enum class Buffer : uint32_t { control, weights, state };
struct BufferInfo {
  const char *name;
  uint64_t size;
};
inline constexpr std::array<BufferInfo, 3> buffers = {{{"control", 64}, {"weights", 64}, {"state", 64}}};

struct Weight {
  const char *name, *type;
  const int64_t *shape;
  std::size_t rank;
  uint64_t size;
};
using WeightFunction = std::function<const void *(const Weight &)>;

struct Impl;

class Model {
public:
  Model(Model &&) noexcept;
  Model &operator=(Model &&) noexcept;
  ~Model();
  void reset();
  int64_t position() const;
  int maxTokens() const;
  const char *target() const;
  hipStream_t stream() const;
  void *address(Buffer buffer) const;

private:
  std::unique_ptr<Impl> impl;
};

} // namespace launcher_model
