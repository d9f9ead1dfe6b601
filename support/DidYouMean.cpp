#include "support/DidYouMean.h"
#include "support/Escape.h"

#include <algorithm>

namespace nstf::support {

/// Levenshtein distance: the number of letters to insert, delete or replace to turn `a` into `b`.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] != b[j])});
      diagonal = above;
    }
  }
  return row.back();
}

std::string didYouMean(std::string_view name, const std::vector<std::string> &known) {
  const size_t letters = name.size() - std::min(name.find_first_not_of('-'), name.size()); // without leading dashes
  size_t best = std::max<size_t>(1, letters / 3) + 1;
  const std::string *nearest = nullptr;
  for (const std::string &candidate : known) {
    if (name.size() > 200 || candidate.size() > 200)
      continue;
    size_t distance = candidate.starts_with(name) ? 1 : editDistance(name, candidate);
    if (distance < best && distance < letters) { // a distance of all letters would match any name
      best = distance;
      nearest = &candidate;
    }
  }
  return nearest ? ", did you mean '" + *nearest + "'?" : "";
}

std::string listNames(const std::vector<std::string> &names) {
  constexpr size_t longestName = 60, longestList = 250;
  std::string list;
  for (const std::string &name : names) {
    const std::string shown = escape(name, longestName);
    if (list.size() + shown.size() > longestList)
      return list + ", … (" + std::to_string(names.size()) + " in all)";
    list += (list.empty() ? "" : ", ") + shown;
  }
  return list;
}

} // namespace nstf::support
