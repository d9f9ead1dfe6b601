// Measures tokens per second as llama-bench does: "pp512" is a prompt of 512 tokens; "tg128" is 128 tokens decoded one
// by one from an empty context, "tg128 @ d4096" from position 4096 on, "tg128 x16" for 16 requests at once. Prints the
// mean over repetitions and the standard deviation of one repetition.
#include "tools/nstf-run/Commands.h"
#include "tools/nstf-run/Output.h"

#include "nstf/Batch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <stdexcept>

using namespace nstf::runtime;

namespace {

struct Row {
  bool decodes;
  int64_t tokens;
  int64_t depth;             // position of the first token; nothing is run for those before
  int64_t requests;          // requests that run at once
  std::vector<double> rates; // tokens per second, for each repetition
  std::string chip;          // the chip of predicted rates; empty: measured

  std::string name() const {
    return (decodes ? "tg" : "pp") + std::to_string(tokens) + (requests > 1 ? " x" + std::to_string(requests) : "") +
           (depth ? " @ d" + std::to_string(depth) : "");
  }
  /// The position where the session starts. Decoding begins after a prompt of one token.
  int64_t start() const { return decodes && depth ? depth - 1 : depth; }
  int64_t positions() const { return start() + tokens + (decodes ? 1 : 0); }
  double mean() const { return std::accumulate(rates.begin(), rates.end(), 0.0) / double(rates.size()); }
  /// The sample standard deviation; 0 for a single rate.
  double deviation() const {
    double squares = 0;
    for (double rate : rates)
      squares += (rate - mean()) * (rate - mean());
    return rates.size() > 1 ? std::sqrt(squares / double(rates.size() - 1)) : 0.0;
  }
};

/// The prompt's text does not affect the time, so it is fixed.
std::vector<int32_t> makePrompt(int64_t tokens, int64_t vocabulary) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < tokens; ++i)
    ids.push_back(static_cast<int32_t>((3 + 7 * i + i * i % 11) % vocabulary));
  return ids;
}

/// The total tokens per second of several requests at once.
double measureTogether(Session &session, const GenerateOptions &generation, Row &row) {
  session.reset();
  Batch batch(session);
  const std::vector<int32_t> ids =
      makePrompt(row.start() + (row.decodes ? 1 : row.tokens), *session.manifest().model.vocabulary);
  for (int64_t i = 0; i < row.requests; ++i)
    batch.add(ids, generation, row.start());
  RunClock clock(session.backend());
  if (row.decodes) {
    batch.step(); // the step of the prompt's token
    clock.lap();
  }
  while (!batch.isIdle())
    batch.step();
  const RunTime time = clock.lap();
  row.chip = clock.chip();
  return double(row.tokens * row.requests) / std::max(row.chip.empty() ? time.seconds : time.predictedSeconds(), 1e-9);
}

/// Tokens per second of a prompt, or of `row.tokens` decode steps after a prompt of one token. The caches hold zeros
/// for earlier positions.
double measure(Session &session, const Options &options, Row &row) {
  GenerateOptions generation;
  generation.stopAtEos = false;
  generation.chunk = options.chunk;
  generation.tokens = row.decodes ? row.tokens + 1 : 1; // the first comes from the prompt's step
  if (row.requests > 1)
    return measureTogether(session, generation, row);
  session.reset();
  session.seek(row.start());
  Generation result = Generator(session).generate(
      makePrompt(row.decodes ? 1 : row.tokens, *session.manifest().model.vocabulary), generation);
  double seconds = row.decodes ? result.decodeSeconds : result.promptSeconds;
  if (result.predicted) {
    row.chip = result.predicted->chip;
    seconds = row.decodes ? result.predicted->decodeSeconds : result.predicted->promptSeconds;
  }
  return double(row.tokens) / std::max(seconds, 1e-9);
}

std::vector<int64_t> depthsOf(const Options &options, int64_t context) {
  for (int64_t depth : options.benchDepths)
    if (depth >= context)
      throw std::runtime_error("--bench-depth: expected a position from 0 to " + std::to_string(context - 1) +
                               ", inside the model's context, but got " + std::to_string(depth));
  if (options.benchDepths.empty())
    return {0};
  return {options.benchDepths.begin(), options.benchDepths.end()};
}

/// The number of characters of UTF-8 text.
size_t widthOf(const std::string &text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

void printTable(const Session &session, const std::vector<Row> &rows) {
  std::vector<std::vector<std::string>> table = {
      {"model", "target", "test",
       rows.front().chip.empty() ? "tokens/s" : "tokens/s predicted on " + rows.front().chip},
      {"---", "---", "---", "---:"}};
  for (const Row &row : rows) {
    char rate[64];
    std::snprintf(rate, sizeof(rate), "%.2f ± %.2f", row.mean(), row.deviation());
    table.push_back({session.manifest().model.name, session.target().id, row.name(), rate});
  }
  for (const auto &cells : table) {
    std::cout << "|";
    for (size_t column = 0; column < cells.size(); ++column) {
      size_t width = 0;
      for (const auto &other : table)
        width = std::max(width, widthOf(other[column]));
      std::cout << " " << cells[column] << std::string(width - widthOf(cells[column]), ' ') << " |";
    }
    std::cout << "\n";
  }
}

} // namespace

void runBench(Session &session, const Options &options) {
  Generator generator(session); // throws if the package is not a language model
  int64_t context = *session.manifest().model.context;
  if (options.benchBatch > session.maxRequests())
    throw std::runtime_error("--bench-batch: expected at most " + std::to_string(session.maxRequests()) +
                             ", what the package was compiled for (nstfc --max-batch), but got " +
                             std::to_string(options.benchBatch));
  std::vector<Row> rows;
  auto add = [&](bool decodes, int64_t depth, const std::vector<int32_t> &given, int64_t preset) {
    const int64_t limit = context - Row{decodes, 0, depth, 1, {}, {}}.positions();
    std::vector<int64_t> lengths(given.begin(), given.end());
    if (given.empty() && limit > 0)
      lengths = {std::min(preset, limit)};
    for (int64_t length : lengths) {
      if (length > limit)
        throw std::runtime_error(std::string(decodes ? "--bench-tokens" : "--bench-prompt") + ": expected at most " +
                                 std::to_string(limit) + " tokens, what fits into the model's context" +
                                 (depth ? " at depth " + std::to_string(depth) : "") + ", but got " +
                                 std::to_string(length));
      rows.push_back({decodes, length, depth, options.benchBatch, {}, {}});
    }
  };
  if (options.benchDepths.empty() || !options.benchPrompts.empty())
    for (int64_t depth : depthsOf(options, context))
      add(false, depth, options.benchPrompts, 512);
  for (int64_t depth : depthsOf(options, context))
    add(true, depth, options.benchTokens, 128);
  for (Row &row : rows) {
    measure(session, options, row); // warm-up: captures graphs, fills caches
    for (int64_t i = 0; i < options.repetitions; ++i)
      row.rates.push_back(measure(session, options, row));
  }
  if (options.json) {
    auto json = beginResult("bench", session);
    json["tests"] = nlohmann::ordered_json::array();
    for (const Row &row : rows)
      json["tests"].push_back({{"name", row.name()},
                               {"tokens", row.tokens},
                               {"depth", row.depth},
                               {"requests", row.requests},
                               {"tokens_per_second", row.rates},
                               {"mean", row.mean()},
                               {"standard_deviation", row.deviation()}});
    if (!rows.front().chip.empty())
      json["predicted_on"] = rows.front().chip;
    printResult(json);
  } else {
    printTable(session, rows);
  }
  std::cout.flush();
}
