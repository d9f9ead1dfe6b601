// How the work on a tile is laid out over waves and in time: the fields of #systolic.schedule, of a tuning row's
// `schedule` and of `nstfc kernel --set`, in one grammar. A field that is not there is left to the compiler's passes.
//
//   waves       2x4 or 2x4x8         waves along the rows and the columns of a tile, and along what is summed up (K)
//   sum         16 blocks or all     blocks of a sum that are added up by themselves before they join the total
//   buffers     2                    of LDS, for what the products of a loop read
//   ahead       2 blocks             between a load and its products
//   through     registers or lds     the way of operands from memory to LDS: by the registers, or past them
//   order       merged or turns      memory work beside products, or halves of the waves by turns at one and the other
//   priorities  falling or none      of the waves along a block
//
// dialects/systolic/SystolicSchedule.td has the rules by their numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nstf::support {

struct Schedule {
  struct Waves {
    int64_t rows = 1, columns = 1, parts = 1; ///< `parts`: along what is summed up
    int64_t count() const { return rows * columns * parts; }
    bool operator==(const Waves &other) const = default;
  };
  enum class Through { Registers, Lds };
  enum class Order { Merged, Turns };
  enum class Priorities { Falling, None };

  /// Of `sum`: all blocks.
  static constexpr int64_t allBlocks = 0;

  std::optional<Waves> waves;
  std::optional<int64_t> sum;     ///< blocks
  std::optional<int64_t> buffers; ///< each of one block
  std::optional<int64_t> ahead;   ///< blocks
  std::optional<Through> through;
  std::optional<Order> order;
  std::optional<Priorities> priorities;

  bool operator==(const Schedule &other) const = default;

  static constexpr std::array<std::string_view, 7> fields = {"waves",   "sum",   "buffers",   "ahead",
                                                             "through", "order", "priorities"};
  static bool isField(std::string_view name);
  /// "blocks" of the fields that have a unit, else "".
  static std::string_view getUnit(std::string_view field);
  /// The field that says what a parameter of this name said before there were schedules (WM, STAGE, …); else "".
  static std::string_view getFieldInPlaceOf(std::string_view parameter);

  /// Sets a field from its text, where a unit may be left out. Returns what is wrong with the text, "expected … but got
  /// …", and changes nothing then; "" where all is well. Rules of several fields are findFault's.
  std::string set(std::string_view field, std::string_view text);
  /// A field's text, without its unit; "" where it is not there.
  std::string get(std::string_view field) const;
  /// Takes over the fields that `other` has.
  void apply(const Schedule &other);
  /// Which rule is broken, "expected … but got …"; "" where none is.
  std::string findFault() const;
  /// "waves=2x4 sum=all": all fields there are.
  std::string str() const;
};

} // namespace nstf::support
