// Buffer loads and stores with conversion.
//
// buffer_load_format and buffer_store_format take the element's format and the order of its components from the
// resource; tbuffer_ instructions have the format in the instruction and the components in order. Components that the
// format lacks read 0, the fourth 1. An element is inside or outside the buffer as a whole. D16 forms have two halves
// in a register: f16, or the low 16 bits of integers.
#include "runtime/emulator/instructions/BufferAccess-inl.h"
#include "runtime/emulator/instructions/BufferFormat.h"
#include "runtime/emulator/instructions/HandlerTable.h"

namespace nstf::emulator {
namespace {

using HWY_NAMESPACE::BufferAccess;
using HWY_NAMESPACE::Place;
constexpr unsigned width = Wave::width;

/// The source or destination of a register component: a component of the element (0 to 3), or a constant.
enum Selector : uint8_t { Zero = 4, One = 5 };

struct TypedElement {
  BufferFormat format;
  uint8_t select[4];

  TypedElement(const Wave &w, const MicroOp *op) : format(BufferFormat::of(w, op)) {
    if (op->flags & bufferTyped) {
      for (uint8_t i = 0; i < 4; ++i)
        select[i] = i;
    } else {
      struct {
        uint32_t word[4];
      } r = w.scalarSource<decltype(r)>(op->source[1]);
      for (unsigned i = 0; i < 4; ++i) {
        unsigned code = r.word[3] >> 3 * i & 7; // 4 to 7: the element's components
        select[i] = uint8_t(code >= 4 ? code - 4 : code == 1 ? One : Zero);
      }
    }
    if (!format.components)
      throw WaveFault{op, "typed buffer access with an invalid data format"};
  }
  uint32_t one() const { return format.isInteger() ? 1 : 0x3f800000; }
  /// The register components of an element.
  void load(const uint8_t *memory, uint32_t (&to)[4]) const {
    uint32_t element[6] = {0, 0, 0, one(), 0, one()};
    for (unsigned i = 0, at = 0; i < format.components; at += format.bits[i++]) {
      uint64_t raw = 0;
      std::memcpy(&raw, memory + at / 8, std::min<size_t>(8, format.bytes() - at / 8));
      element[i] = decodeComponent(format.number, format.bits[i], field(raw >> at % 8, format.bits[i]));
    }
    for (unsigned i = 0; i < 4; ++i)
      to[i] = element[select[i]];
  }
  void store(uint8_t *memory, const uint32_t (&from)[4], unsigned components) const {
    std::memset(memory, 0, format.bytes());
    for (unsigned i = 0, at = 0; i < format.components; at += format.bits[i++])
      for (unsigned k = 0; k < components; ++k)
        if (select[k] == i) {
          uint64_t bits = uint64_t(encodeComponent(format.number, format.bits[i], from[k])) << at % 8, old = 0;
          size_t size = std::min<size_t>(8, format.bytes() - at / 8);
          std::memcpy(&old, memory + at / 8, size);
          old |= bits;
          std::memcpy(memory + at / 8, &old, size);
          break;
        }
  }
  static uint32_t field(uint64_t raw, unsigned bits) { return uint32_t(raw & ((uint64_t(1) << bits) - 1)); }

  // D16: converts a register component to 16 bits and back.
  uint32_t narrowed(uint32_t value) const {
    return format.isInteger() ? value & 0xffff
                              : __builtin_bit_cast(uint16_t, _Float16(__builtin_bit_cast(float, value)));
  }
  uint32_t widened(uint32_t half) const {
    if (format.number == NumberFormat::Sint)
      return uint32_t(int32_t(int16_t(half)));
    return format.isInteger() ? half & 0xffff
                              : __builtin_bit_cast(uint32_t, float(__builtin_bit_cast(_Float16, uint16_t(half))));
  }
};

/// The placement of components in registers.
enum class Width { whole, halves, high };

/// Checks the elements of all active lanes that are inside the buffer, and calls visit(lane, element) for each.
template <typename Visit> void forElements(Wave &w, const MicroOp *op, unsigned bytes, bool writes, Visit visit) {
  BufferAccess<width> access(w, op);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    Place p = access.place(lane);
    if (!access.inside(p, bytes))
      continue;
    uint64_t address = access.address(p);
    checkAccess(w, op, int(lane), address, bytes, writes);
    visit(lane, reinterpret_cast<uint8_t *>(address));
  }
}

template <unsigned components, Width registers> const MicroOp *typedLoad(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  if (!exec)
    return op + 1;
  TypedElement typed(w, op);
  uint32_t results[width][4] = {};
  forElements(w, op, typed.format.bytes(), /*writes=*/false,
              [&](unsigned lane, const uint8_t *element) { typed.load(element, results[lane]); });
  uint64_t lds = (w.scalars[sgpr::m0] & 0xffff) + op->immediate;
  uint32_t *to = w.destination(op);
  for (uint64_t left = exec; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    const uint32_t (&from)[4] = results[lane];
    if (op->flags & bufferToLds) {
      storeLdsLane(w, op, lane, lds + lane * 4, &from[0], 4);
      continue;
    }
    if constexpr (registers == Width::whole)
      for (unsigned k = 0; k < components; ++k)
        to[k * width + lane] = from[k];
    else if constexpr (registers == Width::high)
      to[lane] = typed.narrowed(from[0]) << 16; // the other half is cleared, as by all D16 loads
    else
      for (unsigned k = 0; k < components; k += 2)
        to[k / 2 * width + lane] =
            typed.narrowed(from[k]) | (k + 1 < components ? typed.narrowed(from[k + 1]) << 16 : 0);
  }
  return op + 1;
}

template <unsigned components, Width registers> const MicroOp *typedStore(Wave &w, const MicroOp *op) {
  if (!w.exec())
    return op + 1;
  TypedElement typed(w, op);
  const uint32_t *data = w.row(op->source[2]);
  forElements(w, op, typed.format.bytes(), /*writes=*/true, [&](unsigned lane, uint8_t *element) {
    uint32_t values[4] = {};
    for (unsigned k = 0; k < components; ++k)
      values[k] = registers == Width::whole  ? data[k * width + lane]
                  : registers == Width::high ? typed.widened(data[lane] >> 16)
                                             : typed.widened(data[k / 2 * width + lane] >> 16 * (k & 1));
    typed.store(element, values, components);
  });
  return op + 1;
}

} // namespace

void enterTypedBuffer(HandlerTable &table) {
#define SET(name) table[unsigned(Opcode::name)]
#define TYPEDLOAD(name, components, registers)                                                                         \
  SET(BUFFER_##name) = SET(TBUFFER_##name) = typedLoad<components, Width::registers>;
#define TYPEDSTORE(name, components, registers)                                                                        \
  SET(BUFFER_##name) = SET(TBUFFER_##name) = typedStore<components, Width::registers>;
#include "runtime/emulator/decode/Instructions.def"
  SET(BUFFER_LOAD_FORMAT_D16_HI_X) = typedLoad<1, Width::high>;
  SET(BUFFER_STORE_FORMAT_D16_HI_X) = typedStore<1, Width::high>;
#undef SET
}

} // namespace nstf::emulator
