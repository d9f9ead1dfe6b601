// LDS: accesses of each width under patterns of bank conflicts, and latencies.
//
// Phases and conflicts: pyhip, amd-shark and CK agree. Each further dword of a bank adds a clock to a phase.
#include "tools/benchmarks/timing/micro/Benchmarks.h"

namespace nstf::emulator::timing {

namespace {

using Pattern = std::function<uint32_t(uint32_t lane)>;

/// The clocks of an access if `waves` of one compute unit do nothing else.
Benchmark access(const std::string &kernel, const std::string &name, double clocks, const std::string &constant,
                 const Pattern &pattern, unsigned waves = 1) {
  return {name, "clk", {clocks, clocks}, lds, constant, [=](MicroBench &bench) {
            auto *addresses = static_cast<uint32_t *>(bench.allocate(waves * 64 * sizeof(uint32_t)));
            for (uint32_t item = 0; item < waves * 64; ++item)
              addresses[item] = pattern(item % 64);
            return bench.measureClocks({.kernel = kernel, .items = waves * 64, .memory = addresses}, 4, 12,
                                       512.0 * waves);
          }};
}

Benchmark chain(const std::string &kernel, const std::string &name, Known known, const std::string &constant) {
  return {name, "clk", known, latency, constant, [=](MicroBench &bench) {
            auto *addresses = static_cast<uint32_t *>(bench.allocate(64 * sizeof(uint32_t)));
            for (uint32_t lane = 0; lane < 64; ++lane)
              addresses[lane] = (kernel == "lds_latency_b128" ? 16 : 4) * lane;
            return bench.measureClocks({.kernel = kernel, .memory = addresses}, 4, 12, 64);
          }};
}

/// The accesses of one width.
struct Width {
  const char *kernel, *name, *constant; ///< the constant with its clocks without conflicts
  double clocks;                        ///< clocks according to that constant
  uint32_t phases;                      ///< total phases of an access
  uint32_t bytes;                       ///< distance of the lanes at which a phase accesses each bank once
  uint32_t banks;          ///< distinct banks of a phase at that distance, and so the max dwords on one bank
  bool unverified = false; ///< whether conflicts are unverified, like the phases of the width
};
constexpr Width widths[] = {
    {"lds_read_b32", "ds_read_b32", "lds_read_clocks_b32", 4, 2, 4, 16}, // 32 dwords a bank: see below
    {"lds_read_b64", "ds_read_b64", "lds_read_clocks_b64", 8, 4, 8, 16},
    {"lds_read_b96", "ds_read_b96", "lds_read_clocks_b96", 16, 8, 16, 8, true},
    {"lds_read_b128", "ds_read_b128", "lds_read_clocks_b128", 16, 8, 16, 8},
    {"lds_read2_b32", "ds_read2_b32", "lds_read_clocks_b64", 8, 4, 4, 32},
    {"lds_read2_b64", "ds_read2_b64", "lds_read_clocks_b128", 16, 8, 8, 16},
    {"lds_write_b32", "ds_write_b32", "lds_write_clocks_b32", 8, 2, 4, 32},
    {"lds_write_b64", "ds_write_b64", "lds_write_clocks_b64", 12, 4, 8, 16},
    {"lds_write_b96", "ds_write_b96", "lds_write_clocks_b96", 20, 8, 16, 8, true},
    {"lds_write_b128", "ds_write_b128", "lds_write_clocks_b128", 20, 8, 16, 8},
    {"lds_write2_b32", "ds_write2_b32", "lds_write_clocks_b64", 12, 4, 4, 32},
    {"lds_write2_b64", "ds_write2_b64", "lds_write_clocks_b128", 20, 8, 8, 16},
    {"lds_atomic_add", "ds_add_u32", "lds_atomic_clocks", 8, 2, 4, 32, true},
};

/// Adds the access without conflicts, and with each power of two of dwords on a bank.
void addPatterns(std::vector<Benchmark> &all, const Width &width) {
  for (uint32_t dwords = 1; dwords <= width.banks; dwords *= 2) {
    const std::string pattern = dwords == 1 ? "no conflict" : std::to_string(dwords) + " dwords a bank";
    all.push_back(access(width.kernel, std::string(width.name) + ", " + pattern,
                         width.clocks + width.phases * (dwords - 1.0),
                         dwords == 1 || width.unverified ? width.constant : "lds_conflict_clocks",
                         [apart = width.bytes * dwords](uint32_t lane) { return lane * apart; }));
  }
}

uint32_t together(uint32_t) { return 64; }
/// 16 rows of 128 bytes as an MFMA reads its operand: 16 bytes per lane, four lanes per row.
uint32_t rows(uint32_t lane) { return lane % 16 * 128 + lane / 16 * 16; }
/// The same rows with the four granules of a row swizzled by the row's number.
uint32_t swizzledRows(uint32_t lane) { return lane % 16 * 128 + ((lane / 16) ^ (lane % 8)) * 16; }
uint32_t everyThirtySecond(uint32_t lane) { return lane * 128; }
uint32_t inOrder(uint32_t lane) { return lane * 16; }

} // namespace

std::vector<Benchmark> ldsBenchmarks() {
  std::vector<Benchmark> all;
  for (const Width &width : widths)
    addPatterns(all, width);
  for (const Width &width : widths)
    if (std::string_view(width.name).starts_with("ds_read_"))
      all.push_back(
          access(width.kernel, std::string(width.name) + ", one address", width.clocks, width.constant, together));
  // The lanes of an atomic are served one by one.
  all.push_back(access("lds_atomic_add", "ds_add_u32, one address", 70, "lds_atomic_clocks", together));
  const std::vector<Benchmark> others = {
      access("lds_read_b32", "ds_read_b32, 32 dwords a bank", 64, "lds_conflict_clocks", everyThirtySecond),
      access("lds_read_b128", "ds_read_b128, rows of 128 bytes", 40, "lds_conflict_clocks", rows),
      access("lds_read_b128", "ds_read_b128, swizzled rows", 16, "lds_conflict_clocks", swizzledRows),
      access("lds_read_b128", "ds_read_b128, 4 waves on both ports", 8, "lds_ports", inOrder, 4),
      access("lds_write_b128", "ds_write_b128, 4 waves on both ports", 10, "lds_ports", inOrder, 4),
      chain("lds_latency_b32", "ds_read_b32 until its value is there", {52, 50}, "lds_latency"),
      chain("lds_latency_b128", "ds_read_b128 until its value is there", {64, 62}, "lds_latency"),
      chain("lds_latency_u8", "ds_read_u8 until its value is there", {52, 50}, "lds_narrow_read_clocks"),
      chain("lds_latency_bpermute", "ds_bpermute_b32 until its value is there", {50, 50}, "cross_lane_latency"),
  };
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

} // namespace nstf::emulator::timing
