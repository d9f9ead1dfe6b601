// How the work on a tile is distributed over waves and in time: the fields of #systolic.schedule, of a tuning row's
// `schedule` and of `nstfc kernel --set`, in one grammar. The compiler's passes choose the fields that are absent.
//
//   waves       2x4 or 2x4x8         waves along a tile's rows, its columns, and the summed dimension (K)
//   sum         16 blocks or all     blocks whose partial sum is accumulated separately before it is added to the total
//   buffers     2                    LDS buffers for the operands of a loop's products
//   ahead       2 blocks             distance between a load and the products that use it
//   through     registers or lds     path of operands from memory to LDS: through registers, or directly
//   order       merged or turns      memory work interleaved with products, or two halves of the waves alternate
//   priorities  falling or none      whether wave priorities fall along a block
//
// dialects/systolic/Schedule.td has the numbered rules.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nstf::support {

struct Schedule {
  struct Waves {
    int64_t rows = 1, columns = 1, parts = 1; ///< `parts`: along the summed dimension
    int64_t count() const { return rows * columns * parts; }
    bool operator==(const Waves &other) const = default;
  };
  enum class Through { Registers, Lds };
  enum class Order { Merged, Turns };
  enum class Priorities { Falling, None };

  /// The value of `sum` for all blocks.
  static constexpr int64_t allBlocks = 0;

  std::optional<Waves> waves;
  std::optional<int64_t> sum;     ///< blocks
  std::optional<int64_t> buffers; ///< of one block each
  std::optional<int64_t> ahead;   ///< blocks
  std::optional<Through> through;
  std::optional<Order> order;
  std::optional<Priorities> priorities;

  bool operator==(const Schedule &other) const = default;

  static constexpr std::array<std::string_view, 7> fields = {"waves",   "sum",   "buffers",   "ahead",
                                                             "through", "order", "priorities"};
  static bool isField(std::string_view name);
  /// The unit of a field, "blocks", or "" if it has none.
  static std::string_view getUnit(std::string_view field);
  /// The field that replaced a parameter of earlier versions (WM, STAGE, …), or "" if there is none.
  static std::string_view getFieldInPlaceOf(std::string_view parameter);

  /// Sets a field from its text, in which the unit is optional. Returns "" on success; else returns the error,
  /// "expected … but got …", and changes nothing. findFault checks the rules that involve several fields.
  std::string set(std::string_view field, std::string_view text);
  /// A field's text without its unit, or "" if the field is absent.
  std::string get(std::string_view field) const;
  /// Copies the fields that `other` has.
  void apply(const Schedule &other);
  /// The first broken rule, "expected … but got …", or "" if there is none.
  std::string findFault() const;
  /// All present fields: "waves=2x4 sum=all".
  std::string str() const;
};

} // namespace nstf::support
