// Tracks undefined elements through matrix instructions: an element of D depends on its row of A, its column of B and
// its element of C. Layouts: instructions/Matrix.cpp.
#include "runtime/emulator/checks/UninitCheck.h"
#include "runtime/emulator/decode/MicroOpFlags.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace nstf::emulator::checks {
namespace {

struct Shape {
  unsigned rows = 0, columns = 0, depth = 0, blocks = 1;
  unsigned registersA = 0, registersB = 0; ///< of a lane
  bool sparse = false, isDouble = false;
};

unsigned elementBits(std::string_view type) {
  if (type == "f64")
    return 64;
  if (type == "f32" || type == "xf32")
    return 32;
  if (type == "f16" || type == "bf16")
    return 16;
  return 8;
}

const Shape &shapeOf(Opcode opcode) {
  static const std::array<Shape, opcodeCount> table = [] {
    std::array<Shape, opcodeCount> t;
    auto make = [](std::string_view type, unsigned rows, unsigned columns, unsigned depth, unsigned blocks,
                   bool sparse) {
      Shape shape{rows, columns, depth, blocks};
      shape.sparse = sparse;
      shape.isDouble = type == "f64";
      unsigned bits = elementBits(type);
      shape.registersA = std::max(1u, rows * depth * blocks / 64 * bits / 32 / (sparse ? 2 : 1));
      shape.registersB = std::max(1u, columns * depth * blocks / 64 * bits / 32);
      return shape;
    };
#define MATRIX(name, D, A, rows, columns, depth, blocks)                                                               \
  t[unsigned(Opcode::name)] = make(#A, rows, columns, depth, blocks, false);
#define SPARSE(name, D, A, rows, columns, depth) t[unsigned(Opcode::name)] = make(#A, rows, columns, depth, 1, true);
#include "runtime/emulator/decode/Instructions.def"
    return t;
  }();
  return table[unsigned(opcode)];
}

/// The lane of B from which lane i reads.
unsigned permutedLane(unsigned blgp, unsigned i) {
  switch (blgp) {
  case 0:
    return i;
  case 1:
    return i & 31;
  case 2:
    return i | 32;
  case 3:
    return (i + 16) & 63;
  default:
    return (blgp - 4) * 16 + (i & 15);
  }
}

} // namespace

void UninitCheck::matrix(Wave &w, WaveShadow &s, const MicroOp *op) {
  const Shape &shape = shapeOf(Opcode(op->opcode));
  constexpr unsigned width = Wave::width;
  const unsigned results = shape.rows * shape.columns * shape.blocks / width * (shape.isDouble ? 2 : 1);
  uint64_t a = undefinedLanes(s, op->source[0], shape.registersA);
  uint64_t b = undefinedLanes(s, op->source[1], shape.registersB);
  uint64_t index = shape.sparse ? undefinedLanes(s, op->source[3], 1) : 0;
  bool constant = op->flags & matrixConstant;
  uint64_t c = constant ? 0 : undefinedLanes(s, op->source[2], results);
  unsigned row = op->destination;
  if (!(a | b | c | index)) {
    for (unsigned r = 0; r < results; ++r)
      s.define(row + r, ~uint64_t(0));
    return;
  }
  (void)w;
  unsigned cbsz = op->immediate & 7, abid = op->immediate >> 8 & 15, blgp = op->immediate >> 16 & 7;
  // Rows of A and columns of B in each block that have any undefined bit, and its origin.
  bool rowUndefined[16][32] = {}, columnUndefined[16][32] = {};
  Origin rowOrigin[16][32], columnOrigin[16][32];
  auto mark = [&](uint64_t lanes, unsigned size, SourceRef ref, unsigned registers, auto &marks, auto &origins,
                  auto source) {
    for (unsigned lane = 0; lane < width; ++lane) {
      unsigned from = source(lane);
      if (!(lanes >> from & 1))
        continue;
      unsigned block = lane / size % shape.blocks, i = lane % size;
      marks[block][i] = true;
      origins[block][i] = laneOrigin(s, ref, from, registers);
    }
  };
  auto same = [](unsigned lane) { return lane; };
  mark(a, shape.rows, op->source[0], shape.registersA, rowUndefined, rowOrigin, [&](unsigned lane) {
    if (!cbsz || shape.sparse)
      return lane;
    unsigned block = lane / shape.rows % shape.blocks, other = ((block & ~((1u << cbsz) - 1)) + abid) % shape.blocks;
    return lane - block * shape.rows + other * shape.rows;
  });
  mark(b, shape.columns, op->source[1], shape.registersB, columnUndefined, columnOrigin,
       [&](unsigned lane) { return shape.isDouble || shape.sparse ? lane : permutedLane(blgp, lane); });
  mark(index, shape.rows, op->source[3], 1, rowUndefined, rowOrigin, same);

  const unsigned groups = width / shape.columns, perElement = shape.isDouble ? 2 : 1;
  std::array<uint64_t, 32> undefined = {}; // by register (pair) of D
  std::array<std::array<Origin, width>, 32> resultOrigins;
  for (unsigned r = 0; r < results / perElement; ++r)
    for (unsigned lane = 0; lane < width; ++lane) {
      unsigned group = lane / shape.columns, j = lane % shape.columns, i, block;
      if (shape.isDouble) {
        i = (r * groups + group) / shape.blocks;
        block = (r * groups + group) % shape.blocks;
      } else {
        i = (r / 4 * groups + group) % (shape.rows / 4) * 4 + r % 4;
        block = (r / 4 * groups + group) / (shape.rows / 4);
      }
      bool fromC = !constant && undefinedLanes(s, op->source[2] + r * perElement * width * 4, perElement) >> lane & 1;
      if (!rowUndefined[block][i] && !columnUndefined[block][j] && !fromC)
        continue;
      undefined[r] |= uint64_t(1) << lane;
      resultOrigins[r][lane] = rowUndefined[block][i] ? rowOrigin[block][i]
                               : columnUndefined[block][j]
                                   ? columnOrigin[block][j]
                                   : laneOrigin(s, op->source[2] + r * perElement * width * 4, lane, perElement);
    }
  for (unsigned r = 0; r < results; ++r) {
    s.define(row + r, ~uint64_t(0));
    for (unsigned lane = 0; lane < width; ++lane)
      if (undefined[r / perElement] >> lane & 1)
        s.setLane(row + r, lane, ~0u, resultOrigins[r / perElement][lane]);
  }
}

} // namespace nstf::emulator::checks
