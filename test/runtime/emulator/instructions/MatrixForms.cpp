#include "test/runtime/emulator/instructions/MatrixForms.h"
#include "test/runtime/emulator/instructions/Operands.h"

#include <cmath>

namespace nstf::emulator::test {
namespace {

float smallFloat(unsigned byte, unsigned exponentBits) {
  unsigned fractionBits = 7 - exponentBits;
  int bias = 1 << (exponentBits - 1);
  if (byte == 0x80)
    return NAN;
  unsigned fraction = byte % (1u << fractionBits), exponent = (byte & 0x7f) >> fractionBits;
  float v = exponent ? std::ldexp(1 + float(fraction) / float(1 << fractionBits), int(exponent) - bias)
                     : std::ldexp(float(fraction) / float(1 << fractionBits), 1 - bias);
  return byte & 0x80 ? -v : v;
}

} // namespace

unsigned getBits(Element e) {
  switch (e) {
  case Element::f64:
    return 64;
  case Element::f32:
  case Element::xf32:
    return 32;
  case Element::f16:
  case Element::bf16:
    return 16;
  default:
    return 8;
  }
}

double getValue(Element e, uint64_t bits) {
  switch (e) {
  case Element::f32:
    return as<float>(bits);
  case Element::xf32:
    return as<float>(bits & 0xffffe000);
  case Element::f16:
    return float(as<_Float16>(bits));
  case Element::bf16:
    return as<float>(bits << 16);
  case Element::i8:
    return int8_t(bits);
  case Element::f64:
    return as<double>(bits);
  case Element::fp8:
    return smallFloat(unsigned(bits), 4);
  case Element::bf8:
    return smallFloat(unsigned(bits), 5);
  }
  return 0;
}

const std::vector<MatrixForm> &matrixForms() {
  using enum Element;
  // 32x32: lane 32 * (i / 4 % 2) + j, register 16 * block + 4 * (i / 8) + i % 4
  const OutputPlaces square32 = {0, 2, 32, 0, 16, 4, 1};
  // 16x16: lane 16 * (i / 4) + j, register 4 * block + i % 4
  const OutputPlaces square16 = {0, 4, 16, 0, 4, 0, 1};
  // 4x4: lane 4 * block + j, register i
  const OutputPlaces square4 = {4, 1, 0, 0, 0, 0, 1};
  // f64 16x16: lane 16 * (i % 4) + j, pair i / 4; f64 4x4: lane 16 * i + 4 * block + j
  const OutputPlaces wide16 = {0, 1, 0, 16, 0, 1, 0}, wide4 = {4, 1, 0, 16, 0, 0, 0};
  static const std::vector<MatrixForm> forms = {
      // clang-format off
      {"v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32", 32, 32, 1, 2, f32, f32, {32, 1, 0}, square32},
      {"v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32", 16, 16, 1, 4, f32, f32, {16, 1, 0}, square16},
      {"v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32", 4, 4, 1, 16, f32, f32, {4, 1, 0}, square4},
      {"v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32", 32, 32, 2, 1, f32, f32, {0, 1, 32}, square32},
      {"v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32", 16, 16, 4, 1, f32, f32, {0, 1, 16}, square16},
      {"v_mfma_f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16", 32, 32, 4, 2, f16, f16, {32, 4, 0}, square32},
      {"v_mfma_f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16", 16, 16, 4, 4, f16, f16, {16, 4, 0}, square16},
      {"v_mfma_f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16", 4, 4, 4, 16, f16, f16, {4, 4, 0}, square4},
      {"v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16", 32, 32, 8, 1, f16, f16, {0, 4, 32}, square32},
      {"v_mfma_f32_16x16x16f16", "v_mfma_f32_16x16x16_f16", 16, 16, 16, 1, f16, f16, {0, 4, 16}, square16},
      {"v_mfma_f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4_2b_bf16", 32, 32, 4, 2, bf16, bf16, {32, 4, 0}, square32},
      {"v_mfma_f32_16x16x4bf16_1k", "v_mfma_f32_16x16x4_4b_bf16", 16, 16, 4, 4, bf16, bf16, {16, 4, 0}, square16},
      {"v_mfma_f32_4x4x4bf16_1k", "v_mfma_f32_4x4x4_16b_bf16", 4, 4, 4, 16, bf16, bf16, {4, 4, 0}, square4},
      {"v_mfma_f32_32x32x8bf16_1k", "v_mfma_f32_32x32x8_bf16", 32, 32, 8, 1, bf16, bf16, {0, 4, 32}, square32},
      {"v_mfma_f32_16x16x16bf16_1k", "v_mfma_f32_16x16x16_bf16", 16, 16, 16, 1, bf16, bf16, {0, 4, 16}, square16},
      {"v_mfma_f32_32x32x2bf16", nullptr, 32, 32, 2, 2, bf16, bf16, {32, 2, 0}, square32},
      {"v_mfma_f32_16x16x2bf16", nullptr, 16, 16, 2, 4, bf16, bf16, {16, 2, 0}, square16},
      {"v_mfma_f32_4x4x2bf16", nullptr, 4, 4, 2, 16, bf16, bf16, {4, 2, 0}, square4},
      {"v_mfma_f32_32x32x4bf16", nullptr, 32, 32, 4, 1, bf16, bf16, {0, 2, 32}, square32},
      {"v_mfma_f32_16x16x8bf16", nullptr, 16, 16, 8, 1, bf16, bf16, {0, 2, 16}, square16},
      {"v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8", 32, 32, 4, 2, i8, i8, {32, 4, 0}, square32},
      {"v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8", 16, 16, 4, 4, i8, i8, {16, 4, 0}, square16},
      {"v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8", 4, 4, 4, 16, i8, i8, {4, 4, 0}, square4},
      {"v_mfma_i32_32x32x8i8", nullptr, 32, 32, 8, 1, i8, i8, {0, 4, 32}, square32},
      {"v_mfma_i32_16x16x16i8", nullptr, 16, 16, 16, 1, i8, i8, {0, 4, 16}, square16},
      {nullptr, "v_mfma_i32_32x32x16_i8", 32, 32, 16, 1, i8, i8, {0, 8, 32}, square32},
      {nullptr, "v_mfma_i32_16x16x32_i8", 16, 16, 32, 1, i8, i8, {0, 8, 16}, square16},
      {"v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64", 16, 16, 4, 1, f64, f64, {0, 1, 16}, wide16},
      {"v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, 4, f64, f64, {4, 1, 16}, wide4},
      {nullptr, "v_mfma_f32_16x16x8_xf32", 16, 16, 8, 1, xf32, xf32, {0, 2, 16}, square16},
      {nullptr, "v_mfma_f32_32x32x4_xf32", 32, 32, 4, 1, xf32, xf32, {0, 2, 32}, square32},
      {nullptr, "v_mfma_f32_16x16x32_fp8_fp8", 16, 16, 32, 1, fp8, fp8, {0, 8, 16}, square16},
      {nullptr, "v_mfma_f32_32x32x16_fp8_fp8", 32, 32, 16, 1, fp8, fp8, {0, 8, 32}, square32},
      {nullptr, "v_mfma_f32_16x16x32_fp8_bf8", 16, 16, 32, 1, fp8, bf8, {0, 8, 16}, square16},
      {nullptr, "v_mfma_f32_32x32x16_fp8_bf8", 32, 32, 16, 1, fp8, bf8, {0, 8, 32}, square32},
      {nullptr, "v_mfma_f32_16x16x32_bf8_fp8", 16, 16, 32, 1, bf8, fp8, {0, 8, 16}, square16},
      {nullptr, "v_mfma_f32_32x32x16_bf8_fp8", 32, 32, 16, 1, bf8, fp8, {0, 8, 32}, square32},
      {nullptr, "v_mfma_f32_16x16x32_bf8_bf8", 16, 16, 32, 1, bf8, bf8, {0, 8, 16}, square16},
      {nullptr, "v_mfma_f32_32x32x16_bf8_bf8", 32, 32, 16, 1, bf8, bf8, {0, 8, 32}, square32},
      {nullptr, "v_smfmac_f32_16x16x32_f16", 16, 16, 32, 1, f16, f16, {0, 8, 16}, square16, true},
      {nullptr, "v_smfmac_f32_32x32x16_f16", 32, 32, 16, 1, f16, f16, {0, 8, 32}, square32, true},
      {nullptr, "v_smfmac_f32_16x16x32_bf16", 16, 16, 32, 1, bf16, bf16, {0, 8, 16}, square16, true},
      {nullptr, "v_smfmac_f32_32x32x16_bf16", 32, 32, 16, 1, bf16, bf16, {0, 8, 32}, square32, true},
      {nullptr, "v_smfmac_i32_16x16x64_i8", 16, 16, 64, 1, i8, i8, {0, 16, 16}, square16, true},
      {nullptr, "v_smfmac_i32_32x32x32_i8", 32, 32, 32, 1, i8, i8, {0, 16, 32}, square32, true},
      {nullptr, "v_smfmac_f32_16x16x64_fp8_fp8", 16, 16, 64, 1, fp8, fp8, {0, 16, 16}, square16, true},
      {nullptr, "v_smfmac_f32_32x32x32_fp8_fp8", 32, 32, 32, 1, fp8, fp8, {0, 16, 32}, square32, true},
      {nullptr, "v_smfmac_f32_16x16x64_fp8_bf8", 16, 16, 64, 1, fp8, bf8, {0, 16, 16}, square16, true},
      {nullptr, "v_smfmac_f32_32x32x32_fp8_bf8", 32, 32, 32, 1, fp8, bf8, {0, 16, 32}, square32, true},
      {nullptr, "v_smfmac_f32_16x16x64_bf8_fp8", 16, 16, 64, 1, bf8, fp8, {0, 16, 16}, square16, true},
      {nullptr, "v_smfmac_f32_32x32x32_bf8_fp8", 32, 32, 32, 1, bf8, fp8, {0, 16, 32}, square32, true},
      {nullptr, "v_smfmac_f32_16x16x64_bf8_bf8", 16, 16, 64, 1, bf8, bf8, {0, 16, 16}, square16, true},
      {nullptr, "v_smfmac_f32_32x32x32_bf8_bf8", 32, 32, 32, 1, bf8, bf8, {0, 16, 32}, square32, true},
      // clang-format on
  };
  return forms;
}

Place placeOfInput(const MatrixForm &form, unsigned block, unsigned i, unsigned k) {
  const InputPlaces &p = form.input;
  return {block * p.block + i + k / p.perLane * p.depth, k % p.perLane};
}
Place placeOfOutput(const MatrixForm &form, unsigned block, unsigned i, unsigned j) {
  const OutputPlaces &p = form.output;
  return {block * p.block + i / 4 % p.fours * p.four + i % 4 * p.row + j,
          block * p.blockRegister + i / 4 / p.fours * p.fourRegister + i % 4 * p.rowRegister};
}

uint64_t getElement(const Snippet &s, unsigned row, Place place, unsigned bits) {
  if (bits == 64)
    return s.lane<uint64_t>(row + 2 * place.element, place.lane);
  uint32_t word = s.wave().rows[row + place.element * bits / 32][place.lane];
  return bits == 32 ? word : word >> (place.element * bits % 32) & ((1u << bits) - 1);
}
void setElement(Snippet &s, unsigned row, Place place, unsigned bits, uint64_t value) {
  if (bits == 64)
    return s.setLane<uint64_t>(row + 2 * place.element, place.lane, value);
  uint32_t &word = s.wave().rows[row + place.element * bits / 32][place.lane];
  unsigned shift = place.element * bits % 32;
  uint32_t mask = bits == 32 ? ~0u : ((1u << bits) - 1) << shift;
  word = (word & ~mask) | (uint32_t(value) << shift & mask);
}

std::string registers(char file, unsigned first, unsigned count) {
  if (count == 1)
    return file + std::to_string(first);
  return std::string(1, file) + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

} // namespace nstf::emulator::test
