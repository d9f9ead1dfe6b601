#include "support/Schedule.h"
#include "support/Escape.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

using namespace nstf::support;

namespace {

/// Larger than the number of waves of any workgroup; products of such numbers don't overflow.
constexpr int64_t maxWaves = 1024;
constexpr int64_t maxBuffers = 3;

using Words = std::array<std::string_view, 2>;
constexpr Words throughWords = {"registers", "lds"}, orderWords = {"merged", "turns"},
                prioritiesWords = {"falling", "none"};

std::string expect(const std::string &expected, std::string_view text) {
  return "expected " + expected + " but got '" + escape(text, 60) + "'";
}

std::optional<int64_t> parseInteger(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// "2x4" or "2x4x8".
std::optional<Schedule::Waves> parseWaves(std::string_view text) {
  std::vector<int64_t> numbers;
  while (true) {
    size_t end = text.find('x');
    std::optional<int64_t> number = parseInteger(text.substr(0, end));
    if (!number || numbers.size() == 3)
      return std::nullopt;
    numbers.push_back(*number);
    if (end == std::string_view::npos)
      break;
    text.remove_prefix(end + 1);
  }
  if (numbers.size() < 2)
    return std::nullopt;
  return Schedule::Waves{numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 1};
}

/// A number of blocks, with or without its unit.
std::optional<int64_t> parseBlocks(std::string_view text) {
  for (std::string_view unit : {" blocks", " block"})
    if (text.ends_with(unit))
      return parseInteger(text.substr(0, text.size() - unit.size()));
  return parseInteger(text);
}

template <typename Word>
std::string setWord(std::optional<Word> &field, std::string_view name, std::string_view text, const Words &words) {
  auto word = std::ranges::find(words, text);
  if (word == words.end()) // schedule_c5
    return expect(std::string(name) + " to be " + std::string(words[0]) + " or " + std::string(words[1]), text);
  field = Word(word - words.begin());
  return "";
}

template <typename Word> std::string getWord(const std::optional<Word> &field, const Words &words) {
  return field ? std::string(words[size_t(*field)]) : "";
}

std::string getNumber(const std::optional<int64_t> &field) { return field ? std::to_string(*field) : ""; }

std::string getWaves(const Schedule::Waves &waves) {
  return std::to_string(waves.rows) + "x" + std::to_string(waves.columns) +
         (waves.parts == 1 ? "" : "x" + std::to_string(waves.parts));
}

template <typename Field> void takeOver(std::optional<Field> &field, const std::optional<Field> &other) {
  if (other)
    field = other;
}

} // namespace

bool Schedule::isField(std::string_view name) { return std::ranges::find(fields, name) != fields.end(); }

std::string_view Schedule::getUnit(std::string_view field) {
  return field == "sum" || field == "ahead" ? "blocks" : "";
}

std::string_view Schedule::getFieldInPlaceOf(std::string_view parameter) {
  static constexpr std::pair<std::string_view, std::string_view> successors[] = {
      {"WM", "waves"}, {"WN", "waves"}, {"WK", "waves"}, {"KB", "sum"}, {"STAGE", "through"}, {"SCHEDULE", "order"}};
  for (auto [former, field] : successors)
    if (former == parameter)
      return field;
  return "";
}

std::string Schedule::set(std::string_view field, std::string_view text) {
  Schedule changed = *this;
  if (field == "waves") {
    changed.waves = parseWaves(text);
    if (!changed.waves)
      return expect("waves to be ROWSxCOLUMNS or ROWSxCOLUMNSxK, such as 2x4 or 2x4x8,", text);
  } else if (field == "sum") {
    changed.sum = text == "all" ? std::optional(allBlocks) : parseBlocks(text);
    if (!changed.sum || (changed.sum == 0 && text != "all")) // schedule_c2
      return expect("sum to be all or a number of at least 1, such as '16 blocks',", text);
  } else if (field == "buffers") {
    changed.buffers = parseInteger(text);
    if (!changed.buffers)
      return expect("buffers to be a number of 1 to " + std::to_string(maxBuffers), text);
  } else if (field == "ahead") {
    changed.ahead = parseBlocks(text);
    if (!changed.ahead)
      return expect("ahead to be a number of at least 1, such as '2 blocks',", text);
  } else {
    std::string fault = field == "through"      ? setWord(changed.through, field, text, throughWords)
                        : field == "order"      ? setWord(changed.order, field, text, orderWords)
                        : field == "priorities" ? setWord(changed.priorities, field, text, prioritiesWords)
                                                : expect("a field of a schedule", field);
    if (!fault.empty())
      return fault;
  }
  *this = changed;
  return "";
}

std::string Schedule::get(std::string_view field) const {
  if (field == "waves")
    return waves ? getWaves(*waves) : "";
  if (field == "sum")
    return sum == allBlocks ? "all" : getNumber(sum);
  if (field == "buffers")
    return getNumber(buffers);
  if (field == "ahead")
    return getNumber(ahead);
  if (field == "through")
    return getWord(through, throughWords);
  if (field == "order")
    return getWord(order, orderWords);
  return getWord(priorities, prioritiesWords);
}

void Schedule::apply(const Schedule &other) {
  takeOver(waves, other.waves);
  takeOver(sum, other.sum);
  takeOver(buffers, other.buffers);
  takeOver(ahead, other.ahead);
  takeOver(through, other.through);
  takeOver(order, other.order);
  takeOver(priorities, other.priorities);
}

std::string Schedule::findFault() const {
  if (waves)
    for (int64_t number : {waves->rows, waves->columns, waves->parts})
      if (number < 1 || number > maxWaves) // schedule_c1
        return expect("waves of 1 to " + std::to_string(maxWaves) + " in each direction", getWaves(*waves));
  if (sum && *sum < 0) // schedule_c2
    return expect("sum to be all or a number of at least 1", getNumber(sum));
  if (buffers && (*buffers < 1 || *buffers > maxBuffers)) // schedule_c3
    return expect("buffers to be a number of 1 to " + std::to_string(maxBuffers), getNumber(buffers));
  if (ahead && *ahead < 1) // schedule_c4
    return expect("ahead to be a number of at least 1", getNumber(ahead));
  if (through == Through::Lds && buffers && ahead && *ahead > *buffers) // schedule_c6
    return "expected ahead of at most the " + getNumber(buffers) + " buffers past the registers but got " +
           getNumber(ahead);
  if (order == Order::Turns && priorities == Priorities::Falling) // schedule_c7
    return "expected falling priorities of a merged order but got them of turns";
  return "";
}

std::string Schedule::str() const {
  std::string text;
  for (std::string_view field : fields)
    if (std::string value = get(field); !value.empty())
      text += (text.empty() ? "" : " ") + std::string(field) + "=" + value;
  return text;
}
