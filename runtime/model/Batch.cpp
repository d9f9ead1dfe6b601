#include "nstf/Batch.h"
#include "runtime/model/TextInProgress.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace nstf::runtime {

struct Batch::State {
  State(Session &session, const BatchOptions &options)
      : session(session), outputs(session), texts(session.maxRequests()),
        maxRows(options.maxRows ? std::min(options.maxRows, session.target().maxTokens())
                                : session.target().maxTokens()) {
    if (maxRows < session.maxRequests())
      throw std::runtime_error("expected steps of at least a row for each of " + std::to_string(session.maxRequests()) +
                               " requests but got " + std::to_string(maxRows) + " rows");
  }

  /// The rows of each text in the next step: first one token of each generating text, so that no prompt delays others,
  /// then prompts in their order.
  std::vector<RequestRows> plan() const {
    std::vector<RequestRows> requests;
    int64_t left = maxRows;
    auto add = [&](bool isOfPrompts) {
      for (int64_t slot : order) {
        const TextInProgress &text = *texts[slot];
        const int64_t waiting = static_cast<int64_t>(text.getWaiting().size()), limit = text.getOptions().chunk;
        if (text.hasEnded() || isOfPrompts != (text.result.newTokens() == 0) || left == 0)
          continue;
        const int64_t rows = std::min({waiting, left, limit > 0 ? limit : waiting});
        requests.push_back({slot, text.getPosition(), rows});
        left -= rows;
      }
    };
    add(/*isOfPrompts=*/false);
    add(/*isOfPrompts=*/true);
    return requests;
  }

  TextInProgress &find(int64_t slot) {
    if (slot < 0 || slot >= static_cast<int64_t>(texts.size()) || !texts[slot])
      throw std::runtime_error("expected a slot with a text but got " + std::to_string(slot));
    return *texts[slot];
  }

  Session &session;
  LanguageOutputs outputs;
  std::vector<std::optional<TextInProgress>> texts; // by slot
  std::vector<int64_t> order;                       // slots with a text, in the order of their addition
  int64_t maxRows;
};

Batch::Batch(Session &session, const BatchOptions &options) : state(std::make_unique<State>(session, options)) {}
Batch::~Batch() = default;

int64_t Batch::freeSlots() const { return static_cast<int64_t>(state->texts.size() - state->order.size()); }

bool Batch::isIdle() const {
  return std::ranges::all_of(state->order, [&](int64_t slot) { return state->texts[slot]->hasEnded(); });
}

int64_t Batch::add(std::span<const int32_t> sequence, const GenerateOptions &options, std::size_t held) {
  auto free = std::ranges::find_if(state->texts, [](const auto &text) { return !text; });
  if (free == state->texts.end())
    throw std::runtime_error("expected a free slot but all " + std::to_string(state->texts.size()) +
                             " have a text (nstfc --max-batch)");
  held = std::min(held, sequence.empty() ? 0 : sequence.size() - 1);
  state->outputs.checkPrompt(sequence.subspan(held), static_cast<int64_t>(held));
  free->emplace(state->session, sequence, held, options);
  const int64_t slot = free - state->texts.begin();
  state->order.push_back(slot);
  return slot;
}

std::vector<int64_t> Batch::step() {
  const std::vector<RequestRows> requests = state->plan();
  if (requests.empty())
    return {};
  std::vector<int32_t> ids;
  for (const RequestRows &request : requests) {
    std::span<const int32_t> rows = state->texts[request.slot]->getWaiting().first(request.rows);
    ids.insert(ids.end(), rows.begin(), rows.end());
  }
  state->session.setInput("ids", makeIds(ids));
  state->session.run(requests);
  std::vector<int64_t> ended;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    TextInProgress &text = *state->texts[requests[i].slot];
    text.addStep(requests[i].rows, state->outputs, i);
    if (text.getWaiting().empty() && !text.hasEnded()) {
      std::optional<int32_t> token;
      try {
        token = text.chooseToken(state->outputs, i);
      } catch (const std::runtime_error &error) {
        text.fail("for the token at position " + std::to_string(text.getPosition()) + ": " + error.what());
      }
      if (token)
        text.addToken(*token);
    }
    if (text.hasEnded())
      ended.push_back(requests[i].slot);
  }
  return ended;
}

Generation Batch::take(int64_t slot) {
  Generation result = std::move(state->find(slot).result);
  state->texts[slot].reset();
  std::erase(state->order, slot);
  return result;
}

} // namespace nstf::runtime
