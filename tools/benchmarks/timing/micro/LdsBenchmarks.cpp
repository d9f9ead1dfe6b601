// LDS: each width under patterns of bank conflicts, and how long a value takes.
//
// Phases and conflicts: pyhip, amd-shark and CK agree. A phase costs a clock more for each further dword of a bank.
#include "tools/benchmarks/timing/micro/Benchmarks.h"

namespace nstf::emulator::timing {

namespace {

using Pattern = uint32_t (*)(uint32_t lane);

/// Clocks an access takes where `waves` of one compute unit do nothing else.
Benchmark access(const std::string &kernel, const std::string &name, double clocks, const std::string &constant,
                 Pattern pattern, unsigned waves = 1) {
  return {name, "clk", {clocks, clocks}, lds, constant, [=](MicroBench &bench) {
            auto *addresses = static_cast<uint32_t *>(bench.allocate(waves * 64 * sizeof(uint32_t)));
            for (uint32_t item = 0; item < waves * 64; ++item)
              addresses[item] = pattern(item % 64);
            return bench.clocksOf({.kernel = kernel, .items = waves * 64, .memory = addresses}, 4, 12, 512.0 * waves);
          }};
}

Benchmark chain(const std::string &kernel, const std::string &name, Known known, const std::string &constant) {
  return {name, "clk", known, latency, constant, [=](MicroBench &bench) {
            auto *addresses = static_cast<uint32_t *>(bench.allocate(64 * sizeof(uint32_t)));
            for (uint32_t lane = 0; lane < 64; ++lane)
              addresses[lane] = (kernel == "lds_latency_b128" ? 16 : 4) * lane;
            return bench.clocksOf({.kernel = kernel, .memory = addresses}, 4, 12, 64);
          }};
}

template <uint32_t bytes> uint32_t apart(uint32_t lane) { return lane * bytes; }
uint32_t together(uint32_t) { return 64; }
/// 16 rows of 128 bytes, as an MFMA's operand is read: 16 bytes a lane, four lanes a row.
uint32_t rows(uint32_t lane) { return lane % 16 * 128 + lane / 16 * 16; }
/// The same with the four granules of a row moved by the row.
uint32_t swizzledRows(uint32_t lane) { return lane % 16 * 128 + ((lane / 16) ^ (lane % 8)) * 16; }

} // namespace

std::vector<Benchmark> ldsBenchmarks() {
  return {
      access("lds_read_b32", "ds_read_b32, no conflict", 4, "lds_read_clocks_b32", apart<4>),
      access("lds_read_b32", "ds_read_b32, one address", 4, "lds_read_clocks_b32", together),
      access("lds_read_b32", "ds_read_b32, 2 dwords a bank", 6, "lds_conflict_clocks", apart<8>),
      access("lds_read_b32", "ds_read_b32, 4 dwords a bank", 10, "lds_conflict_clocks", apart<16>),
      access("lds_read_b32", "ds_read_b32, 8 dwords a bank", 18, "lds_conflict_clocks", apart<32>),
      access("lds_read_b32", "ds_read_b32, 16 dwords a bank", 34, "lds_conflict_clocks", apart<64>),
      access("lds_read_b32", "ds_read_b32, 32 dwords a bank", 64, "lds_conflict_clocks", apart<128>),
      access("lds_read_b64", "ds_read_b64, no conflict", 8, "lds_read_clocks_b64", apart<8>),
      access("lds_read_b64", "ds_read_b64, 2 dwords a bank", 12, "lds_conflict_clocks", apart<16>),
      access("lds_read_b64", "ds_read_b64, 4 dwords a bank", 20, "lds_conflict_clocks", apart<32>),
      access("lds_read2_b64", "ds_read2_b64, no conflict", 16, "lds_read_clocks_b128", apart<8>),
      access("lds_read_b128", "ds_read_b128, no conflict", 16, "lds_read_clocks_b128", apart<16>),
      access("lds_read_b128", "ds_read_b128, one address", 16, "lds_read_clocks_b128", together),
      access("lds_read_b128", "ds_read_b128, 2 dwords a bank", 24, "lds_conflict_clocks", apart<32>),
      access("lds_read_b128", "ds_read_b128, rows of 128 bytes", 40, "lds_conflict_clocks", rows),
      access("lds_read_b128", "ds_read_b128, swizzled rows", 16, "lds_conflict_clocks", swizzledRows),
      access("lds_write_b32", "ds_write_b32, no conflict", 8, "lds_write_clocks_b32", apart<4>),
      access("lds_write_b32", "ds_write_b32, 4 dwords a bank", 14, "lds_conflict_clocks", apart<16>),
      access("lds_write_b64", "ds_write_b64, no conflict", 12, "lds_write_clocks_b64", apart<8>),
      access("lds_write_b64", "ds_write_b64, 2 dwords a bank", 16, "lds_conflict_clocks", apart<16>),
      access("lds_write_b128", "ds_write_b128, no conflict", 20, "lds_write_clocks_b128", apart<16>),
      access("lds_write_b128", "ds_write_b128, 2 dwords a bank", 28, "lds_conflict_clocks", apart<32>),
      access("lds_atomic_add", "ds_add_u32, no conflict", 8, "lds_atomic_clocks", apart<4>),
      access("lds_read_b128", "ds_read_b128, 4 waves on both ports", 8, "lds_ports", apart<16>, 4),
      access("lds_write_b128", "ds_write_b128, 4 waves on both ports", 10, "lds_ports", apart<16>, 4),
      chain("lds_latency_b32", "ds_read_b32 until its value is there", {52, 50}, "lds_latency"),
      chain("lds_latency_b128", "ds_read_b128 until its value is there", {64, 62}, "lds_latency"),
      chain("lds_latency_bpermute", "ds_bpermute_b32 until its value is there", {50, 50}, "cross_lane_latency"),
  };
}

} // namespace nstf::emulator::timing
