// An application of a package for several requests, without NSTF: batch PACKAGE COUNT IDS … Continues each list of ids
// greedily by COUNT tokens, all lists in the same steps: first their prompts, then one token each; the first list is
// one step behind the others. Prints each list on a line, and errors too.
#include "model.h"

#include <iostream>
#include <sstream>
#include <stdexcept>

struct Text {
  std::vector<int32_t> ids;
  std::size_t done = 0, end = 0;
};

static void refuse(MODEL::Model &model, const std::vector<MODEL::Request> &requests) {
  const int32_t ids[64] = {};
  try {
    model.step(ids, requests.data(), int(requests.size()));
    std::cout << "no error\n";
  } catch (const std::runtime_error &error) {
    std::cout << error.what() << "\n";
  }
}

int main(int argc, char **argv) try {
  MODEL::Model model(argv[1]);
  std::vector<Text> texts;
  for (int i = 3; i < argc; ++i) {
    Text text;
    std::istringstream list(argv[i]);
    for (std::string id; std::getline(list, id, ',');)
      text.ids.push_back(std::stoi(id));
    text.end = text.ids.size() + std::size_t(std::stoi(argv[2]));
    texts.push_back(text);
  }
  for (bool isFirst = true;; isFirst = false) {
    std::vector<MODEL::Request> requests;
    std::vector<int32_t> ids;
    std::vector<Text *> present;
    for (std::size_t i = texts.size(); i-- > (isFirst ? 1 : 0);) {
      Text &text = texts[i];
      if (text.ids.size() == text.end)
        continue;
      requests.push_back({int(i), int64_t(text.done), int(text.ids.size() - text.done)});
      ids.insert(ids.end(), text.ids.begin() + std::ptrdiff_t(text.done), text.ids.end());
      text.done = text.ids.size();
      present.push_back(&text);
    }
    if (requests.empty())
      break;
    model.step(ids.data(), requests.data(), int(requests.size()));
    const std::vector<int32_t> next = model.next();
    if (next.size() != std::size_t(MODEL::maxRequests))
      throw std::runtime_error("expected a token for each request");
    for (std::size_t i = 0; i < present.size(); ++i)
      present[i]->ids.push_back(next[i]);
  }
  for (const Text &text : texts)
    for (std::size_t i = 0; i < text.ids.size(); ++i)
      std::cout << text.ids[i] << (i + 1 < text.ids.size() ? " " : "\n");
  refuse(model, {});
  refuse(model, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {0, 0, 1}});
  refuse(model, {{0, 0, 1}, {3, 0, 1}});
  refuse(model, {{1, 0, 1}, {1, 5, 1}});
  refuse(model, {{1, 0, 0}});
  refuse(model, {{1, -1, 1}});
  refuse(model, {{1, MODEL::context, 1}});
  refuse(model, {{1, 0, 20}, {0, 0, 21}});
} catch (const std::exception &error) {
  std::cerr << "error: " << error.what() << "\n";
  return 1;
}
