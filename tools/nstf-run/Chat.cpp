// A conversation: each line of standard input is a message, and the model's answer is printed while it is generated.
#include "support/Tool.h"
#include "tools/nstf-run/Commands.h"
#include "tools/nstf-run/Interrupt.h"
#include "tools/nstf-run/TextRun.h"

#include "nstf/Conversation.h"

#include <cstdio>
#include <iostream>
#include <unistd.h>

using namespace nstf::runtime;

namespace {

/// The times of all turns, as one sum.
class Total {
public:
  void add(const Generation &turn) {
    sum.ids.resize(sum.ids.size() + turn.ids.size());
    sum.promptTokens += turn.promptTokens;
    sum.heldTokens += turn.heldTokens;
    sum.promptSteps += turn.promptSteps;
    sum.decodeSteps += turn.decodeSteps;
    sum.promptSeconds += turn.promptSeconds;
    sum.decodeSeconds += turn.decodeSeconds;
    if (turn.predicted) {
      if (!sum.predicted)
        sum.predicted = {.chip = turn.predicted->chip};
      sum.predicted->promptSeconds += turn.predicted->promptSeconds;
      sum.predicted->decodeSeconds += turn.predicted->decodeSeconds;
    }
    ++turns;
  }
  void print(const Session &session) const {
    std::fprintf(stderr, "turns:   %zu; %zu of %zu prompt tokens were held from the turn before\n", turns,
                 sum.heldTokens, sum.promptTokens);
    printTimes(sum, session);
  }

private:
  Generation sum;
  std::size_t turns = 0;
};

/// Reads the next message. A line that ends in a backslash is continued by the next one.
std::optional<std::string> readMessage(Interrupt &interrupt, bool isOnTerminal) {
  std::string message;
  for (const char *sign = "> ";; sign = "… ") {
    if (isOnTerminal)
      std::cerr << sign << std::flush;
    std::optional<std::string> line = interrupt.readLine();
    if (!line && isOnTerminal)
      std::cerr << '\n'; // later output begins on its own line
    if (!line)
      return message.empty() ? std::nullopt : std::optional(message);
    message += *line;
    if (!message.ends_with('\\'))
      return message;
    message.back() = '\n';
  }
}

} // namespace

int runChat(Session &session, const Options &options, const TextRequest &request, Conversation &conversation,
            const Tokenizer &tokenizer) {
  Generator generator(session); // throws if the package is not a language model
  Interrupt interrupt;
  const bool isOnTerminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && !options.quiet;
  Total total;
  bool wasRefused = false;
  while (std::optional<std::string> message = readMessage(interrupt, isOnTerminal)) {
    if (message->empty())
      continue;
    Turn turn;
    try {
      turn = conversation.ask(*message);
    } catch (const std::runtime_error &error) { // the conversation is unchanged: a shorter message may fit
      nstf::support::printError(error);
      wasRefused = true;
      continue;
    }
    TextRequest asked = request;
    asked.prompt = turn.prompt;
    const TurnOptions inTurn{turn.held, conversation.getEnds(), [&] { return interrupt.isWanted(); }};
    TextRun run(session, options, asked, &tokenizer, &inTurn);
    Generation result = run.run(turn.ids);
    conversation.answer(result, run.getText());
    total.add(result);
    if (result.stop == StopReason::Context && !options.quiet)
      std::fprintf(stderr, "the conversation has filled the model's context\n");
    if (interrupt.isWanted())
      break;
  }
  if (!options.quiet)
    total.print(session);
  constexpr int interrupted = 130; // the shells' status for SIGINT
  return interrupt.isWanted() ? interrupted : wasRefused;
}
