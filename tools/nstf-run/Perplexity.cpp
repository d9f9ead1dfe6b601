// Measures a model's perplexity on one or several texts, from text or from a file of token ids.
#include "tools/nstf-run/Commands.h"
#include "tools/nstf-run/Output.h"
#include "tools/nstf-run/ReadText.h"

#include "nstf/Divergence.h"
#include "nstf/Perplexity.h"
#include "support/Escape.h"
#include "support/JsonCursor.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>

using namespace nstf;
using namespace nstf::runtime;

namespace {

std::vector<int32_t> readList(const std::vector<support::JsonCursor> &values) {
  std::vector<int32_t> ids;
  for (const support::JsonCursor &value : values)
    ids.push_back(static_cast<int32_t>(value.integer(0, INT32_MAX)));
  return ids;
}

PerplexityTexts readJsonIds(const std::string &file) {
  nlohmann::json document = support::parseJson(readText(file, 8), file);
  std::vector<support::JsonCursor> values = support::JsonCursor(document, file).elements(1);
  if (!document.front().is_array())
    return {readList(values)};
  PerplexityTexts texts;
  for (const support::JsonCursor &value : values)
    texts.push_back(readList(value.elements()));
  return texts;
}

/// Reads the file by its extension: *.npy and *.json have token ids, anything else is text.
PerplexityTexts readTexts(const Options &options, const Package &package) {
  const std::string &file = options.perplexityFile;
  if (file.ends_with(".npy"))
    return readTokenIds(file);
  if (file.ends_with(".json"))
    return readJsonIds(file);
  std::unique_ptr<Tokenizer> tokenizer = package.tokenizer(options.tokenizerFile);
  if (!tokenizer)
    throw std::runtime_error(package.folder().string() +
                             ": the package has no tokenizer: give one with --tokenizer, or "
                             "token ids as a file *.npy or *.json");
  return {tokenizer->encodePrompt(readText(file, 8), package.manifest().model.bos).ids};
}

PerplexityTexts chooseRows(const Options &options, PerplexityTexts texts) {
  if (options.rows.empty())
    return texts;
  size_t first, last;
  int length = 0;
  if (std::sscanf(options.rows.c_str(), "%zu-%zu%n", &first, &last, &length) != 2 ||
      size_t(length) != options.rows.size() || first > last || last >= texts.size())
    throw std::runtime_error("--rows: expected FIRST-LAST within the " + std::to_string(texts.size()) + " texts of '" +
                             options.perplexityFile + "' but got '" + support::escape(options.rows) + "'");
  return {texts.begin() + first, texts.begin() + last + 1};
}

/// Runs each text on the other package first, and keeps its logits until this one has run the text.
class Comparison {
public:
  Comparison(const Options &options, const Session &session) : other(Session::open(options.against, options.session)) {
    auto vocabulary = session.manifest().model.vocabulary, others = other.manifest().model.vocabulary;
    if (vocabulary != others)
      throw std::runtime_error("--against: expected a package of the same vocabulary but got another");
  }

  void measureOther(const std::vector<int32_t> &ids, PerplexityOptions measuring) {
    logits.clear();
    next = 0;
    measuring.onLogits = [&](std::span<const float> row, int32_t) { logits.emplace_back(row.begin(), row.end()); };
    measurePerplexity(other, ids, measuring);
  }
  void add(std::span<const float> row, int32_t token) {
    sum.add(logits.at(next++), std::vector<double>(row.begin(), row.end()), token);
  }
  Divergence get() const { return sum.get(); }

private:
  Session other;
  std::vector<std::vector<double>> logits;
  size_t next = 0;
  DivergenceSum sum;
};

/// Adds `more` to `time`.
void add(RunTime &time, const RunTime &more) {
  time.seconds += more.seconds;
  if (more.predicted)
    time.predicted = {more.predicted->chip, more.predicted->nanoseconds + time.predictedSeconds() * 1e9};
}

} // namespace

PerplexityTexts readPerplexityTexts(const Options &options, const Package &package) {
  PerplexityTexts texts = chooseRows(options, readTexts(options, package));
  for (size_t i = 0; i < texts.size(); ++i)
    if (int64_t(texts[i].size()) <= options.from)
      throw std::runtime_error(options.perplexityFile + ": expected a text of at least " +
                               std::to_string(options.from + 1) + " tokens" + (options.from > 1 ? " (--from)" : "") +
                               " but " + (texts.size() > 1 ? "text " + std::to_string(i + 1) : "it") + " has " +
                               std::to_string(texts[i].size()));
  return texts;
}

void printPerplexity(Session &session, const Options &options, const PerplexityTexts &texts) {
  PerplexityOptions measuring{options.window, options.stride, options.from, {}, {}};
  std::optional<Comparison> comparison;
  if (!options.against.empty())
    comparison.emplace(options, session);
  Perplexity sum;
  RunTime time;
  for (const std::vector<int32_t> &ids : texts) {
    if (comparison) {
      comparison->measureOther(ids, measuring);
      measuring.onLogits = [&](std::span<const float> logits, int32_t token) { comparison->add(logits, token); };
    }
    RunClock clock(session.backend());
    sum += measurePerplexity(session, ids, measuring);
    add(time, clock.lap());
  }
  if (options.json) {
    auto json = beginResult("perplexity", session);
    json["perplexity"] = std::isfinite(sum.value()) ? nlohmann::ordered_json(sum.value()) : nlohmann::ordered_json();
    json["mean_negative_log_likelihood"] =
        std::isfinite(sum.mean()) ? nlohmann::ordered_json(sum.mean()) : nlohmann::ordered_json();
    json["texts"] = texts.size();
    json["tokens"] = sum.tokens;
    json["predicted"] = sum.predicted;
    json["windows"] = sum.windows;
    json["steps"] = sum.steps;
    json["seconds"] = sum.seconds;
    addPredicted(json, "predicted_time", time);
    if (comparison) {
      Divergence divergence = comparison->get();
      json["against"] = {{"package", options.against},     {"kl", divergence.kl},
                         {"kl_99", divergence.kl99},       {"largest_kl", divergence.largestKl},
                         {"same_top", divergence.sameTop}, {"perplexity", divergence.perplexity}};
    }
    printResult(json);
  } else {
    char line[200];
    std::snprintf(line, sizeof(line), "perplexity %.6f over %zu of %zu tokens, %zu windows\n", sum.value(),
                  sum.predicted, sum.tokens, sum.windows);
    std::cout << line;
    if (comparison) {
      Divergence d = comparison->get();
      std::snprintf(line, sizeof(line),
                    "KL %.6f (99 %%: %.6f, largest %.6f), same top token %.2f %%, perplexity %.6f before (%+.2f %%)\n",
                    d.kl, d.kl99, d.largestKl, 100 * d.sameTop, d.perplexity,
                    100 * (d.comparedPerplexity / d.perplexity - 1));
      std::cout << line;
    }
  }
  std::cout.flush();
  if (options.quiet)
    return;
  std::fprintf(stderr, "ran:     %zu steps, %.3f s, %.1f tokens/s (%s)\n", sum.steps, sum.seconds,
               sum.seconds > 0 ? double(sum.predicted) / sum.seconds : 0.0, session.graphState().c_str());
  printPredicted(time);
}
