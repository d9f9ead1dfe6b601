#include "tools/nstf-tune/Journal.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/WriteFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdio>

using namespace nstf::tune;

namespace fs = std::filesystem;

/// "BM=64 waves=2x2\t0x1.8p+2\t62\t49152\t"; the text after the last tab is the fault. Times are exact, so that a
/// resumed search makes the same decisions as an uninterrupted one.
static std::string formatLine(const std::string &candidate, const Trial &trial) {
  char time[64];
  std::snprintf(time, sizeof time, "%a", trial.microseconds);
  return candidate + "\t" + time + "\t" + std::to_string(trial.registers) + "\t" + std::to_string(trial.ldsBytes) +
         "\t" + nstf::support::escape(trial.fault) + "\n";
}

/// Nothing if the line is invalid.
static std::optional<std::pair<std::string, Trial>> parseLine(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef> fields;
  line.split(fields, '\t', /*MaxSplit=*/4);
  Trial trial;
  if (fields.size() != 5 || fields[0].empty() || fields[1].getAsDouble(trial.microseconds) ||
      fields[2].getAsInteger(10, trial.registers) || fields[3].getAsInteger(10, trial.ldsBytes))
    return std::nullopt;
  trial.fault = fields[4].str();
  return std::pair(fields[0].str(), trial);
}

Journal::Journal(fs::path file, const std::string &search, bool resumes)
    : path(std::move(file)), begin("nstf-tune: " + search + "\n") {
  std::string text;
  if (resumes && fs::exists(path))
    text = support::readTextFile(path);
  llvm::StringRef rest = text;
  llvm::SmallVector<llvm::StringRef> lines;
  if (rest.consume_front(begin))
    rest.split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (auto known = parseLine(line))
      trials.insert(*known);
  write();
}

void Journal::write() const {
  std::string text = begin;
  for (const auto &[candidate, trial] : trials)
    text += formatLine(candidate, trial);
  support::writeFile(path, text);
}

std::optional<Trial> Journal::find(const std::string &candidate) const {
  std::lock_guard guard(lock);
  auto known = trials.find(candidate);
  return known == trials.end() ? std::nullopt : std::optional(known->second);
}

void Journal::add(const std::string &candidate, const Trial &trial) {
  std::lock_guard guard(lock);
  trials[candidate] = trial;
  write();
}

void Journal::remove() { fs::remove(path); }
