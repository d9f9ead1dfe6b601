#include "nstf/Perplexity.h"
#include "nstf/Generate.h"
#include "runtime/model/NonFinite.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

namespace nstf::runtime {

Perplexity &Perplexity::operator+=(const Perplexity &other) {
  tokens += other.tokens;
  predicted += other.predicted;
  windows += other.windows;
  steps += other.steps;
  negativeLogLikelihood += other.negativeLogLikelihood;
  seconds += other.seconds;
  return *this;
}

static void expect(bool fine, const std::string &what, int64_t got) {
  if (!fine)
    throw std::runtime_error("expected " + what + " but got " + std::to_string(got));
}

std::vector<PerplexityWindow> planWindows(int64_t tokens, int64_t window, int64_t stride, int64_t from) {
  expect(tokens >= 2, "a text of at least 2 tokens, of which the second can be predicted,", tokens);
  expect(window >= 2, "a window of at least 2 tokens", window);
  expect(stride >= 1 && stride <= window, "a stride from 1 to the window's " + std::to_string(window), stride);
  expect(from < tokens, "a text of more tokens than the " + std::to_string(from) + " that are context only", tokens);
  std::vector<PerplexityWindow> windows;
  int64_t predicted = std::max<int64_t>(from, 1); // tokens before this index are done
  for (int64_t begin = 0, end = 0; end < tokens; begin += stride) {
    end = std::min(begin + window, tokens);
    int64_t firstTarget = std::max(begin + 1, predicted); // the first token of a window has nothing before it
    if (firstTarget < end)
      windows.push_back({begin, end, firstTarget});
    predicted = std::max(predicted, end);
  }
  if (windows.empty())
    throw std::runtime_error("expected a token from " + std::to_string(from) +
                             " on that has others before it in its window but got none");
  return windows;
}

Perplexity measurePerplexity(Session &session, std::span<const int32_t> ids, const PerplexityOptions &options) {
  auto start = std::chrono::steady_clock::now();
  Generator model(session);
  int64_t context = *session.manifest().model.context;
  int64_t length = options.window ? options.window : context;
  expect(length <= context, "a window of at most the model's context of " + std::to_string(context) + " tokens",
         length);
  auto windows = planWindows(int64_t(ids.size()), length,
                             options.stride ? options.stride : std::max<int64_t>(1, length / 2), options.from);
  size_t all = 0;
  for (const PerplexityWindow &window : windows)
    all += window.end - window.firstTarget;

  Perplexity result;
  result.tokens = ids.size();
  result.windows = windows.size();
  for (const PerplexityWindow &window : windows) {
    session.reset();
    model.check(ids.subspan(window.begin, window.end - window.begin));
    int64_t done = window.begin;
    auto run = [&](int64_t end) {
      for (int64_t chunk : planChunks(session.target(), end - done)) {
        model.step(ids.subspan(done, chunk));
        done += chunk;
        ++result.steps;
      }
    };
    for (int64_t target = window.firstTarget; target < window.end; ++target) {
      run(target);
      const std::vector<float> logits = model.logits();
      try {
        checkLogits(logits);
      } catch (const LogitsError &error) {
        throw std::runtime_error(
            "step " + std::to_string(result.steps) + ", for token " + std::to_string(target) +
            " of the text: " + error.what() +
            explainText(session, ids.subspan(window.begin, target - window.begin), window.firstTarget - window.begin));
      }
      if (options.onLogits)
        options.onLogits(logits, ids[target]);
      result.negativeLogLikelihood += logSumExp(logits) - double(logits[ids[target]]);
      if (++result.predicted; options.onToken)
        options.onToken(result.predicted, all);
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

} // namespace nstf::runtime
