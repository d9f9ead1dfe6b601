// What the code of a launcher expects of its tables, inside its namespace.
constexpr char digest[] = "0123";

constexpr std::array<unsigned, 1> argumentOffsets = {0};
constexpr std::array<Kernel, 1> kernels = {{{"kernel", {64, 1, 1}, 8, 0, 1}}};
constexpr std::array<Argument, 1> arguments = {{{Buffer::weights, 0}}};
constexpr std::array<Launch, 1> launches = {{{0, {1, 1, 1}, 0}}};
constexpr std::array<Bucket, 1> buckets = {{{1, 40, arguments.data(), launches.data(), launches.size()}}};
constexpr std::array<Target, 1> targets = {{{"gfx942", "kernels.gfx942.hsaco", argumentOffsets.data(), kernels.data(),
                                             kernels.size(), buckets.data(), buckets.size()}}};
constexpr std::size_t largestArgumentBytes = 8;

constexpr Buffer controlBuffer = Buffer::control, weightsBuffer = Buffer::weights;
constexpr std::size_t controlSize = 64, controlTokens = 0, controlPosition = 4, controlBlock = 16, controlFirst = 8,
                      controlSlot = 12;
constexpr std::array<Buffer, 1> states = {Buffer::state};

#if CONVERTED
enum class Stored { same, f16, bf16, f64 };
#endif
#if STORED
struct StoredWeight {
  const char *name;
  uint64_t offset, size;
  const char *file;
  uint64_t fileOffset;
#if CONVERTED
  Stored stored;
#endif
};
constexpr std::array<StoredWeight, 1> storedWeights = {};
#endif
#if GIVEN
struct GivenWeight {
  Weight weight;
  uint64_t offset;
};
constexpr std::array<GivenWeight, 1> givenWeights = {};
#endif
