//===- VectorCases.h - one instruction, one meaning --------------------------------------------------------------===//
#ifndef NSTF_TEST_RUNTIME_EMULATOR_EXECUTE_VECTORCASES_H
#define NSTF_TEST_RUNTIME_EMULATOR_EXECUTE_VECTORCASES_H

#include "test/runtime/emulator/execute/Operands.h"
#include "test/runtime/emulator/execute/Snippet.h"

#include <functional>

namespace nstf::emulator::test {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
using f32 = float;
using f64 = double;
using f16 = _Float16;

/// `text` has the destination in v[8:9], the sources in v[2:3], v[4:5] and v[6:7].
struct Case {
  const char *text;
  Kind result;
  std::vector<Kind> sources;
  std::function<u64(u64, u64, u64)> meaning;
  enum Chips { Both, Gfx90a, Gfx942 } chips = Both;
};

/// Runs each case on both chips with random and edge operands and partial EXEC. Reports with GoogleTest.
void checkAll(const std::vector<Case> &cases);

// clang-format off
#define CASE1(text, R, A, expression) {text, Kind::R, {Kind::A}, [](u64 a, u64, u64) -> u64 { (void)a; return u64(expression); }}
#define CASE2(text, R, A, B, expression) {text, Kind::R, {Kind::A, Kind::B}, [](u64 a, u64 b, u64) -> u64 { (void)a; (void)b; return u64(expression); }}
#define CASE3(text, R, A, B, C, expression) {text, Kind::R, {Kind::A, Kind::B, Kind::C}, [](u64 a, u64 b, u64 c) -> u64 { (void)a; (void)b; (void)c; return u64(expression); }}
// clang-format on

// Operands as numbers.
inline f32 A(u64 v) { return as<f32>(v); }
inline f64 D(u64 v) { return as<f64>(v); }
inline f32 H(u64 v) { return f32(as<f16>(v)); }

} // namespace nstf::emulator::test

#endif
