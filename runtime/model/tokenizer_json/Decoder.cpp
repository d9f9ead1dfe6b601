#include "runtime/model/tokenizer_json/Decoder.h"
#include "runtime/model/tokenizer_json/ByteAlphabet.h"
#include "runtime/model/tokenizer_json/Normalizer.h"
#include "runtime/model/tokenizer_json/ReadFields.h"
#include "runtime/model/tokenizer_json/Unicode.h"
#include "support/Utf8.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace nstf::runtime {

namespace {

/// From here on, all tokens are one.
class Fuse : public DecoderStage {
public:
  void push(std::string text, bool) override {
    emit(std::move(text), !any);
    any = true;
  }
  void finish() override {}

private:
  bool any = false;
};

/// Decodes the visible alphabet to bytes; a token with other characters stands for its own bytes.
class ByteLevel : public DecoderStage {
public:
  void push(std::string text, bool) override {
    std::optional<std::string> bytes = bytesFromAlphabet(text);
    pending += bytes ? *bytes : text;
    emit(support::takeWholeCharacters(pending), !any);
    any = true;
  }
  void finish() override {
    if (!pending.empty())
      emit(support::replacementCharacter, false);
  }

private:
  std::string pending;
  bool any = false;
};

/// Decodes tokens that name a byte, "<0x0A>".
class ByteFallback : public DecoderStage {
public:
  void push(std::string text, bool) override {
    std::optional<unsigned char> byte = byteOf(text);
    if (!byte) {
      finish();
      return emit(std::move(text), true);
    }
    pending += static_cast<char>(*byte);
    for (std::string characters = support::takeWholeCharacters(pending); !characters.empty();) {
      std::size_t size = 0;
      unicode::take(characters, size);
      emitCharacter(characters.substr(0, size));
      characters.erase(0, size);
    }
  }
  void finish() override {
    for (std::size_t i = 0; i < pending.size(); ++i)
      emit(support::replacementCharacter, true);
    pending.clear();
    inRun = false;
  }

private:
  /// A run of bytes is one token.
  void emitCharacter(std::string character) {
    emit(std::move(character), !inRun);
    inRun = true;
  }
  static std::optional<unsigned char> byteOf(const std::string &text) {
    auto isHex = [](char c) { return std::string_view("0123456789abcdefABCDEF").find(c) != std::string_view::npos; };
    if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>' || !isHex(text[3]) || !isHex(text[4]))
      return std::nullopt;
    return static_cast<unsigned char>(std::strtol(text.c_str() + 3, nullptr, 16));
  }
  std::string pending;
  bool inRun = false;
};

/// Replaces matches in each token. If a token comes in parts, its end is held back while a match could begin there.
class Replace : public DecoderStage {
public:
  Replace(Pattern pattern, std::string content, bool inParts)
      : pattern(std::move(pattern)), content(std::move(content)), inParts(inParts) {}
  void push(std::string text, bool starts) override {
    if (!inParts)
      return emit(pattern.replace(text, content, growth->left()), starts);
    pending += text;
    const std::string &wanted = pattern.literalText();
    if (wanted.empty())
      return; // an expression may examine the whole text
    std::size_t done = 0;
    for (std::size_t at; (at = pending.find(wanted, done)) != std::string::npos; done = at + wanted.size())
      pass(pending.substr(done, at - done) + content);
    std::size_t held = std::min(wanted.size() - 1, pending.size() - done);
    while (!wanted.starts_with(std::string_view(pending).substr(pending.size() - held)))
      --held;
    pass(pending.substr(done, pending.size() - held - done));
    pending.erase(0, pending.size() - held);
  }
  void finish() override {
    if (inParts)
      pass(pattern.replace(pending, content, growth->left()));
  }

private:
  void pass(std::string text) {
    emit(std::move(text), !any);
    any = true;
  }
  Pattern pattern;
  std::string content, pending;
  bool inParts, any = false;
};

/// Strips a number of occurrences of a character from the start and the end of each token.
class Strip : public DecoderStage {
public:
  Strip(char32_t character, std::size_t start, std::size_t stop, bool inParts)
      : start(start), stop(stop), inParts(inParts) {
    unicode::append(content, character);
  }
  void push(std::string text, bool starts) override {
    if (starts) {
      left = start;
      held = 0;
    }
    std::size_t position = 0;
    for (; left > 0 && std::string_view(text).substr(position).starts_with(content); --left)
      position += content.size();
    if (position < text.size())
      left = 0;
    // Characters that the end may lose are held back until other text follows.
    std::string whole;
    for (; held > 0; --held)
      whole += content;
    whole += text.substr(position);
    while (held < stop && whole.ends_with(content)) {
      whole.resize(whole.size() - content.size());
      ++held;
    }
    emit(std::move(whole), starts);
    if (!inParts)
      held = 0;
  }
  void finish() override { held = 0; }

private:
  std::string content;
  std::size_t start, stop, left = 0, held = 0;
  bool inParts;
};

/// Replaces SentencePiece's sign by a space; the encoder added those of the first token, so they are dropped.
class Metaspace : public DecoderStage {
public:
  Metaspace(std::string sign, bool dropsFirst) : sign(std::move(sign)), dropsFirst(dropsFirst) {}
  void push(std::string text, bool starts) override {
    first = starts ? !any : first;
    any = true;
    emit(unicode::replaceAll(text, sign, first && dropsFirst ? "" : " "), starts);
  }
  void finish() override {}

private:
  std::string sign;
  bool dropsFirst, first = true, any = false;
};

/// Pieces inside a word begin with the prefix; other tokens begin a word and get a space before them.
class WordPiece : public DecoderStage {
public:
  WordPiece(std::string prefix, bool cleanUp) : prefix(std::move(prefix)), cleanUp(cleanUp) {}
  void push(std::string text, bool starts) override {
    if (any && starts)
      text = text.starts_with(prefix) ? text.substr(prefix.size()) : " " + text;
    any = true;
    static constexpr std::pair<const char *, const char *> tidy[] = {
        {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
        {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    for (const auto &[from, to] : tidy)
      if (cleanUp)
        text = unicode::replaceAll(text, from, to);
    emit(std::move(text), starts);
  }
  void finish() override {}

private:
  std::string prefix;
  bool cleanUp, any = false;
};

/// A suffix ends words: it becomes a space, or nothing in the last token.
class WordEnd : public DecoderStage {
public:
  explicit WordEnd(std::string suffix) : suffix(std::move(suffix)) {}
  void push(std::string text, bool starts) override {
    if (last)
      emit(unicode::replaceAll(*last, suffix, " "), lastStarts);
    last = std::move(text);
    lastStarts = starts;
  }
  void finish() override {
    if (last)
      emit(unicode::replaceAll(*last, suffix, ""), lastStarts);
    last.reset();
  }

private:
  std::string suffix;
  std::optional<std::string> last;
  bool lastStarts = true;
};

class JoinBySpaces : public DecoderStage {
public:
  void push(std::string text, bool starts) override {
    emit(any && starts ? " " + text : text, starts);
    any = true;
  }
  void finish() override {}

private:
  bool any = false;
};

template <typename Stage, typename... Arguments> StageMaker maker(Arguments... arguments) {
  return [=]() -> std::unique_ptr<DecoderStage> { return std::make_unique<Stage>(arguments...); };
}

StageMaker readMetaspace(const support::JsonCursor &json) {
  std::string sign;
  unicode::append(sign, readCharacter(json["replacement"]));
  auto scheme = json.find("prepend_scheme");
  bool never = scheme && !scheme->isNull() && scheme->getChoice({"always", "first", "never"}) == 2;
  return maker<Metaspace>(sign, !never && readFlag(json, "add_prefix_space", true));
}

void readStages(const support::JsonCursor &json, Decoder &decoder, int depth) {
  if (depth > maxDepth)
    json.fail("expected sequences at most " + std::to_string(maxDepth) + " deep");
  auto add = [&](StageMaker stage) { decoder.stages.push_back(std::move(stage)); };
  constexpr uint64_t max = 1 << 16;
  switch (json["type"].getChoice(
      {"Sequence", "ByteLevel", "WordPiece", "Metaspace", "BPEDecoder", "Replace", "ByteFallback", "Fuse", "Strip"})) {
  case 0:
    for (const support::JsonCursor &part : json["decoders"].elements(0, 64))
      readStages(part, decoder, depth + 1);
    return;
  case 1:
    add(maker<ByteLevel>());
    decoder.fused = true;
    return;
  case 2:
    return add(maker<WordPiece>(json["prefix"].string(), readFlag(json, "cleanup", true)));
  case 3:
    return add(readMetaspace(json));
  case 4:
    return add(maker<WordEnd>(json["suffix"].nonEmptyString()));
  case 5:
    return add(maker<Replace>(readPattern(json["pattern"]), json["content"].string(), decoder.fused));
  case 6:
    return add(maker<ByteFallback>());
  case 7:
    add(maker<Fuse>());
    decoder.fused = true;
    return;
  default:
    return add(maker<Strip>(readCharacter(json["content"]), json["start"].integer(0, max), json["stop"].integer(0, max),
                            decoder.fused));
  }
}

} // namespace

Decoder readDecoder(const support::JsonCursor &json) {
  Decoder decoder;
  decoder.place = json.place();
  readStages(json, decoder, 0);
  return decoder;
}

Decoder joinBySpaces() { return {{maker<JoinBySpaces>()}, false, ""}; }

DecoderChain::DecoderChain(const Decoder &decoder) {
  growth->place = decoder.place;
  growth->stages = decoder.stages.size();
  for (const StageMaker &make : decoder.stages)
    stages.push_back(make());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    stages[i]->out = out.get();
    stages[i]->growth = growth.get();
    stages[i]->next = i + 1 < stages.size() ? stages[i + 1].get() : nullptr;
  }
}

std::string DecoderChain::push(std::string token) {
  if (stages.empty())
    return token;
  growth->given += token.size();
  stages.front()->push(std::move(token), /*starts=*/true);
  return std::exchange(*out, {});
}

std::string DecoderChain::finish() {
  for (const std::unique_ptr<DecoderStage> &stage : stages)
    stage->finish();
  return std::exchange(*out, {});
}

} // namespace nstf::runtime
